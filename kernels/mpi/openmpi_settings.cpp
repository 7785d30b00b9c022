#include "kernels/mpi/openmpi_settings.hpp"

#include <mpi.h>

#include <cstring>

namespace petri::mpi {
namespace {

using order::openmpi::Collective;
using order::openmpi::Component;
using order::openmpi::Invocation;

// A control variable (MPI 4.1, section 15.3.6) that is a number of 4 or 8 bytes.
std::optional<std::int64_t> parameter(const std::string& name) {
  int index = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return std::nullopt;
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  std::int64_t value = 0;
  const bool read = count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  if (!read) return std::nullopt;
  return value;
}

std::int64_t number(const std::string& name, std::int64_t otherwise = 0) {
  return parameter(name).value_or(otherwise);
}

std::int32_t small_number(const std::string& name, std::int32_t otherwise = 0) {
  return static_cast<std::int32_t>(number(name, otherwise));
}

Component component_in_force() {
  const std::int64_t tuned = number("coll_tuned_priority", 30);
  if (number("coll_sm_priority") > tuned) return Component::sm;
  if (number("coll_han_priority") > tuned) return Component::han;
  if (number("coll_adapt_priority") > tuned) return Component::adapt;
  return Component::usual;
}

}  // namespace

std::optional<std::string> library_series() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return order::openmpi::version_of({text, static_cast<std::size_t>(length)});
}

Invocation invocation_in_force(Collective collective) {
  const std::string name(order::openmpi::kCollectiveNames[static_cast<std::size_t>(collective)]);
  Invocation how{.collective = collective, .component = component_in_force()};
  if (how.component == Component::adapt) {
    how.algorithm = small_number("coll_adapt_reduce_algorithm");
  } else if (how.component != Component::usual) {
    // Their algorithms have no numbers.
  } else if (collective == Collective::iallreduce || collective == Collective::ireduce) {
    how.algorithm = small_number("coll_libnbc_" + name + "_algorithm");
  } else if (number("coll_tuned_use_dynamic_rules") != 0) {
    const std::string prefix = "coll_tuned_" + name + "_algorithm";
    how.algorithm = small_number(prefix);
    how.segment_bytes = static_cast<std::uint64_t>(number(prefix + "_segmentsize"));
    how.fanout = small_number(prefix + "_chain_fanout", 4);
  }
  return how;
}

std::uint32_t vector_support() {
  return static_cast<std::uint32_t>(number("op_avx_support"));
}

}  // namespace petri::mpi
