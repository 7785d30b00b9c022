#include "kernels/order/allowance.hpp"

namespace petri::order {
namespace {

thread_local Allowance* innermost = nullptr;

}  // namespace

Allowance::Allowance(std::uint64_t bytes) : outer_(innermost), left_(bytes) {
  innermost = this;
}

Allowance::~Allowance() {
  innermost = outer_;
}

void Allowance::spend(std::uint64_t bytes) {
  require(bytes);
  if (innermost != nullptr) innermost->left_ -= bytes;
}

void Allowance::require(std::uint64_t bytes) {
  if (innermost != nullptr && bytes > innermost->left_) throw TooLarge("the order is larger than it may be");
}

}  // namespace petri::order
