// The keys of a scenario file: one table that reader, writer and schema share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace petri {

// The lines and objects in which a key may stand.
enum KeyPlace : std::uint16_t {
  kHeader = 1,
  kComm = 2,
  kEvent = 4,
  kRankEnd = 8,
  kFileEnd = 16,
  kOrigin = 32,
  kOutcome = 64,
  kSummary = 128,
  kFill = 256,
};

enum class Key : std::uint8_t {
#define PETRI_KEY(name, where) name##_,
#include "harness/trace/keys.inc"
#undef PETRI_KEY
};

#define PETRI_KEY(name, where) +1
inline constexpr std::size_t kKeyCount = 0
#include "harness/trace/keys.inc"
    ;
#undef PETRI_KEY

std::string_view name_of(Key key);
std::optional<Key> key_named(std::string_view name);
bool may_stand_in(Key key, KeyPlace place);
std::vector<std::string_view> keys_of(KeyPlace place);

// Keys that begin with x_ belong to the user.
inline bool is_free_key(std::string_view name) {
  return name.starts_with("x_");
}

}  // namespace petri
