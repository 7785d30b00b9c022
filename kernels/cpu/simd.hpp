// Which vector instructions the kernels use: the widest that the processor has, unless told otherwise.
#pragma once

#include <string>
#include <vector>

namespace petri::kernels {

// The kinds that this processor has and kernels are compiled for, the widest first, by Google Highway's names: "AVX3"
// (AVX-512), "AVX2", "SSE4" …
std::vector<std::string> simd_names();

// All kernels, on all threads, use this kind as long as it lives: a plain sum's bits depend on it. One at a time, and
// not while a kernel runs. Throws std::invalid_argument for a name that is not among the above.
class ForcedSimd {
 public:
  explicit ForcedSimd(const std::string& name);
  ~ForcedSimd();
  ForcedSimd(const ForcedSimd&) = delete;
  ForcedSimd& operator=(const ForcedSimd&) = delete;
};

}  // namespace petri::kernels
