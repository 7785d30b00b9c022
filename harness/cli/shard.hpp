// One of several equal parts of a list, so that several machines share the work without speaking to each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace petri::cli {

struct Shard {
  std::size_t index = 1, of = 1;  // the first of five: 1, 5
};

// "2/5". Throws UsageError for anything that is no such pair with 1 <= index <= of.
Shard parse_shard(const std::string& text);

// Which of the names belong to the shard: their numbers, ascending. The shards 1 … `of` hold each name once, in parts
// that differ by at most one.
//
// Parts are cut from the names in the order of their digests. So a part is a sample: neighbours, which tend to cost
// alike, are spread. And it is stable: one name more or less shifts each cut by at most one, so that at most `of` - 1
// others change their shard, whereas dealing out in turn would move almost all that come after it.
std::vector<std::size_t> members_of(const Shard& shard, const std::vector<std::string>& names);

}  // namespace petri::cli
