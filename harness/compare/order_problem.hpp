// Why a name is no order here, in words for its user.
#pragma once

#include <string>
#include <string_view>

#include "kernels/order/catalogue.hpp"

namespace petri::compare {

// One line for a name that order::reduction_named makes nothing of: what is asked for, the reason, and the nearest name
// that is one, where there is one near: "there is no order 'rnig' for float32 sum on 8 ranks: no order is called
// 'rnig'; did you mean 'ring'?"
std::string text_of_problem(std::string_view name, const order::Shape& shape, ReduceOp op);

}  // namespace petri::compare
