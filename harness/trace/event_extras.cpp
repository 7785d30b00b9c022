#include "harness/trace/event_extras.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace petri {
namespace {

// Whether a slot with this argument holds a number itself.
bool is_number(Extra name) {
  switch (name) {
#define PETRI_NUMBER(type, name, none) \
  case Extra::name:                    \
    return true;
#define PETRI_LIST(type, name)
#define PETRI_VALUE(type, name)
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
    default: return false;
  }
}

// Whether one may stand for the other. Equal numbers may not where their signs differ: 0 and -0 do.
template <class T>
bool identical(const T& one, const T& other) {
  return one == other;
}
bool identical(double one, double other) {
  return one == other && std::signbit(one) == std::signbit(other);
}
bool identical(const std::vector<double>& one, const std::vector<double>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](double a, double b) { return identical(a, b); });
}
bool identical(const std::optional<Fill>& one, const std::optional<Fill>& other) {
  return one == other && (!one || identical(one->scale, other->scale));
}
bool identical(const std::optional<Summary>& one, const std::optional<Summary>& other) {
  if (one != other || !one) return one == other;
  for (const auto member : {&Summary::min, &Summary::max, &Summary::sum, &Summary::norm})
    if ((*one).*member && !identical(*((*one).*member), *((*other).*member))) return false;
  return true;
}

}  // namespace

void EventExtras::take(Block* block) {
  Block* old = std::exchange(block_, block);
  if (old == nullptr || !old->leave()) return;
  for (std::size_t i = 0; i < old->size; ++i) let_go(old->names()[i], old->slots()[i]);
  old->~Block();
  ::operator delete(old);
}

void EventExtras::let_go(Extra name, Slot slot) {
  if (is_number(name) || !slot.shared->leave()) return;
  switch (name) {
#define PETRI_NUMBER(type, name, none)
#define PETRI_LIST(type, name) \
  case Extra::name:            \
    return PackedBlock::free(static_cast<const PackedBlock*>(slot.shared));
#define PETRI_VALUE(type, name)                                \
  case Extra::name:                                            \
    delete static_cast<const SharedValue<type>*>(slot.shared); \
    return;
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
    default: return;
  }
}

bool EventExtras::same(Extra name, Slot one, Slot other) {
  if (one.number == other.number) return true;
  switch (name) {
#define PETRI_NUMBER(type, name, none)
#define PETRI_LIST(type, name)                                                 \
  case Extra::name:                                                            \
    return PackedNumbers<type>(static_cast<const PackedBlock*>(one.shared)) == \
           PackedNumbers<type>(static_cast<const PackedBlock*>(other.shared));
#define PETRI_VALUE(type, name)                                                \
  case Extra::name:                                                            \
    return identical(static_cast<const SharedValue<type>*>(one.shared)->value, \
                     static_cast<const SharedValue<type>*>(other.shared)->value);
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
    default: return false;
  }
}

bool EventExtras::operator==(const EventExtras& other) const {
  if (block_ == other.block_) return true;
  if (block_ == nullptr || other.block_ == nullptr || block_->size != other.block_->size) return false;
  for (std::size_t i = 0; i < block_->size; ++i) {
    const Extra name = block_->names()[i];
    if (name != other.block_->names()[i] || !same(name, block_->slots()[i], other.block_->slots()[i])) return false;
  }
  return true;
}

EventExtras::Block* EventExtras::rebuilt(Extra name, bool there) const {
  const std::size_t old = block_ != nullptr ? block_->size : 0;
  const std::size_t size = old + (there ? 1 : 0) - (find(name) != nullptr ? 1 : 0);
  if (size == 0) return nullptr;
  auto* block = new (::operator new(bytes_of(size))) Block;
  block->size = static_cast<std::uint8_t>(size);
  Extra* names = block->names();
  Slot* slots = block->slots();
  std::size_t i = 0;
  const auto copy = [&] {
    *names++ = block_->names()[i];
    *slots = block_->slots()[i];
    if (!is_number(block_->names()[i])) slots->shared->join();
    ++slots, ++i;
  };
  while (i < old && block_->names()[i] < name) copy();
  if (i < old && block_->names()[i] == name) ++i;
  if (there) {
    *names++ = name;
    ++slots;
  }
  while (i < old) copy();
  return block;
}

void EventExtras::put(Extra name, Slot slot) {
  const Slot* old = find(name);
  if (old == nullptr || !block_->has_one_owner())
    take(rebuilt(name, true));
  else
    let_go(name, *old);
  *const_cast<Slot*>(find(name)) = slot;
}

void EventExtras::remove(Extra name) {
  if (find(name) != nullptr) take(rebuilt(name, false));
}

void EventExtras::put_list(Extra name, std::span<const std::uint64_t> numbers) {
  if (numbers.empty()) return remove(name);
  Slot slot;
  slot.shared = PackedBlock::make(numbers);
  put(name, slot);
}

}  // namespace petri
