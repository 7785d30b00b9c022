// Equal rare arguments kept once: in a large job, many ranks and steps name the same streams, requests and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/trace/event_extras.hpp"

namespace petri {

// It remembers what it saw last, in bounded room: of equal arguments far apart, each may be kept.
class ExtrasPool {
 public:
  // Lets `extras`, or its lists and texts, share what is equal and was seen before. Takes time of the order of its
  // lists.
  void share(EventExtras& extras);

 private:
  // One list or text, and what kind it is of.
  class Part {
   public:
    Part() = default;
    Part(Extra kind, EventExtras::Slot slot) : kind_(kind), slot_(slot) {}
    Part(Part&& other) noexcept : kind_(other.kind_), slot_(std::exchange(other.slot_, {})) {}
    Part& operator=(Part other) noexcept {
      std::swap(kind_, other.kind_);
      std::swap(slot_, other.slot_);
      return *this;
    }
    ~Part() {
      if (slot_.shared != nullptr) EventExtras::let_go(kind_, slot_);
    }
    bool holds(Extra kind, EventExtras::Slot slot) const {
      return slot_.shared != nullptr && kind == kind_ && EventExtras::same(kind, slot, slot_);
    }
    EventExtras::Slot slot() const { return slot_; }

   private:
    Extra kind_{};
    EventExtras::Slot slot_{};
  };

  // The latest one of each hash that has a place of its own. Grows with use, up to a limit.
  template <class Entry>
  class Latest {
   public:
    Entry& at(std::uint64_t hash);

   private:
    std::vector<std::pair<std::uint64_t, Entry>> places_;
    std::size_t taken_ = 0;
  };

  // By what it says; of what is not shared by itself, by what it is.
  static std::uint64_t hash_of(Extra name, EventExtras::Slot slot);
  void share_part(Extra kind, std::uint64_t hash, EventExtras::Slot& slot);

  Latest<EventExtras> extras_;
  Latest<Part> lists_, texts_;
};

}  // namespace petri
