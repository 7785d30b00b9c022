// A row of plain values that grows and keeps its memory when it is emptied. Internal to harness/import.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace petri {

// Unlike a vector it leaves new values as they are, and taking one back is moving an index. An index stands for a
// value; pointers hold until the next one is claimed.
template <class T>
class Slab {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T& operator[](std::size_t index) { return values_[index]; }
  const T& operator[](std::size_t index) const { return values_[index]; }
  T& back() { return values_[size_ - 1]; }

  void push(const T& value) {
    if (size_ == room_) {
      const T kept = value;  // may be one of ours
      grow(size_ + 1);
      values_[size_++] = kept;
    } else {
      values_[size_++] = value;
    }
  }
  // `count` values at the end, to be written by the caller.
  T* claim(std::size_t count) {
    if (room_ - size_ < count) grow(size_ + count);
    size_ += count;
    return values_.get() + size_ - count;
  }
  void cut_to(std::size_t size) { size_ = size; }

 private:
  void grow(std::size_t least) {
    const std::size_t room = std::max({least, room_ * 2, std::size_t{64}});
    auto larger = std::make_unique_for_overwrite<T[]>(room);
    if (size_ > 0) std::memcpy(static_cast<void*>(larger.get()), values_.get(), size_ * sizeof(T));
    values_ = std::move(larger);
    room_ = room;
  }

  std::unique_ptr<T[]> values_;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace petri
