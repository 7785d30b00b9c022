// The predefined operations of Open MPI 4.1 as an arithmetic: the same bits as ompi/mca/op/base and ompi/mca/op/avx
// give, computed without the vectors that the library would use.
//
// Where the library has its AVX component, a call works through vectors as long as they are full, and through single
// elements after that. In the vectors, `in < out ? in : out` keeps the right side (inoutvec) of two zeros and where
// either side is NaN, as the processor's minps does; for single elements it is `out < in ? out : in`, which keeps the
// left one. Of two NaNs that are added or multiplied, vectors keep the left one and single elements the right one; the
// sources leave that to the compiler, and it was measured with 4.1.4 of Debian 12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/cpu/arithmetic.hpp"

namespace petri::kernels {

// The bits of the library's parameter op_avx_support.
namespace openmpi_support {
inline constexpr std::uint32_t sse = 0x1, sse2 = 0x2, avx = 0x10, avx2 = 0x20, avx512f = 0x100;
inline constexpr std::uint32_t usual = 0x3F;  // of each processor with AVX2; wider vectors leave the same tails
}  // namespace openmpi_support

// Bytes of the narrowest vectors that a call fills before it turns to single elements; 0: it has no vectors.
std::size_t openmpi_vector_bytes(ElementType element, std::uint32_t support = openmpi_support::usual);

// sum, prod, min and max of float32, float64, int32 and int64; nothing for other operations, and for types that
// the library has no operations for (float16 and bfloat16).
std::optional<Arithmetic> openmpi_arithmetic(ElementType element, ReduceOp op,
                                             std::uint32_t support = openmpi_support::usual);

}  // namespace petri::kernels
