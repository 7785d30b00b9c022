// Which accesses touched which bytes of one memory: the latest of each rank and kind, by ranges that do not overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace petri::diagnosis {

template <class Kind>
class TouchedBytes {
 public:
  // For each range inside [begin, end), in order: calls `meets(kind)` once for each kind of access there, and where
  // that is true, `again(access)` for each of its accesses; those for which `again` is false are forgotten there. Then
  // the new access takes the place of its rank's earlier one of the same kind.
  template <class Meets, class Again>
  void touch(std::int64_t begin, std::int64_t end, const Kind& kind, std::int32_t rank, std::uint32_t access,
             const Meets& meets, const Again& again) {
    split(begin);
    split(end);
    for (std::int64_t at = begin; at < end;) {
      auto range = ranges_.lower_bound(at);
      const std::int64_t next = range == ranges_.end() ? end : std::min(end, range->first);
      if (next > at) range = ranges_.emplace(at, Range{next, {}}).first;
      for (auto& [other, accesses] : range->second.accesses)
        if (meets(other))
          std::erase_if(accesses,
                        [&](const std::pair<const std::int32_t, std::uint32_t>& one) { return !again(one.second); });
      range->second.accesses[kind][rank] = access;
      at = range->second.end;
    }
  }

 private:
  struct Range {
    std::int64_t end = 0;
    std::map<Kind, std::map<std::int32_t, std::uint32_t>> accesses;  // by kind and rank
  };

  // Makes a range end at this place.
  void split(std::int64_t at) {
    auto range = ranges_.upper_bound(at);
    if (range == ranges_.begin()) return;
    --range;
    if (range->first >= at || range->second.end <= at) return;
    Range rest = range->second;
    range->second.end = at;
    ranges_.emplace(at, std::move(rest));
  }

  std::map<std::int64_t, Range> ranges_;  // by their first byte
};

}  // namespace petri::diagnosis
