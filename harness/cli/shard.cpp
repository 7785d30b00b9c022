#include "harness/cli/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "harness/cli/command.hpp"
#include "harness/trace/digest.hpp"

namespace petri::cli {
namespace {

constexpr std::size_t kMostShards = 1'000'000;

// Digits alone, as a number; 0 for everything else.
std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::string_view whole(text);
    const Shard shard{number_in(whole.substr(0, slash)), number_in(whole.substr(slash + 1))};
    if (shard.index >= 1 && shard.index <= shard.of && shard.of <= kMostShards) return shard;
  }
  throw UsageError{fmt::format("--shard: '{}' is none; the second of five is 2/5", text)};
}

std::vector<std::size_t> members_of(const Shard& shard, const std::vector<std::string>& names) {
  std::vector<std::string> digests;
  digests.reserve(names.size());
  for (const std::string& name : names) digests.push_back(digest_of(name));
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal names stand in the order of the list.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return digests[a] < digests[b]; });
  const auto cut = [&](std::size_t parts) {
    return order.begin() + static_cast<std::ptrdiff_t>(names.size() * parts / shard.of);
  };
  std::vector<std::size_t> members(cut(shard.index - 1), cut(shard.index));
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace petri::cli
