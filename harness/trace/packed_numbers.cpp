#include "harness/trace/packed_numbers.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

namespace petri {
namespace {

constexpr std::size_t kMostNumbers = (std::size_t{1} << 30) - 1;  // as its size has room for

template <class Number>
void store(std::span<const std::uint64_t> numbers, std::byte* place) {
  for (const std::uint64_t wide : numbers) {
    const auto number = static_cast<Number>(wide);
    std::memcpy(place, &number, sizeof number);
    place += sizeof number;
  }
}

}  // namespace

PackedBlock* PackedBlock::make(std::span<const std::uint64_t> numbers) {
  if (numbers.size() > kMostNumbers) throw std::length_error("too long a list of numbers");
  const std::uint64_t greatest = *std::max_element(numbers.begin(), numbers.end());
  const int needed = std::max<int>((static_cast<int>(std::bit_width(greatest)) + 7) / 8, 1);
  const std::size_t width = std::bit_ceil(static_cast<std::size_t>(needed));
  auto* block = new (::operator new(sizeof(PackedBlock) + numbers.size() * width)) PackedBlock;
  block->size = numbers.size() & kMostNumbers;
  block->log_width = static_cast<unsigned>(std::countr_zero(width)) & 3U;
  auto* place = reinterpret_cast<std::byte*>(block + 1);
  switch (width) {
    case 1: store<std::uint8_t>(numbers, place); break;
    case 2: store<std::uint16_t>(numbers, place); break;
    case 4: store<std::uint32_t>(numbers, place); break;
    default: store<std::uint64_t>(numbers, place); break;
  }
  return block;
}

void PackedBlock::free(const PackedBlock* block) {
  block->~PackedBlock();
  ::operator delete(const_cast<PackedBlock*>(block));
}

}  // namespace petri
