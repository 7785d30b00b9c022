// A map from MPI handles to small values: open addressing, linear probing, deletion by shifting back. No exceptions and
// no C++ run-time library, so that it can live inside any process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace petri::record {

// MPI handles are pointers in Open MPI and integers elsewhere.
template <class Handle>
std::uintptr_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uintptr_t>(static_cast<std::uint32_t>(handle)) | (std::uintptr_t{1} << 32);
  }
}

inline std::size_t hash_of(std::uintptr_t key) {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ull) >> 20);
}

// Keys are not 0. Values are trivially copyable; a pointer to one stays valid until the next insert or erase.
template <class Value>
class PointerMap {
 public:
  Value* find(std::uintptr_t key) {
    if (size_ == 0) return nullptr;
    for (std::size_t i = hash_of(key) & mask_;; i = (i + 1) & mask_) {
      if (places_[i].key == key) return &places_[i].value;
      if (places_[i].key == 0) return nullptr;
    }
  }

  // Replaces what the key had. Nothing when there is no memory.
  Value* insert(std::uintptr_t key, const Value& value) {
    if (2 * (size_ + 1) > capacity() && !grow()) return nullptr;
    std::size_t i = hash_of(key) & mask_;
    while (places_[i].key != 0 && places_[i].key != key) i = (i + 1) & mask_;
    if (places_[i].key == 0) ++size_;
    places_[i] = {key, value};
    return &places_[i].value;
  }

  void erase(std::uintptr_t key) {
    if (size_ == 0) return;
    std::size_t hole = hash_of(key) & mask_;
    while (places_[hole].key != key) {
      if (places_[hole].key == 0) return;
      hole = (hole + 1) & mask_;
    }
    --size_;
    for (std::size_t i = (hole + 1) & mask_; places_[i].key != 0; i = (i + 1) & mask_) {
      const std::size_t home = hash_of(places_[i].key) & mask_;
      // The entry may move back only where that does not put it before its home.
      if (((i - home) & mask_) >= ((i - hole) & mask_)) {
        places_[hole] = places_[i];
        hole = i;
      }
    }
    places_[hole].key = 0;
  }

 private:
  struct Place {
    std::uintptr_t key;
    Value value;
  };

  std::size_t capacity() const { return places_ == nullptr ? 0 : mask_ + 1; }

  bool grow() {
    const std::size_t wanted = places_ == nullptr ? 1024 : 2 * capacity();
    auto* fresh = static_cast<Place*>(std::calloc(wanted, sizeof(Place)));
    if (fresh == nullptr) return false;
    for (std::size_t i = 0; i < capacity(); ++i) {
      if (places_[i].key == 0) continue;
      std::size_t to = hash_of(places_[i].key) & (wanted - 1);
      while (fresh[to].key != 0) to = (to + 1) & (wanted - 1);
      fresh[to] = places_[i];
    }
    std::free(places_);
    places_ = fresh;
    mask_ = wanted - 1;
    return true;
  }

  Place* places_ = nullptr;
  std::size_t mask_ = 0, size_ = 0;
};

}  // namespace petri::record
