#include "harness/trace/extras_pool.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace petri {
namespace {

constexpr std::size_t kFewest = 256, kMost = 32768;

// All texts are alike; other values are not shared by themselves.
template <class T>
constexpr std::optional<Extra> kValueKind = std::nullopt;
template <>
constexpr std::optional<Extra> kValueKind<std::string> = Extra::value;

// An argument of the same kind, one for each kind of part. All lists are alike, whatever their numbers are.
std::optional<Extra> kind_of_part(Extra name) {
  switch (name) {
#define PETRI_NUMBER(type, name, none)
#define PETRI_LIST(type, name) case Extra::name:
#define PETRI_VALUE(type, name)
#include "harness/trace/event_extras.inc"
#undef PETRI_LIST
#undef PETRI_VALUE
    return Extra::counts;
#define PETRI_LIST(type, name)
#define PETRI_VALUE(type, name) \
  case Extra::name:             \
    return kValueKind<type>;
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
    default: return std::nullopt;
  }
}

}  // namespace

template <class Entry>
Entry& ExtrasPool::Latest<Entry>::at(std::uint64_t hash) {
  if (taken_ == places_.size() && places_.size() < kMost) {
    std::vector<std::pair<std::uint64_t, Entry>> wider(std::max(kFewest, 2 * places_.size()));
    for (auto& place : places_) wider[place.first % wider.size()] = std::move(place);
    places_ = std::move(wider);
  }
  auto& [whose, entry] = places_[hash % places_.size()];
  if (whose != hash) ++taken_;
  whose = hash;
  return entry;
}

std::uint64_t ExtrasPool::hash_of(Extra name, EventExtras::Slot slot) {
  const std::optional<Extra> kind = kind_of_part(name);
  if (!kind) return slot.number;
  if (*kind != Extra::counts)
    return std::hash<std::string>{}(static_cast<const EventExtras::SharedValue<std::string>*>(slot.shared)->value);
  const auto& list = *static_cast<const PackedBlock*>(slot.shared);
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(list.data()), list.bytes()});
}

void ExtrasPool::share_part(Extra kind, std::uint64_t hash, EventExtras::Slot& slot) {
  Part& latest = (kind == Extra::counts ? lists_ : texts_).at(hash);
  if (latest.holds(kind, slot)) {
    EventExtras::let_go(kind, slot);
    slot = latest.slot();
  } else {
    latest = Part(kind, slot);
  }
  slot.shared->join();
}

void ExtrasPool::share(EventExtras& extras) {
  if (extras.empty()) return;
  EventExtras::Block& block = *extras.block_;
  const bool fresh = block.has_one_owner();
  std::size_t hash = block.size;
  for (std::size_t i = 0; i < block.size; ++i) {
    const Extra name = block.names()[i];
    const std::uint64_t part = hash_of(name, block.slots()[i]);
    if (const auto kind = kind_of_part(name); kind && fresh) share_part(*kind, part, block.slots()[i]);
    boost::hash_combine(hash, static_cast<std::uint8_t>(name));
    boost::hash_combine(hash, part);
  }
  EventExtras& latest = extras_.at(hash);
  if (latest == extras)
    extras = latest;
  else
    latest = extras;
}

}  // namespace petri
