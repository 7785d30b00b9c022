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

class Naming {
 public:
  explicit Naming(const std::vector<FlightFile>& files) : files_(files) {
    for (const FlightFile& file : files) most_ = std::max(most_, numbers_.emplace_back(numbers_in(file.leaf)).size());
  }

  FlightRanks find() const {
    const std::vector<Choice> all = choices(most_);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (auto ranks = chosen(all[i], 0)) return {*ranks, i == 0 ? std::vector<std::string>{} : doubts(all, *ranks)};
    if (auto ranks = told_by_groups()) return {*ranks, {}};
    for (const Choice& choice : all)
      if (auto ranks = chosen(choice, (files_.size() - 1) / 2)) return {*ranks, left_out(*ranks, choice)};
    reject();
  }

 private:
  // Nothing where two have one rank, one has none, or more than `misfits` have groups without such a member.
  std::optional<std::vector<std::int32_t>> chosen(const Choice& choice, std::size_t misfits) const {
    std::vector<std::int32_t> ranks;
    std::set<std::int32_t> seen;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::int32_t rank = choice(numbers_[i]);
      if (rank < 0 || !seen.insert(rank).second) return std::nullopt;
      ranks.push_back(fits(files_[i], rank) ? rank : -1);
      if (ranks.back() < 0 && ++left_out > misfits) return std::nullopt;
    }
    return ranks;
  }

  std::vector<std::string> doubts(const std::vector<Choice>& all, const std::vector<std::int32_t>& taken) const {
    for (const Choice& choice : all) {
      const auto other = chosen(choice, 0);
      if (!other || *other == taken) continue;
      const auto differs = std::mismatch(taken.begin(), taken.end(), other->begin());
      return {
          fmt::format("{} is taken for rank {}, by the number that stands last in the names and fits; by another "
                      "one it would be rank {}: {}",
                      files_[static_cast<std::size_t>(differs.first - taken.begin())].name, *differs.first,
                      *differs.second, kRename)};
    }
    return {};
  }

  std::vector<std::string> left_out(const std::vector<std::int32_t>& ranks, const Choice& choice) const {
    std::vector<std::string> told;
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (ranks[i] < 0) told.push_back(fmt::format("{}: {} (left out)", files_[i].name, misfit(choice(numbers_[i]))));
    return told;
  }

  // A dump whose groups have one rank in common needs no name.
  std::optional<std::vector<std::int32_t>> told_by_groups() const {
    std::vector<std::int32_t> ranks;
    std::set<std::int32_t> seen;
    for (const FlightFile& file : files_) {
      if (file.members.size() != 1 || !seen.insert(file.members.front()).second) return std::nullopt;
      ranks.push_back(file.members.front());
    }
    return ranks;
  }

  static std::string misfit(std::int32_t rank) {
    return fmt::format("by its name this is rank {}, but its groups have no such member", rank);
  }

  [[noreturn]] void reject() const {
    std::map<std::int32_t, std::size_t> first;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto fail = [&](const std::string& reason) {
        throw InputError(files_[i].name, 0, 0, fmt::format("{}: {}", reason, kRename));
      };
      if (numbers_[i].empty())
        fail("which rank wrote this dump is said by its file's name only, and the name has no number");
      const std::int32_t named = behind_the_word(numbers_[i]);
      const std::int32_t rank = named >= 0 ? named : numbers_[i].back().value;
      if (rank < 0) fail(fmt::format("the number in its name is no rank, as these are below {}", kMaxWorld));
      const auto [place, fresh] = first.emplace(rank, i);
      if (!fresh)
        fail(
            fmt::format("by its name this is rank {}, as {} is, and one folder holds the dumps of one job, one of each "
                        "rank",
                        rank, files_[place->second].name));
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::int32_t named = behind_the_word(numbers_[i]);
      const std::int32_t rank = named >= 0 ? named : numbers_[i].back().value;
      if (!fits(files_[i], rank)) throw InputError(files_[i].name, 0, 0, fmt::format("{}: {}", misfit(rank), kRename));
    }
    throw InputError(files_.front().name, 0, 0,
                     fmt::format("which rank wrote which dump is said by the files' names only, and no number in them "
                                 "tells it: {}",
                                 kRename));
  }

  static constexpr std::string_view kRename = "name the files by the ranks of the whole job, as in rank_0";

  const std::vector<FlightFile>& files_;
  std::vector<std::vector<Number>> numbers_;  // by file
  std::size_t most_ = 0;
};

}  // namespace

FlightRanks ranks_of_files(const std::vector<FlightFile>& files) {
  return Naming(files).find();
}

}  // namespace petri
