#include "harness/diagnose/align.hpp"

#include <algorithm>

#include "harness/model/gatherings.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kWindow = 160;   // calls on each side that are compared
constexpr std::size_t kLookBack = 48;  // calls before the difference: the edit may lie where only call sites show it
constexpr int kSameCall = 4;
constexpr int kSameSite = 3;
constexpr int kSameStep = 1;

int weight(const Event& one, const Event& other) {
  if (!same_call(one, other)) return 0;
  int sum = kSameCall;
  if (one.site != kNoSymbol && one.site == other.site) sum += kSameSite;
  if (one.step != kUnset && one.step == other.step) sum += kSameStep;
  return sum;
}

class Table {
 public:
  Table(std::size_t rows, std::size_t columns) : columns_(columns + 1), best_((rows + 1) * (columns + 1), 0) {}
  int& operator()(std::size_t row, std::size_t column) { return best_[row * columns_ + column]; }

 private:
  std::size_t columns_;
  std::vector<int> best_;
};

}  // namespace

bool same_call(const Event& one, const Event& other) {
  const auto same = [](auto a, auto b, auto unknown) { return a == b || a == unknown || b == unknown; };
  return model::join(one.op, other.op) && same(one.count, other.count, kUnknownCount) &&
         same(one.dtype, other.dtype, ElementType::unknown) && same(one.reduce, other.reduce, ReduceOp::unknown) &&
         same(one.root, other.root, kUnset);
}

Edits align(const Scenario& scenario, std::int32_t first_rank, const std::vector<std::uint32_t>& first,
            std::int32_t second_rank, const std::vector<std::uint32_t>& second, std::size_t from) {
  const std::size_t start = from > kLookBack ? from - kLookBack : 0;
  const std::size_t rows = std::min(first.size() - std::min(first.size(), start), kWindow);
  const std::size_t columns = std::min(second.size() - std::min(second.size(), start), kWindow);
  const auto score = [&](std::size_t row, std::size_t column) {
    return weight(at(scenario, {first_rank, first[start + row]}), at(scenario, {second_rank, second[start + column]}));
  };
  // best(r, c): weight of the best alignment of the first r and c calls. Built from the front and walked from the back,
  // so that of equal alignments the one with its edits at the front is found.
  Table best(rows, columns);
  for (std::size_t row = 1; row <= rows; ++row)
    for (std::size_t column = 1; column <= columns; ++column) {
      const int together = score(row - 1, column - 1);
      const int matched = together > 0 ? best(row - 1, column - 1) + together : 0;
      best(row, column) = std::max({matched, best(row - 1, column), best(row, column - 1)});
    }
  Edits edits;
  std::size_t row = rows, column = columns;
  bool edited = false;
  while (row > 0 || column > 0) {
    const int together = row > 0 && column > 0 ? score(row - 1, column - 1) : 0;
    if (together > 0 && best(row, column) == best(row - 1, column - 1) + together) {
      edits.goes_on = edits.goes_on || !edited;
      --row, --column;
    } else if (row > 0 && (column == 0 || best(row, column) == best(row - 1, column))) {
      edits.only_first.push_back(first[start + --row]);
      edited = true;
    } else {
      edits.only_second.push_back(second[start + --column]);
      edited = true;
    }
  }
  std::reverse(edits.only_first.begin(), edits.only_first.end());
  std::reverse(edits.only_second.begin(), edits.only_second.end());
  return edits;
}

}  // namespace petri::diagnosis
