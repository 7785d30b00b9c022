// The types that kernels compute in, and a way from the name of a type to the type itself.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/types/element_type.hpp"

namespace petri::kernels {

template <class T>
struct TypeTag {
  using type = T;
};

// Calls `visit(TypeTag<T>{})` for the C++ type of `type`, and `otherwise()` for types that no kernel computes in.
template <class Visit, class Otherwise>
auto with_type(ElementType type, Visit visit, Otherwise otherwise) {
  switch (type) {
    case ElementType::float16: return visit(TypeTag<Eigen::half>{});
    case ElementType::bfloat16: return visit(TypeTag<Eigen::bfloat16>{});
    case ElementType::float32: return visit(TypeTag<float>{});
    case ElementType::float64: return visit(TypeTag<double>{});
    case ElementType::int32: return visit(TypeTag<std::int32_t>{});
    case ElementType::int64: return visit(TypeTag<std::int64_t>{});
    default: return otherwise();
  }
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

}  // namespace petri::kernels
