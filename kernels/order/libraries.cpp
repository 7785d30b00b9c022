#include "kernels/order/libraries.hpp"

#include <algorithm>
#include <array>

#include "kernels/order/nccl.hpp"
#include "kernels/order/openmpi_names.hpp"

namespace petri::order {

std::span<const Library> libraries() {
  static const std::array all{
      Library{"nccl", nccl::reduction, nccl::lines()},
      Library{"openmpi", openmpi::reduction, openmpi::lines()},
  };
  return all;
}

std::optional<Reduction> reduction_of_library(std::string_view name, const Shape& shape, ReduceOp op) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view head = name.substr(0, slash), what = name.substr(slash + 1);
  const auto dash = head.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::span<const Library> all = libraries();
  const auto library =
      std::find_if(all.begin(), all.end(), [&](const Library& l) { return l.name == head.substr(0, dash); });
  if (library == all.end()) return std::nullopt;
  auto reduction = library->reduction(head.substr(dash + 1), what, shape, op);
  if (reduction) reduction->order.name = std::string(name);
  return reduction;
}

}  // namespace petri::order
