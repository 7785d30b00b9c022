// What NCCL's kernels do with two operands, on the host: the bits that its device code gives.
//
// Sources: src/device/reduce_kernel.h (the operations), src/enqueue.cc, hostToDevRedOp (what an average is),
// src/device/symmetric/primitives.cuh, ncclSymkAccumType (what symmetric kernels accumulate in), alike in NCCL 2.28 to
// 2.30; cuda_fp16.h and the PTX instruction set for what the instructions do.
//
// - Sums and products round to the type of the elements after each step, to nearest, and keep subnormals. A NaN among
//   the results is the device's one NaN, 0x7fffffff or 0x7fff, whatever its operands were. For float64 the payload of a
//   NaN is that of the host; no source says what a device gives.
// - min and max are fminf, fmaxf, __hmin and __hmax: of a number and a NaN the number, of two NaNs the device's one,
//   and -0 is below +0. So no operand is preferred, and results do not depend on which one is on the left. This is the
//   same on all architectures: below compute capability 8.0 halves are compared as float32, which gives the same bits.
// - An average of floating elements multiplies each contribution by fl(1/ranks) (ncclDevPreMulSum), in the type of the
//   elements. The compiler fuses this with the addition that follows: in libnccl 2.28.9 for CUDA 13, Simple and LL hold
//   FFMA, DFMA and HFMA2 there for compute capabilities 8.0, 9.0 and 10.0. In LL128 halves are not fused, and of
//   float32 and float64 some words of a line are, others on other architectures: see averages_vary.
// - An average of integers divides the sum, towards zero (ncclDevSumPostDiv).
// - Symmetric kernels without multicast sum halves in float32, and round once. They have sums only, and from 2.30 on an
//   average in a reduce-scatter, which multiplies the sum by fl(1/ranks) before it is rounded.
// - float8 is computed in float16 and rounded to float8 after each step; no kernel here computes in it.
#pragma once

#include <optional>

#include "kernels/cpu/arithmetic.hpp"

namespace petri::kernels {

enum class NcclKernel : unsigned char {
  simple,  // and LL: they combine alike
  ll128,
  symmetric,  // without multicast
};

// For float16, bfloat16, float32, float64, int32 and int64; nothing for what NCCL does not do.
std::optional<Arithmetic> nccl_arithmetic(ElementType element, ReduceOp op, NcclKernel kernel);

// An average whose rounding depends on the architecture that the library was compiled for; the arithmetic above scales
// before it adds.
bool averages_vary(ElementType element, NcclKernel kernel);

}  // namespace petri::kernels
