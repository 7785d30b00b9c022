#include "harness/trace/extras_pool.hpp"

#include <boost/container_hash/hash.hpp>

namespace petri {
namespace {

// Of the arguments that usually tell two events apart. Those that differ in others only take each other's place.
std::uint64_t hash_of(const EventExtras& x) {
  std::size_t hash = 0;
  for (const auto* list : {&x.counts, &x.sendcounts, &x.recvcounts}) boost::hash_combine(hash, *list);
  for (const auto* list : {&x.requests, &x.indices}) boost::hash_combine(hash, *list);
  for (const auto* list : {&x.ranks, &x.sources, &x.destinations}) boost::hash_combine(hash, *list);
  for (const std::int32_t value : {x.matched, x.sendpeer, x.recvpeer, x.sendtag, x.recvtag})
    boost::hash_combine(hash, value);
  for (const std::int64_t value : {x.sendcount, x.recvcount, x.message.value_or(-1), x.disp.value_or(-1)})
    boost::hash_combine(hash, value);
  for (const auto& value : {x.index, x.target, x.thread, x.device, x.color, x.key, x.partitions})
    boost::hash_combine(hash, value.value_or(kUnset));
  for (const auto* text : {&x.win, &x.file, &x.stream, &x.event, &x.value, &x.category, &x.error})
    boost::hash_combine(hash, *text);
  boost::hash_combine(hash, x.polls);
  return hash;
}

}  // namespace

void ExtrasPool::share(ExtrasBox& extras) {
  if (extras.empty()) return;
  ExtrasBox& latest = latest_[hash_of(extras.get())];
  if (latest == extras)
    extras = latest;
  else
    latest = extras;
}

}  // namespace petri
