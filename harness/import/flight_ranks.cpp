#include "harness/import/flight_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {
namespace {

struct Number {
  std::int32_t value = -1;  // -1: no rank can be as large
  bool after_rank = false;  // behind the word "rank"
};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool ends_with_rank(std::string_view text) {
  while (!text.empty() && (text.back() == '_' || text.back() == '-' || text.back() == '.' || text.back() == '='))
    text.remove_suffix(1);
  constexpr std::string_view kRank = "rank";
  if (text.size() < kRank.size()) return false;
  text.remove_prefix(text.size() - kRank.size());
  return std::equal(text.begin(), text.end(), kRank.begin(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

std::vector<Number> numbers_in(const std::string& leaf) {
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < leaf.size();) {
    if (!is_digit(leaf[i])) {
      ++i;
      continue;
    }
    Number number{0, ends_with_rank(std::string_view(leaf).substr(0, i))};
    for (; i < leaf.size() && is_digit(leaf[i]); ++i)
      if (number.value >= 0)
        number.value = number.value * 10 + (leaf[i] - '0') >= kMaxWorld ? -1 : number.value * 10 + (leaf[i] - '0');
    numbers.push_back(number);
  }
  return numbers;
}

using Choice = std::function<std::int32_t(const std::vector<Number>&)>;  // -1: there is no such number

std::int32_t behind_the_word(const std::vector<Number>& numbers) {
  const auto found = std::find_if(numbers.rbegin(), numbers.rend(), [](const Number& one) { return one.after_rank; });
  return found == numbers.rend() ? -1 : found->value;
}

std::vector<Choice> choices(std::size_t most) {
  std::vector<Choice> all{behind_the_word};
  for (std::size_t back = 1; back <= most; ++back)
    all.emplace_back(
        [back](const auto& numbers) { return back > numbers.size() ? -1 : numbers[numbers.size() - back].value; });
  for (std::size_t place = 0; place < most; ++place)
    all.emplace_back([place](const auto& numbers) { return place >= numbers.size() ? -1 : numbers[place].value; });
  return all;
}

bool fits(const FlightFile& file, std::int32_t rank) {
  return file.members.empty() || std::binary_search(file.members.begin(), file.members.end(), rank);
}

std::optional<std::vector<std::int32_t>> chosen(const std::vector<FlightFile>& files,
                                                const std::vector<std::vector<Number>>& numbers, const Choice& choice) {
  std::vector<std::int32_t> ranks;
  std::set<std::int32_t> seen;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::int32_t rank = choice(numbers[i]);
    if (rank < 0 || !fits(files[i], rank) || !seen.insert(rank).second) return std::nullopt;
    ranks.push_back(rank);
  }
  return ranks;
}

// A dump whose groups have one rank in common needs no name.
std::optional<std::vector<std::int32_t>> told_by_groups(const std::vector<FlightFile>& files) {
  std::vector<std::int32_t> ranks;
  std::set<std::int32_t> seen;
  for (const FlightFile& file : files) {
    if (file.members.size() != 1 || !seen.insert(file.members.front()).second) return std::nullopt;
    ranks.push_back(file.members.front());
  }
  return ranks;
}

[[noreturn]] void reject(const std::vector<FlightFile>& files, const std::vector<std::vector<Number>>& numbers) {
  for (std::size_t i = 0; i < files.size(); ++i)
    if (numbers[i].empty())
      throw InputError(
          files[i].name, 0, 0,
          "which rank wrote this dump is said by its file's name only, and the name has no number; call it "
          "rank_0, for example");
  std::map<std::int32_t, std::size_t> first;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::int32_t rank = behind_the_word(numbers[i]) >= 0 ? behind_the_word(numbers[i]) : numbers[i].back().value;
    if (rank < 0) break;
    if (!fits(files[i], rank))
      throw InputError(files[i].name, 0, 0,
                       fmt::format("by its name this is rank {}, but its groups have no such member", rank));
    const auto [place, fresh] = first.emplace(rank, i);
    if (!fresh)
      throw InputError(
          files[i].name, 0, 0,
          fmt::format("by its name this is rank {}, as {} is: one folder holds the dumps of one job, one of "
                      "each rank",
                      rank, files[place->second].name));
  }
  throw InputError(files.front().name, 0, 0,
                   "which rank wrote which dump is said by the files' names only, and no number in them tells it");
}

}  // namespace

std::vector<std::int32_t> ranks_of_files(const std::vector<FlightFile>& files) {
  std::vector<std::vector<Number>> numbers;
  std::size_t most = 0;
  for (const FlightFile& file : files) most = std::max(most, numbers.emplace_back(numbers_in(file.leaf)).size());
  for (const Choice& choice : choices(most))
    if (auto ranks = chosen(files, numbers, choice)) return *ranks;
  if (auto ranks = told_by_groups(files)) return *ranks;
  reject(files, numbers);
}

}  // namespace petri
