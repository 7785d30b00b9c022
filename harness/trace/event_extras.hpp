// The arguments that few events have, and of which each event has few: only those that are there take room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/trace/packed_numbers.hpp"
#include "kernels/types/element_type.hpp"
#include "kernels/types/generator.hpp"

namespace petri {

// Values of an integer argument that are no rank, tag or count.
inline constexpr std::int32_t kUnset = -1000000;     // not recorded: unknown, and never compared
inline constexpr std::int32_t kAny = -1000001;       // MPI_ANY_SOURCE, MPI_ANY_TAG: "any"
inline constexpr std::int32_t kNull = -1000002;      // MPI_PROC_NULL, MPI_ROOT's counterpart, MPI_UNDEFINED: "null"
inline constexpr std::int32_t kRootHere = -1000003;  // MPI_ROOT of an intercommunicator: "root"
inline constexpr std::int64_t kUnknownCount = -1;
inline constexpr std::int32_t kNoComm = -1;

// Boundary data of a buffer: a digest tells identical bytes, the summary how wrong a number is. Fields that were not
// recorded stay empty.
struct Summary {
  std::string digest;  // "<algorithm>:<hex>"
  std::optional<double> min, max, sum, norm;
  std::optional<std::uint64_t> nan, inf;
  bool operator==(const Summary&) const = default;
};

// Payload made by a generator instead of being stored.
struct Fill {
  Generator generator = Generator::uniform;
  std::uint64_t seed = 0;
  double scale = 1.0;
  bool operator==(const Fill&) const = default;
};

// Memory that an operation reads or writes: [address, address + bytes) in the process that made the call.
struct Buffer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Buffer&) const = default;
};

using FreeKeys = std::vector<std::pair<std::string, std::string>>;

enum class Extra : std::uint8_t {
#define PETRI_NUMBER(type, name, none) name,
#define PETRI_LIST(type, name) name,
#define PETRI_VALUE(type, name) name,
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
};

// A sorted set of arguments, the size of a pointer. Each argument NAME has `NAME()`, which is its `none`, empty list or
// default value where it is not there, and `set_NAME(value)`, which removes it with just that. References and lists
// that were given hold until this object is changed or gone. Copies share what they hold until one of them is changed;
// safe as far as shared_ptr is.
class EventExtras {
 public:
  EventExtras() = default;
  EventExtras(const EventExtras& other) : block_(other.block_) {
    if (block_ != nullptr) block_->join();
  }
  EventExtras(EventExtras&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  EventExtras& operator=(EventExtras other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~EventExtras() {
    if (block_ != nullptr) take(nullptr);
  }

  bool empty() const { return block_ == nullptr; }
  bool same_as(const EventExtras& other) const { return block_ == other.block_; }  // one object, or both nothing
  bool operator==(const EventExtras& other) const;  // of numbers bit for bit: 0 is not -0

#define PETRI_NUMBER(type, name, none)                            \
  type name() const {                                             \
    const Slot* slot = find(Extra::name);                         \
    return slot != nullptr ? number_in<type>(*slot) : type(none); \
  }                                                               \
  void set_##name(type value) {                                   \
    set_number<type>(Extra::name, value, type(none));             \
  }
#define PETRI_LIST(type, name)                                                                             \
  PackedNumbers<type> name() const {                                                                       \
    const Slot* slot = find(Extra::name);                                                                  \
    return PackedNumbers<type>(slot != nullptr ? static_cast<const PackedBlock*>(slot->shared) : nullptr); \
  }                                                                                                        \
  template <class List>                                                                                    \
  void set_##name(const List& list) {                                                                      \
    set_list<type>(Extra::name, list);                                                                     \
  }                                                                                                        \
  void set_##name(std::initializer_list<type> list) {                                                      \
    set_list<type>(Extra::name, list);                                                                     \
  }
#define PETRI_VALUE(type, name)                                                                               \
  const type& name() const {                                                                                  \
    const Slot* slot = find(Extra::name);                                                                     \
    return slot != nullptr ? static_cast<const SharedValue<type>*>(slot->shared)->value : default_of<type>(); \
  }                                                                                                           \
  void set_##name(type value) {                                                                               \
    set_value<type>(Extra::name, std::move(value));                                                           \
  }
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE

 private:
  friend class ExtrasPool;
  union Slot {
    std::uint64_t number;
    const Shared* shared;  // a PackedBlock or a SharedValue
  };
  template <class T>
  struct SharedValue : Shared {
    explicit SharedValue(T from) : value(std::move(from)) {}
    T value;
  };
  // The names of what is there, ascending, follow at once; then as many slots, where they are aligned.
  struct Block : Shared {
    std::uint8_t size = 0;

    const Extra* names() const { return reinterpret_cast<const Extra*>(&size + 1); }
    const Slot* slots() const {
      return reinterpret_cast<const Slot*>(reinterpret_cast<const std::byte*>(this) + slots_at(size));
    }
    Extra* names() { return const_cast<Extra*>(std::as_const(*this).names()); }
    Slot* slots() { return const_cast<Slot*>(std::as_const(*this).slots()); }
  };
  static std::size_t slots_at(std::size_t size) {
    constexpr std::size_t kNamesAt = sizeof(Shared) + 1;
    return (kNamesAt + size + sizeof(Slot) - 1) / sizeof(Slot) * sizeof(Slot);
  }
  static std::size_t bytes_of(std::size_t size) {
    return slots_at(size) + size * sizeof(Slot);
  }

  const Slot* find(Extra wanted) const {
    if (block_ == nullptr) return nullptr;
    const Extra* names = block_->names();
    for (std::size_t i = 0; i < block_->size && names[i] <= wanted; ++i)
      if (names[i] == wanted) return block_->slots() + i;
    return nullptr;
  }
  void put(Extra name, Slot slot);  // which it owns from then on
  void remove(Extra name);
  // The block as it is with `name` there, its slot yet to be filled, or without it.
  Block* rebuilt(Extra name, bool there) const;
  void take(Block* block);

  static void let_go(Extra name, Slot slot);
  static bool same(Extra name, Slot one, Slot other);

  template <class T>
  static T number_in(Slot slot) {
    if constexpr (requires { typename T::value_type; })
      return static_cast<typename T::value_type>(slot.number);
    else
      return static_cast<T>(slot.number);
  }
  template <class T>
  void set_number(Extra name, T value, T none) {
    if (value == none) return remove(name);
    if constexpr (requires { typename T::value_type; })
      put(name, Slot{static_cast<std::uint64_t>(*value)});
    else
      put(name, Slot{static_cast<std::uint64_t>(value)});
  }

  void put_list(Extra name, std::span<const std::uint64_t> numbers);
  template <class T, class List>
  void set_list(Extra name, const List& list) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(list.size());
    for (const T number : list) numbers.push_back(static_cast<std::make_unsigned_t<T>>(number));
    put_list(name, numbers);
  }

  template <class T>
  static const T& default_of() {
    static const T none{};
    return none;
  }
  template <class T>
  void set_value(Extra name, T value) {
    if (value == default_of<T>()) return remove(name);
    Slot slot;
    slot.shared = new SharedValue<T>(std::move(value));
    put(name, slot);
  }

  Block* block_ = nullptr;
};

}  // namespace petri
