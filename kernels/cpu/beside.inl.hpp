// Additions beside others, in the units that multiply. Included once for each kind of vector instructions, behind
// Highway's own headers: hence no #pragma once.
//
// a + b as the product of one of them with 1 is rounded once as well: it is the same to the bit. Some processors (AMD's
// since Zen) add and multiply in different units, and half of these stand idle while all that is done is to add. Only
// for AVX-512, which has registers for the 1; and with a 1 that the compiler does not know, or it would make an
// addition of the product.
#if defined(PETRI_KERNELS_CPU_BESIDE) == defined(HWY_TARGET_TOGGLE)
#ifdef PETRI_KERNELS_CPU_BESIDE
#undef PETRI_KERNELS_CPU_BESIDE
#else
#define PETRI_KERNELS_CPU_BESIDE
#endif

HWY_BEFORE_NAMESPACE();
namespace petri::kernels::HWY_NAMESPACE {

using DoubleVector = hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::ScalableTag<double>>;

#if HWY_TARGET <= HWY_AVX3

static volatile const double unknown_one = 1;
HWY_INLINE DoubleVector one() {
  return hwy::HWY_NAMESPACE::Set(hwy::HWY_NAMESPACE::ScalableTag<double>{}, unknown_one);
}
HWY_INLINE DoubleVector add_beside(DoubleVector a, DoubleVector b, DoubleVector one) {
  return hwy::HWY_NAMESPACE::MulAdd(b, one, a);
}
HWY_INLINE DoubleVector sub_beside(DoubleVector a, DoubleVector b, DoubleVector one) {
  return hwy::HWY_NAMESPACE::MulSub(a, one, b);
}

#else

HWY_INLINE DoubleVector one() {
  return hwy::HWY_NAMESPACE::Zero(hwy::HWY_NAMESPACE::ScalableTag<double>{});
}
HWY_INLINE DoubleVector add_beside(DoubleVector a, DoubleVector b, DoubleVector) {
  return hwy::HWY_NAMESPACE::Add(a, b);
}
HWY_INLINE DoubleVector sub_beside(DoubleVector a, DoubleVector b, DoubleVector) {
  return hwy::HWY_NAMESPACE::Sub(a, b);
}

#endif

}  // namespace petri::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
