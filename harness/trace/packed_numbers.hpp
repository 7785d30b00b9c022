// Lists of whole numbers, kept in as few bytes each as the greatest needs: counts, ranks, requests of large jobs.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

namespace petri {

// What several owners share, one when it is made. It does not change while they are several.
class Shared {
 public:
  void join() const { owners_.fetch_add(1, std::memory_order_relaxed); }
  // Whether that was the last owner, who has to free it.
  bool leave() const { return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool has_one_owner() const { return owners_.load(std::memory_order_acquire) == 1; }

 private:
  mutable std::atomic<std::uint32_t> owners_{1};
};

// A list in one block: the numbers follow, each in 1, 2, 4 or 8 bytes. Equal lists of one type have equal bytes.
struct PackedBlock : Shared {
  std::uint32_t size : 30 = 0;
  std::uint32_t log_width : 2 = 0;

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }
  std::size_t bytes() const { return std::size_t{size} << log_width; }
  std::uint64_t at(std::size_t index) const {
    const std::byte* place = data() + (index << log_width);
    const auto load = [&](auto number) {
      std::memcpy(&number, place, sizeof number);
      return static_cast<std::uint64_t>(number);
    };
    switch (log_width) {
      case 0: return load(std::uint8_t{});
      case 1: return load(std::uint16_t{});
      case 2: return load(std::uint32_t{});
      default: return load(std::uint64_t{});
    }
  }

  // At least one number; negative ones as the unsigned ones of their type. Its end is `free`.
  static PackedBlock* make(std::span<const std::uint64_t> numbers);
  static void free(const PackedBlock* block);
};

// A look at such a list, as cheap to copy as a pointer; nothing where the list is empty. Good as long as its owner is.
template <class T>
class PackedNumbers {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using const_reference = T;

  class const_iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = T;
    const_iterator() = default;
    const_iterator(const PackedBlock* block, difference_type index) : block_(block), index_(index) {}
    T operator*() const { return static_cast<T>(block_->at(static_cast<std::size_t>(index_))); }
    T operator[](difference_type offset) const { return *(*this + offset); }
    const_iterator& operator+=(difference_type offset) { return index_ += offset, *this; }
    const_iterator& operator-=(difference_type offset) { return index_ -= offset, *this; }
    const_iterator& operator++() { return ++index_, *this; }
    const_iterator& operator--() { return --index_, *this; }
    const_iterator operator++(int) { return {block_, index_++}; }
    const_iterator operator--(int) { return {block_, index_--}; }
    friend const_iterator operator+(const_iterator at, difference_type offset) { return at += offset; }
    friend const_iterator operator+(difference_type offset, const_iterator at) { return at += offset; }
    friend const_iterator operator-(const_iterator at, difference_type offset) { return at -= offset; }
    friend difference_type operator-(const_iterator a, const_iterator b) { return a.index_ - b.index_; }
    friend bool operator==(const_iterator a, const_iterator b) { return a.index_ == b.index_; }
    friend auto operator<=>(const_iterator a, const_iterator b) { return a.index_ <=> b.index_; }

   private:
    const PackedBlock* block_ = nullptr;
    difference_type index_ = 0;
  };
  using iterator = const_iterator;

  PackedNumbers() = default;
  explicit PackedNumbers(const PackedBlock* block) : block_(block) {}

  std::size_t size() const { return block_ != nullptr ? block_->size : 0; }
  bool empty() const { return block_ == nullptr; }
  T operator[](std::size_t index) const { return static_cast<T>(block_->at(index)); }
  T front() const { return (*this)[0]; }
  T back() const { return (*this)[size() - 1]; }
  const_iterator begin() const { return {block_, 0}; }
  const_iterator end() const { return {block_, static_cast<std::ptrdiff_t>(size())}; }
  // One to change, or to keep beyond the owner.
  std::vector<T> vector() const { return {begin(), end()}; }
  operator std::vector<T>() const { return vector(); }

  friend bool operator==(PackedNumbers a, PackedNumbers b) {
    if (a.block_ == b.block_) return true;
    return a.size() == b.size() && a.block_->log_width == b.block_->log_width &&
           std::memcmp(a.block_->data(), b.block_->data(), a.block_->bytes()) == 0;
  }

 private:
  const PackedBlock* block_ = nullptr;
};

}  // namespace petri
