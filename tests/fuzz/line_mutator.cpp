// Changes of JSON Lines that often leave them readable: whole lines, fields, numbers and words instead of bytes. Linked
// with the fuzzing engine only.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/op.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Lines = std::vector<std::string>;

class Mutation {
 public:
  Mutation(const std::string& text, unsigned seed) : random_(seed) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }

  bool empty() const { return lines_.empty(); }

  void apply() {
    using petri::kOpCount, petri::Op;
    switch (below(7)) {
      case 0: lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size()))); break;
      case 1: lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size() + 1)), any()); break;
      case 2: std::swap(any(), any()); break;
      case 3: replace(kNumber, other(kNumber, kNumbers[below(std::size(kNumbers))])); break;
      case 4: replace(kText, other(kText, "\"any\"")); break;
      case 5: replace(kOp, "\"op\":\"" + std::string(name_of(static_cast<Op>(below(kOpCount)))) + '"'); break;
      default: replace(kField, below(2) == 0 ? "" : other(kField, "")); break;
    }
  }

  std::string text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    return text;
  }

 private:
  static inline const std::regex kNumber{"-?[0-9]+"}, kText{"\"[^\"]*\""}, kOp{"\"op\":\"[^\"]*\""},
      kField{",\"[a-z]+\":(\"[^\"]*\"|\\[[^\\]]*\\]|[^,}\\]]+)"};
  static constexpr const char* kNumbers[] = {"0", "1", "2", "3", "-1", "7", "64", "2147483647", "9223372036854775807"};

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  std::string& any() { return lines_[below(lines_.size())]; }

  // One of the matches in a line; npos where there is none.
  std::pair<std::size_t, std::size_t> find(const std::string& line, const std::regex& what) {
    const std::vector<std::smatch> found{std::sregex_iterator(line.begin(), line.end(), what), std::sregex_iterator()};
    if (found.empty()) return {std::string::npos, 0};
    const std::smatch& match = found[below(found.size())];
    return {static_cast<std::size_t>(match.position()), static_cast<std::size_t>(match.length())};
  }

  // The same kind of thing from somewhere else, or `otherwise`.
  std::string other(const std::regex& what, const std::string& otherwise) {
    const std::string& line = any();
    const auto [at, length] = find(line, what);
    return at == std::string::npos || below(3) == 0 ? otherwise : line.substr(at, length);
  }

  void replace(const std::regex& what, const std::string& with) {
    std::string& line = any();
    const auto [at, length] = find(line, what);
    if (at != std::string::npos) line.replace(at, length, with);
  }

  Lines lines_;
  std::minstd_rand random_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  constexpr std::size_t kLongest = 1 << 14;  // regular expressions are slow
  Mutation mutation(std::string(reinterpret_cast<const char*>(data), size), seed);
  if (seed % 4 == 0 || size > kLongest || mutation.empty()) return LLVMFuzzerMutate(data, size, max_size);
  mutation.apply();
  const std::string text = mutation.text();
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(data));
  return text.size();
}
