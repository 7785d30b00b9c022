#include "harness/trace/keys.hpp"

#include <array>
#include <unordered_map>

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

}  // namespace

std::string_view name_of(Key key) {
  return kKeys.at(static_cast<std::size_t>(key)).name;
}

std::optional<Key> key_named(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, Key> keys;
    for (std::size_t i = 0; i < kKeys.size(); ++i) keys.emplace(kKeys[i].name, static_cast<Key>(i));
    return keys;
  }();
  const auto found = index.find(name);
  if (found == index.end()) return std::nullopt;
  return found->second;
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
