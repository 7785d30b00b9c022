#include "harness/worker/types.hpp"

namespace petri {
namespace {

using enum ElementType;

bool is_pair(ElementType type) {
  switch (type) {
    case float_int:
    case double_int:
    case long_int:
    case two_int:
    case short_int:
    case longdouble_int: return true;
    default: return false;
  }
}

// A stand-in for MPI_Op_create's operations: any associative function blocks and matches alike.
void keep_second(void*, void*, int*, MPI_Datatype*) {}

MPI_Op user_op() {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    PMPI_Op_create(keep_second, 1, &made);
    return made;
  }();
  return op;
}

}  // namespace

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case unknown: return MPI_INT32_T;
    case int8: return MPI_INT8_T;
    case uint8: return MPI_UINT8_T;
    case int16: return MPI_INT16_T;
    case uint16: return MPI_UINT16_T;
    case int32: return MPI_INT32_T;
    case uint32: return MPI_UINT32_T;
    case int64: return MPI_INT64_T;
    case uint64: return MPI_UINT64_T;
    case float8_e4m3:
    case float8_e5m2: return MPI_UINT8_T;
    case float16:
    case bfloat16: return MPI_UINT16_T;
    case float32: return MPI_FLOAT;
    case float64: return MPI_DOUBLE;
    case longdouble: return MPI_LONG_DOUBLE;
    case complex64: return MPI_C_FLOAT_COMPLEX;
    case complex128: return MPI_C_DOUBLE_COMPLEX;
    case complexlong: return MPI_C_LONG_DOUBLE_COMPLEX;
    case char8: return MPI_CHAR;
    case wchar: return MPI_WCHAR;
    case boolean: return MPI_C_BOOL;
    case byte: return MPI_BYTE;
    case packed: return MPI_PACKED;
    case aint: return MPI_AINT;
    case offset: return MPI_OFFSET;
    case count: return MPI_COUNT;
    case float_int: return MPI_FLOAT_INT;
    case double_int: return MPI_DOUBLE_INT;
    case long_int: return MPI_LONG_INT;
    case two_int: return MPI_2INT;
    case short_int: return MPI_SHORT_INT;
    case longdouble_int: return MPI_LONG_DOUBLE_INT;
  }
  return MPI_BYTE;
}

MPI_Op mpi_op(ReduceOp op, ElementType type) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return MPI_SUM;
    case ReduceOp::prod: return MPI_PROD;
    case ReduceOp::min: return MPI_MIN;
    case ReduceOp::max: return MPI_MAX;
    case ReduceOp::land: return MPI_LAND;
    case ReduceOp::lor: return MPI_LOR;
    case ReduceOp::lxor: return MPI_LXOR;
    case ReduceOp::band: return MPI_BAND;
    case ReduceOp::bor: return MPI_BOR;
    case ReduceOp::bxor: return MPI_BXOR;
    case ReduceOp::minloc: return MPI_MINLOC;
    case ReduceOp::maxloc: return MPI_MAXLOC;
    case ReduceOp::replace: return MPI_REPLACE;
    case ReduceOp::no_op: return MPI_NO_OP;
    case ReduceOp::user: return user_op();
    case ReduceOp::unknown: break;
  }
  if (is_pair(type)) return MPI_MINLOC;
  return type == byte || type == boolean ? MPI_BOR : MPI_SUM;
}

}  // namespace petri
