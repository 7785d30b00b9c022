#include "harness/record/datatypes.hpp"

#include <cstdlib>

#include "harness/record/handles.hpp"
#include "harness/record/pointer_map.hpp"

namespace petri::record {

MPI_Datatype last_type;
FlatType last_flat;

namespace {

PointerMap<FlatType> types;
PointerMap<ReduceOp> ops;

constexpr FlatType kUnknown{ElementType::unknown, false, 1, 0};

bool is_contiguous(MPI_Datatype type, std::int64_t bytes) {
  MPI_Aint low = 0, extent = 0, true_low = 0, true_extent = 0;
  real::Type_get_extent(type, &low, &extent);
  real::Type_get_true_extent(type, &true_low, &true_extent);
  return low == 0 && true_low == 0 && extent == bytes && true_extent == bytes;
}

void learn_type(MPI_Datatype handle, ElementType basic) {
  int bytes = 0;
  real::Type_size(handle, &bytes);
  types.insert(key_of(handle), {basic, is_contiguous(handle, bytes), 1, bytes});
}

void learn_op(MPI_Op handle, ReduceOp op) {
  ops.insert(key_of(handle), op);
}

// The basic type that all of a derived type's parts share, with that type's size; `unknown` when they differ.
FlatType common_basic(MPI_Datatype type);

// MPI_Type_get_contents hands out new handles for derived parts (MPI 4.1, section 5.1.13); they are freed again.
FlatType common_basic_of_parts(MPI_Datatype type, int integers, int addresses, int parts) {
  auto* ints = static_cast<int*>(std::calloc(static_cast<std::size_t>(integers) + 1, sizeof(int)));
  auto* places = static_cast<MPI_Aint*>(std::calloc(static_cast<std::size_t>(addresses) + 1, sizeof(MPI_Aint)));
  auto* inner = static_cast<MPI_Datatype*>(std::calloc(static_cast<std::size_t>(parts) + 1, sizeof(MPI_Datatype)));
  FlatType common = kUnknown;
  if (ints != nullptr && places != nullptr && inner != nullptr &&
      real::Type_get_contents(type, integers, addresses, parts, ints, places, inner) == MPI_SUCCESS) {
    for (int i = 0; i < parts; ++i) {
      const FlatType part = common_basic(inner[i]);
      if (i == 0) common = part;
      if (part.basic != common.basic) common = kUnknown;
      int a = 0, b = 0, c = 0, combiner = MPI_COMBINER_NAMED;
      real::Type_get_envelope(inner[i], &a, &b, &c, &combiner);
      if (combiner != MPI_COMBINER_NAMED) real::Type_free(&inner[i]);
    }
  }
  std::free(ints);
  std::free(places);
  std::free(inner);
  return common;
}

FlatType common_basic(MPI_Datatype type) {
  if (const FlatType* known = types.find(key_of(type)))
    return {known->basic, true, 1, known->bytes / (known->per_element > 0 ? known->per_element : 1)};
  int integers = 0, addresses = 0, parts = 0, combiner = MPI_COMBINER_NAMED;
  if (real::Type_get_envelope(type, &integers, &addresses, &parts, &combiner) != MPI_SUCCESS) return kUnknown;
  if (combiner == MPI_COMBINER_NAMED || parts < 1) return kUnknown;
  return common_basic_of_parts(type, integers, addresses, parts);
}

FlatType flatten_derived(MPI_Datatype type) {
  const FlatType part = common_basic(type);
  int bytes = 0;
  if (part.basic == ElementType::unknown || part.bytes <= 0) return kUnknown;
  if (real::Type_size(type, &bytes) != MPI_SUCCESS || bytes % part.bytes != 0) return kUnknown;
  return {part.basic, is_contiguous(type, bytes), static_cast<std::int32_t>(bytes / part.bytes), bytes};
}

}  // namespace

void learn_predefined() {
  visit_predefined_types(learn_type);
  visit_predefined_ops(learn_op);
}

const FlatType& find_flat(MPI_Datatype type) {
  if (type == handles.no_type) return kUnknown;
  const FlatType* known = types.find(key_of(type));
  last_flat = known != nullptr ? *known : flatten_derived(type);
  if (known == nullptr) types.insert(key_of(type), last_flat);
  last_type = type;
  return last_flat;
}

void forget_type(MPI_Datatype type) {
  types.erase(key_of(type));
  last_type = handles.no_type;
  last_flat = kUnknown;
}

ReduceOp reduce_op_of(MPI_Op op) {
  const ReduceOp* known = ops.find(key_of(op));
  return known != nullptr ? *known : ReduceOp::user;
}

}  // namespace petri::record
