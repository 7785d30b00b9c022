#include "harness/cli/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/cli/command.hpp"

namespace petri::cli {
namespace {

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back("reproducers/" + std::to_string(i) + "/scenario.jsonl");
  return made;
}

// Of each name the shard that it is in.
std::vector<std::size_t> shards_of(const std::vector<std::string>& names, std::size_t of) {
  std::vector<std::size_t> shards(names.size(), 0);
  for (std::size_t index = 1; index <= of; ++index)
    for (const std::size_t i : members_of({index, of}, names)) {
      EXPECT_EQ(shards.at(i), 0U) << "in two shards";
      shards[i] = index;
    }
  return shards;
}

TEST(Shard, PartsAreDisjointCompleteAndEqual) {
  for (const std::size_t count : {0U, 1U, 2U, 7U, 74U, 100U})
    for (std::size_t of = 1; of <= 12; ++of) {
      const auto shards = shards_of(names(count), of);
      EXPECT_EQ(std::count(shards.begin(), shards.end(), 0U), 0) << count << " over " << of;
      std::vector<std::size_t> sizes;
      for (std::size_t index = 1; index <= of; ++index)
        sizes.push_back(static_cast<std::size_t>(std::count(shards.begin(), shards.end(), index)));
      const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
      EXPECT_LE(*most - *least, 1U) << count << " over " << of;
    }
}

TEST(Shard, OneMoreMovesAtMostOneOverEachCut) {
  const std::vector<std::string> before = names(60);
  for (std::size_t of = 1; of <= 12; ++of)
    for (int added = 0; added < 20; ++added) {
      std::vector<std::string> after = before;
      after.insert(after.begin() + added, "reproducers/new-" + std::to_string(added) + "/scenario.jsonl");
      auto shards = shards_of(after, of);
      shards.erase(shards.begin() + added);
      const auto old = shards_of(before, of);
      std::size_t moved = 0;
      for (std::size_t i = 0; i < old.size(); ++i) moved += old[i] != shards[i] ? 1U : 0U;
      EXPECT_LE(moved, of - 1);
    }
}

TEST(Shard, DependsOnNamesNotOnTheirOrder) {
  std::vector<std::string> turned = names(30);
  std::reverse(turned.begin(), turned.end());
  std::set<std::string> one, other;
  for (const std::size_t i : members_of({2, 4}, names(30))) one.insert(names(30)[i]);
  for (const std::size_t i : members_of({2, 4}, turned)) other.insert(turned[i]);
  EXPECT_EQ(one, other);
}

TEST(Shard, MoreShardsThanNamesLeaveSomeEmpty) {
  const auto shards = shards_of(names(3), 8);
  EXPECT_EQ((std::set<std::size_t>(shards.begin(), shards.end())).size(), 3U);
}

TEST(Shard, IsReadStrictly) {
  const Shard shard = parse_shard("2/5");
  EXPECT_EQ(shard.index, 2U);
  EXPECT_EQ(shard.of, 5U);
  for (const char* text : {"", "/", "2", "2/", "/5", "0/5", "6/5", "-1/5", "2/5/7", "2/5 ", " 2/5", "+2/5", "2.0/5",
                           "a/b", "1/99999999999999999999", "1/1000001"})
    EXPECT_THROW(parse_shard(text), UsageError) << text;
}

}  // namespace
}  // namespace petri::cli
