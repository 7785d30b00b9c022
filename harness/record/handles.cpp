#include "harness/record/handles.hpp"

#include <dlfcn.h>

#include <cstring>

#if !defined(OPEN_MPI)
#error "The recorder knows the handles of Open MPI only"
#endif

namespace petri::record {

Handles handles;

namespace {

struct NamedType {
  const char* symbol;
  ElementType type;
};

using enum ElementType;

constexpr NamedType kTypes[] = {
    {"byte", byte},
    {"packed", packed},
    {"char", char8},
    {"signed_char", int8},
    {"unsigned_char", uint8},
    {"short", int16},
    {"unsigned_short", uint16},
    {"int", int32},
    {"unsigned", uint32},
    {"long", int64},
    {"unsigned_long", uint64},
    {"long_long_int", int64},
    {"unsigned_long_long", uint64},
    {"float", float32},
    {"double", float64},
    {"long_double", longdouble},
    {"wchar", wchar},
    {"int8_t", int8},
    {"uint8_t", uint8},
    {"int16_t", int16},
    {"uint16_t", uint16},
    {"int32_t", int32},
    {"uint32_t", uint32},
    {"int64_t", int64},
    {"uint64_t", uint64},
    {"aint", aint},
    {"offset", offset},
    {"count", count},
    {"c_bool", boolean},
    {"cxx_bool", boolean},
    {"c_float_complex", complex64},
    {"c_double_complex", complex128},
    {"c_long_double_complex", complexlong},
    {"cxx_cplex", complex64},
    {"cxx_dblcplex", complex128},
    {"cxx_ldblcplex", complexlong},
    {"float_int", float_int},
    {"double_int", double_int},
    {"long_int", long_int},
    {"2int", two_int},
    {"short_int", short_int},
    {"longdbl_int", longdouble_int},
    {"character", char8},
    {"integer", int32},
    {"integer1", int8},
    {"integer2", int16},
    {"integer4", int32},
    {"integer8", int64},
    {"real", float32},
    {"real4", float32},
    {"real8", float64},
    {"dblprec", float64},
    {"cplex", complex64},
    {"complex8", complex64},
    {"complex16", complex128},
    {"dblcplex", complex128},
};

struct NamedOp {
  const char* symbol;
  ReduceOp op;
};

constexpr NamedOp kOps[] = {
    {"sum", ReduceOp::sum},     {"prod", ReduceOp::prod},       {"min", ReduceOp::min},
    {"max", ReduceOp::max},     {"land", ReduceOp::land},       {"lor", ReduceOp::lor},
    {"lxor", ReduceOp::lxor},   {"band", ReduceOp::band},       {"bor", ReduceOp::bor},
    {"bxor", ReduceOp::bxor},   {"minloc", ReduceOp::minloc},   {"maxloc", ReduceOp::maxloc},
    {"no_op", ReduceOp::no_op}, {"replace", ReduceOp::replace},
};

void* variable(const char* prefix, const char* name) {
  char symbol[64];
  std::strcpy(symbol, prefix);
  std::strcat(symbol, name);
  return ::dlsym(RTLD_DEFAULT, symbol);
}

template <class Handle>
bool look_up(Handle& handle, const char* symbol) {
  handle = static_cast<Handle>(::dlsym(RTLD_DEFAULT, symbol));
  return handle != nullptr;
}

}  // namespace

bool find_handles() {
  if (!real::make_visible()) return false;
  look_up(handles.empty_request, "ompi_request_empty");
  return look_up(handles.world, "ompi_mpi_comm_world") && look_up(handles.self, "ompi_mpi_comm_self") &&
         look_up(handles.no_comm, "ompi_mpi_comm_null") && look_up(handles.no_request, "ompi_request_null") &&
         look_up(handles.no_type, "ompi_mpi_datatype_null") && look_up(handles.byte, "ompi_mpi_byte") &&
         look_up(handles.packed, "ompi_mpi_packed");
}

void visit_predefined_types(void (*visit)(MPI_Datatype, ElementType)) {
  for (const auto& [symbol, type] : kTypes)
    if (void* handle = variable("ompi_mpi_", symbol)) visit(static_cast<MPI_Datatype>(handle), type);
}

void visit_predefined_ops(void (*visit)(MPI_Op, ReduceOp)) {
  for (const auto& [symbol, op] : kOps)
    if (void* handle = variable("ompi_mpi_op_", symbol)) visit(static_cast<MPI_Op>(handle), op);
}

}  // namespace petri::record
