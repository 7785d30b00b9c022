#include "kernels/cpu/sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/cpu/element_types.hpp"
#include "kernels/cpu/vector_sums.hpp"

namespace petri::kernels {
namespace {

constexpr std::array<std::string_view, 7> kNames{"plain",        "pairwise", "compensated", "exact",
                                                 "reproducible", "atomic",   "arrival"};
static_assert(static_cast<std::size_t>(SumKernel::arrival) + 1 == kNames.size());

// Adds nothing to any number, zeros of either sign included.
template <class T>
constexpr T kNothing = -T{0};

template <class T>
T wrapping_sum(std::span<const T> elements) {
  std::make_unsigned_t<T> total = 0;
  for (const T element : elements) total += static_cast<std::make_unsigned_t<T>>(element);
  return static_cast<T>(total);
}

template <class T>
T together(const Compensated<T>& sum) {
  // No correction of an infinity, nor of the sign of a zero.
  return sum.tail == 0 || !std::isfinite(sum.head) ? sum.head : sum.head + sum.tail;
}

// `part(elements)` on each member's part, in the order of members.
template <class Result, class T, class Part>
std::vector<Result> parts_of(std::span<const T> elements, Team& team, Part part) {
  std::vector<Result> results(static_cast<std::size_t>(team.size()));
  team.run(
      [&](int member) { results[static_cast<std::size_t>(member)] = part(part_of(elements, member, team.size())); });
  return results;
}

template <class T>
T exact(std::span<const T> elements, Team& team) {
  const auto parts = parts_of<ExactSum<T>>(elements, team, [](std::span<const T> part) {
    ExactSum<T> sum;
    sum.add(part);
    return sum;
  });
  ExactSum<T> all;
  for (const ExactSum<T>& part : parts) all.add(part);
  return all.rounded();
}

template <class T, class Part>
T rounded(std::span<const T> elements, Team& team, Part part) {
  T all = kNothing<T>;
  for (const T sum : parts_of<T>(elements, team, part)) all += sum;
  return all;
}

template <class T>
T compensated(std::span<const T> elements, Team& team) {
  const auto parts = parts_of<Compensated<T>>(
      elements, team, [](std::span<const T> part) { return compensated_vector_sum(part.data(), part.size()); });
  std::vector<T> heads;
  for (const Compensated<T>& part : parts) heads.push_back(part.head);
  Compensated<T> all = compensated_vector_sum(heads.data(), heads.size());
  for (const Compensated<T>& part : parts) all.tail += part.tail;
  return together(all);
}

template <class T>
T atomic(std::span<const T> elements, Team& team) {
  T all = kNothing<T>;
  team.run([&](int member) {
    const std::atomic_ref<T> place(all);
    for (const T element : part_of(elements, member, team.size())) place.fetch_add(element, std::memory_order_relaxed);
  });
  return all;
}

template <class T>
T arrival(std::span<const T> elements, Team& team) {
  T all = kNothing<T>;
  team.run([&](int member) {
    const auto part = part_of(elements, member, team.size());
    const T sum = plain_vector_sum(part.data(), part.size());
    std::atomic_ref<T>(all).fetch_add(sum, std::memory_order_relaxed);
  });
  return all;
}

template <class T>
T sum_of_floats(SumKernel kernel, std::span<const T> elements, Team& team) {
  const auto plain = [](std::span<const T> part) { return plain_vector_sum(part.data(), part.size()); };
  const auto pairwise = [](std::span<const T> part) { return pairwise_vector_sum(part.data(), part.size()); };
  switch (kernel) {
    case SumKernel::pairwise: return rounded(elements, team, pairwise);
    case SumKernel::compensated: return compensated(elements, team);
    case SumKernel::atomic: return atomic(elements, team);
    case SumKernel::arrival: return arrival(elements, team);
    default: return rounded(elements, team, plain);
  }
}

}  // namespace

std::string_view name_of(SumKernel kernel) {
  return kNames.at(static_cast<std::size_t>(kernel));
}

std::optional<SumKernel> sum_kernel_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<SumKernel>(i);
  return std::nullopt;
}

template <class T>
T sum(SumKernel kernel, std::span<const T> elements, Team& team) {
  if (elements.empty()) return T(0);
  if constexpr (std::is_integral_v<T>) {
    return wrapping_sum(elements);
  } else {
    if (kernel == SumKernel::exact || kernel == SumKernel::reproducible) return exact(elements, team);
    if constexpr (is_half<T>) {
      std::vector<float> wide(elements.size());
      std::transform(elements.begin(), elements.end(), wide.begin(), [](T x) { return static_cast<float>(x); });
      return static_cast<T>(sum_of_floats<float>(kernel, wide, team));
    } else {
      return sum_of_floats(kernel, elements, team);
    }
  }
}

template <class T>
T sum(SumKernel kernel, std::span<const T> elements) {
  Team alone;
  return sum(kernel, elements, alone);
}

bool sum(SumKernel kernel, ElementType type, const void* elements, std::size_t count, Team& team, void* result) {
  return with_type(
      type,
      [&](auto tag) {
        using T = typename decltype(tag)::type;
        *static_cast<T*>(result) = sum(kernel, std::span<const T>(static_cast<const T*>(elements), count), team);
        return true;
      },
      [] { return false; });
}

#define PETRI_SUM(T)                                    \
  template T sum(SumKernel, std::span<const T>, Team&); \
  template T sum(SumKernel, std::span<const T>);
PETRI_SUM(float)
PETRI_SUM(double)
PETRI_SUM(Eigen::half)
PETRI_SUM(Eigen::bfloat16)
PETRI_SUM(std::int32_t)
PETRI_SUM(std::int64_t)

}  // namespace petri::kernels
