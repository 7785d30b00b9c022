// The words by which PyTorch's traces name collectives, element types and groups.
//
// Sources: torch/csrc/distributed/c10d/ParamCommsUtils.hpp and ProcessGroupNCCL.cpp (RECORD_PARAM_COMMS: names of
// collectives), c10/core/ScalarType.h (element types), torch/csrc/profiler/util.cpp (saveNcclMeta: lists as texts),
// torch/distributed/distributed_c10d.py (_get_all_pg_configs).
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/traced_job.hpp"
#include "kernels/types/element_type.hpp"

namespace petri {

// "allreduce", "_allgather_base", "all_to_allv", "send": the operation; nothing for what is no communication ("wait",
// "init") and for what is not known.
std::optional<Op> torch_op(std::string_view name);
bool is_no_torch_call(std::string_view name);  // "wait", "init"

// "BFloat16" and "c10::BFloat16", "Float" and "float", "Long" and "long int".
ElementType torch_type(std::string_view name);

// A list that is written as a text: "[0, 1, 2]", or with what is over 30 left out "[0, 1, ..., 63]", "[4, 4, ...]".
struct TextList {
  std::vector<std::int64_t> numbers;  // those before what was left out
  std::optional<std::int64_t> last;   // behind it
  bool whole = true;
};
std::optional<TextList> read_text_list(std::string_view text);

// What a call says of its data.
struct TorchCounts {
  std::int64_t in = -1, out = -1;  // elements, summed over the tensors
  TextList in_split, out_split;    // empty: even
};
// Sets counts as the operation has them, for a group of so many ranks; 0: not known.
void set_torch_counts(Event& event, const TorchCounts& counts, std::int32_t group_size);

// Takes the members that a list names. With `none_is_all`, an empty list is the whole world; otherwise it tells
// nothing.
void set_members(TracedGroup& group, const TextList& list, bool none_is_all);

// Groups as PyTorch lists them: a list of objects, in which a group without ranks is the whole world.
// In later releases pg_size stands for group_size. What is no list of groups gives none.
std::vector<TracedGroup> read_torch_groups(simdjson::dom::element list);

}  // namespace petri
