#include "harness/trace/keys.hpp"

#include <array>

namespace petri {
namespace {

struct Row {
  std::string_view name;
  std::uint16_t where;
};

constexpr std::array<Row, kKeyCount> kKeys{{
#define PETRI_KEY(name, where) {#name, where},
#include "harness/trace/keys.inc"
#undef PETRI_KEY
}};

// Every key of every line is looked up: a table with linear probing, made by the compiler.
constexpr std::size_t kSlots = 512;
constexpr std::uint8_t kFree = 0xff;
static_assert(kKeyCount < kFree && kKeyCount < kSlots / 2);

constexpr std::size_t slot_of(std::string_view name) {
  std::size_t hash = name.size();
  for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
  return hash % kSlots;
}

constexpr auto kTable = [] {
  std::array<std::uint8_t, kSlots> table{};
  table.fill(kFree);
  for (std::size_t key = 0; key < kKeyCount; ++key) {
    std::size_t slot = slot_of(kKeys[key].name);
    while (table[slot] != kFree) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<std::uint8_t>(key);
  }
  return table;
}();

}  // namespace

std::string_view name_of(Key key) {
  return kKeys.at(static_cast<std::size_t>(key)).name;
}

std::optional<Key> key_named(std::string_view name) {
  for (std::size_t slot = slot_of(name);; slot = (slot + 1) % kSlots) {
    const std::uint8_t key = kTable[slot];
    if (key == kFree) return std::nullopt;
    if (kKeys[key].name == name) return static_cast<Key>(key);
  }
}

bool may_stand_in(Key key, KeyPlace place) {
  return (kKeys.at(static_cast<std::size_t>(key)).where & place) != 0;
}

std::vector<std::string_view> keys_of(KeyPlace place) {
  std::vector<std::string_view> names;
  for (const Row& row : kKeys)
    if ((row.where & place) != 0) names.push_back(row.name);
  return names;
}

}  // namespace petri
