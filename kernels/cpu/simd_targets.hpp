// Which vector instructions kernels are compiled for. To be included before Highway's own headers.
#pragma once

// Left out: kinds that add nothing here to another of the same width, and those whose vectors have no size known to the
// compiler, so that they could not be members. (A name that a version of Highway does not know counts as zero.)
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/detect_targets.h>

#ifndef HWY_AVX3_ZEN4
#define HWY_AVX3_ZEN4 0
#endif
#ifndef HWY_AVX3_SPR
#define HWY_AVX3_SPR 0
#endif
