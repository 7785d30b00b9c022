#include "kernels/order/determinism.hpp"

namespace petri::order {

std::string_view name_of(Determinism determinism) {
  switch (determinism) {
    case Determinism::not_guaranteed: return "not_guaranteed";
    case Determinism::run_to_run: return "run_to_run";
    case Determinism::gpu_to_gpu: return "gpu_to_gpu";
    case Determinism::order_invariant: return "order_invariant";
  }
  return "not_guaranteed";
}

}  // namespace petri::order
