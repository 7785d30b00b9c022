#include "kernels/order/libraries.hpp"

#include <algorithm>
#include <array>

#include "kernels/order/nccl.hpp"
#include "kernels/order/openmpi_names.hpp"

namespace petri::order {
std::optional<std::string_view> series_of(std::string_view version) {
  std::size_t numbers = 0, end_of_series = 0;
  for (std::size_t at = 0; at <= version.size();) {
    const std::size_t end = std::min(version.find('.', at), version.size());
    if (end == at || version.substr(at, end - at).find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    if (++numbers == 2) end_of_series = end;
    at = end + 1;
  }
  if (numbers < 2) return std::nullopt;
  return version.substr(0, end_of_series);
}

std::span<const Library> libraries() {
  static const std::array all{
      Library{"nccl", nccl::reduction, nccl::problem, nccl::lines()},
      Library{"openmpi", openmpi::reduction, openmpi::problem, openmpi::lines()},
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
  const auto series = series_of(head.substr(dash + 1));
  if (library == all.end() || !series) return std::nullopt;
  auto reduction = library->reduction(*series, what, shape, op);
  if (reduction) reduction->order.name = std::string(name);
  return reduction;
}

NameProblem problem_of_library(std::string_view name, const Shape& shape, ReduceOp op) {
  const std::string head(name.substr(0, name.find('/'))), what(name.substr(std::min(name.size(), head.size() + 1)));
  const auto dash = head.find('-');
  const std::string series = dash == std::string::npos ? "" : head.substr(dash + 1);
  const std::span<const Library> all = libraries();
  const auto library =
      std::find_if(all.begin(), all.end(), [&](const Library& l) { return l.name == head.substr(0, dash); });
  if (library == all.end()) {
    NameProblem problem{"no library is called '" + head.substr(0, dash) + "'", "", head.substr(0, dash),
                        std::string(name.substr(std::min(dash, head.size())))};
    for (const Library& known : all) problem.known.push_back(known.name);
    return problem;
  }
  const std::string_view form = library->lines.front().form;
  const std::string example(form.substr(0, form.find('/')));
  if (dash == std::string::npos)
    return {"a library's version stands behind its name", "", "", "", {}, example + "/" + what};
  if (!series_of(series)) return {"'" + series + "' is no version, as in " + example, "", "", ""};
  NameProblem problem = library->problem(*series_of(series), what, shape, op);
  problem.before = head + "/" + problem.before;
  if (!problem.meant.empty()) problem.meant = head + "/" + problem.meant;
  return problem;
}

}  // namespace petri::order
