// The libraries whose orders are in the catalogue: LIBRARY-VERSION/WHAT, e.g. "nccl-2.30/allreduce/ring:2".
//
// A library is one line in libraries.cpp and one file, whose header says what WHAT may be. A release number behind the
// series counts for nothing: 2.28.9 is 2.28.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/order/catalogue.hpp"

namespace petri::order {

struct Library {
  std::string_view name;  // in front of the version, e.g. "nccl"
  // The order that `what` names, in the arithmetic that this library computes in; nothing where there is none. A
  // version that the library's tables do not hold gives the order of the nearest one, and is `not_guaranteed`.
  std::optional<Reduction> (*reduction)(std::string_view version, std::string_view what, const Shape& shape,
                                        ReduceOp op);
  // Why `reduction` gives nothing. The parts of a name are those of `what`.
  NameProblem (*problem)(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op);
  // Each form begins with a name that is in the catalogue as it stands, up to its first bracket.
  std::span<const CatalogueLine> lines;
};

std::span<const Library> libraries();

// "2.28" of "2.28" and of "2.28.9": orders are kept by series. Nothing for what is no version.
std::optional<std::string_view> series_of(std::string_view version);

// `name` is LIBRARY-VERSION/WHAT. Names the order so.
std::optional<Reduction> reduction_of_library(std::string_view name, const Shape& shape, ReduceOp op);
NameProblem problem_of_library(std::string_view name, const Shape& shape, ReduceOp op);

}  // namespace petri::order
