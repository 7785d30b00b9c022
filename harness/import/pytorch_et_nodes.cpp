#include "harness/import/pytorch_et_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "harness/import/contains.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

static_assert(kRoomBehindPiece >= simdjson::SIMDJSON_PADDING);

constexpr std::string_view kGroupsName = "process_group:init";

std::string_view text_of(element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::string_view text_in(object node, std::string_view key) {
  std::string_view text;
  return node[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<std::int64_t> whole_of(element value) {
  std::int64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

std::vector<element> elements_of(element value) {
  std::vector<element> elements;
  array list;
  if (value.get(list) != simdjson::SUCCESS) return elements;
  for (const element one : list) elements.push_back(one);
  return elements;
}

// The inputs' or outputs' values: a list of their own in old schemas, an object's member in new ones.
std::vector<element> values_of(object node, std::string_view key) {
  element side;
  if (node[key].get(side) != simdjson::SUCCESS) return {};
  object parts;
  if (side.get(parts) != simdjson::SUCCESS) return elements_of(side);
  element values;
  return parts["values"].get(values) == simdjson::SUCCESS ? elements_of(values) : std::vector<element>();
}

// Elements of each tensor: [tensor, storage, offset, elements, bytes of one, device], or lists of such.
void add_tensors(element value, int depth, std::vector<std::int64_t>& tensors) {
  constexpr int kMostDepth = 4;
  constexpr std::size_t kElements = 3, kTensorFields = 6;
  const std::vector<element> parts = elements_of(value);
  if (parts.size() >= kTensorFields && parts[0].is_int64() && parts[kElements].is_int64()) {
    tensors.push_back(whole_of(parts[kElements]).value_or(-1));
    return;
  }
  if (depth == kMostDepth) return;
  for (const element part : parts) add_tensors(part, depth + 1, tensors);
}

std::int64_t sum_of(const std::vector<std::int64_t>& tensors) {
  std::int64_t sum = tensors.empty() ? -1 : 0;
  for (const std::int64_t count : tensors) {
    if (count < 0 || count > std::numeric_limits<std::int64_t>::max() - sum) return -1;
    sum += count;
  }
  return sum;
}

TextList list_of(element value) {
  if (auto list = read_text_list(text_of(value))) return *std::move(list);
  TextList list;
  for (const element one : elements_of(value)) list.numbers.push_back(whole_of(one).value_or(-1));
  return list;
}

// The element type in a description such as "GenericList[Tensor(c10::Half)]".
std::string_view type_in(std::string_view description) {
  constexpr std::string_view kTensor = "Tensor(";
  const std::size_t begin = description.find(kTensor);
  if (begin == std::string_view::npos) return {};
  const std::string_view behind = description.substr(begin + kTensor.size());
  return behind.substr(0, behind.find(')'));
}

// Of the first input, in both kinds of schema.
std::string_view first_type(object node) {
  element side, types;
  object parts;
  if (node["input_types"].get(types) != simdjson::SUCCESS &&
      (node["inputs"].get(side) != simdjson::SUCCESS || side.get(parts) != simdjson::SUCCESS ||
       parts["types"].get(types) != simdjson::SUCCESS))
    return {};
  const std::vector<element> all = elements_of(types);
  return all.empty() ? std::string_view() : type_in(text_of(all.front()));
}

}  // namespace

bool PytorchEtNodes::may_matter(std::string_view text) {
  return contains(text, kTorchCallName) || contains(text, "\"nccl:") || contains(text, "\"gloo:") ||
         contains(text, kGroupsName);
}

void PytorchEtNodes::take(const JsonPiece& piece) {
  element root;
  object node;
  const auto error = parser_.parse(piece.text.data(), piece.text.size(), false).get(root);
  if (error != simdjson::SUCCESS || root.get(node) != simdjson::SUCCESS)
    throw InputError(file_, piece.line, 0,
                     fmt::format("a node was expected, a JSON object: {}",
                                 error != simdjson::SUCCESS ? simdjson::error_message(error) : "it is none"));
  const std::string_view name = text_in(node, "name");
  std::int64_t id = 0;
  if (node["id"].get(id) != simdjson::SUCCESS) return;
  if (name == kTorchCallName)
    take_call(node, static_cast<double>(id));
  else if (contains(name, kGroupsName))
    take_groups(node);
  else if (contains(name, ":"))
    rank_.annotate(name, static_cast<double>(id));
}

void PytorchEtNodes::take_groups(object node) {
  for (const element value : values_of(node, "inputs")) {
    element list;
    // A text that its writer cut at some length is no JSON: then calls tell what they can.
    if (text_parser_.parse(std::string(text_of(value))).get(list) != simdjson::SUCCESS) continue;
    const std::vector<TracedGroup> groups = read_torch_groups(list);
    const std::vector<element> objects = elements_of(list);
    configured_.insert(configured_.end(), groups.begin(), groups.end());
    if (groups.size() != objects.size()) continue;
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (const std::string_view key : {"uid", "backend_id"}) {
        std::int64_t number = 0;
        if (objects[i].at_key(key).get(number) == simdjson::SUCCESS) old_names_.emplace_back(number, groups[i].name);
      }
  }
}

// The name is the first text of the inputs, but for a group's name that some releases put before the rank.
PytorchEtNodes::Inputs PytorchEtNodes::inputs_of(object node) {
  Inputs inputs;
  inputs.values = values_of(node, "inputs");
  for (std::size_t i = 0; i < inputs.values.size() && !inputs.found; ++i) {
    if (!inputs.values[i].is_string()) continue;
    const bool is_group = i + 2 < inputs.values.size() && inputs.values[i + 2].is_string();
    inputs.name = is_group ? i + 2 : i;
    inputs.found = true;
  }
  return inputs;
}

void PytorchEtNodes::take_inputs(const Inputs& inputs, Held& held) {
  if (!inputs.found) return;
  const auto before = [&](std::size_t back) -> std::optional<element> {
    if (inputs.name < back) return std::nullopt;
    return inputs.values[inputs.name - back];
  };
  held.name = text_of(inputs.values[inputs.name]);
  if (const auto rank = before(1)) held.call.rank = whole_of(*rank).value_or(-1);
  if (const auto group = before(2)) {
    const std::vector<element> parts = elements_of(*group);  // (name, description)
    if (!parts.empty()) held.group.name = text_of(parts[0]);
    if (parts.size() > 1) held.group.description = text_of(parts[1]);
    if (group->is_string()) held.group.name = text_of(*group);
    held.old_group = whole_of(*group);
  }
  if (const auto number = before(3)) {
    const std::vector<element> parts = elements_of(*number);  // (number, of messages or not)
    held.call.seq = whole_of(parts.empty() ? *number : parts[0]).value_or(-1);
  }
  if (const auto tensors = before(4)) add_tensors(*tensors, 0, held.in_tensors);
  const auto behind = [&](std::size_t on) { return inputs.values[inputs.name + on]; };
  const std::size_t left = inputs.values.size() - inputs.name - 1;
  if (left >= 2) {
    held.call.counts.in_split = list_of(behind(1));
    held.call.counts.out_split = list_of(behind(2));
  }
}

void PytorchEtNodes::take_attributes(object node, Held& held) {
  element attributes;
  if (node["attrs"].get(attributes) != simdjson::SUCCESS) return;
  std::int64_t start = -1, stride = -1, size = -1;
  for (const element one : elements_of(attributes)) {
    object attribute;
    element value;
    if (one.get(attribute) != simdjson::SUCCESS || attribute["value"].get(value) != simdjson::SUCCESS) continue;
    const std::string_view name = text_in(attribute, "name");
    if (name == "collective_name") held.name = text_of(value);
    if (name == "dtype") held.dtype = text_of(value);
    if (name == "in_msg_nelems") held.call.counts.in = whole_of(value).value_or(-1);
    if (name == "out_msg_nelems") held.call.counts.out = whole_of(value).value_or(-1);
    if (name == "in_split_size") held.call.counts.in_split = list_of(value);
    if (name == "out_split_size") held.call.counts.out_split = list_of(value);
    if (name == "pg_name") held.group.name = text_of(value);
    if (name == "pg_desc") held.group.description = text_of(value);
    if (name == "global_rank_start") start = whole_of(value).value_or(-1);
    if (name == "global_rank_stride") stride = whole_of(value).value_or(-1);
    if (name == "pg_size") size = whole_of(value).value_or(-1);
  }
  if (size > 0 && size <= kMaxWorld) held.group.size = static_cast<std::int32_t>(size);
  // A stride is there only where the ranks have one (ProcessGroupNCCL's constructor).
  if (held.group.size < 1 || start < 0 || start >= kMaxWorld || stride > kMaxWorld) return;
  const std::int64_t last = start + stride * (held.group.size - 1);
  if (held.group.size > 1 && (stride < 1 || last >= kMaxWorld)) return;
  held.group.ranks = {static_cast<std::int32_t>(start)};
  held.group.whole = held.group.size <= 2;
  if (held.group.size == 1) return;
  held.group.ranks.push_back(static_cast<std::int32_t>(start + stride));
  if (held.group.size > 2) held.group.last = static_cast<std::int32_t>(last);
}

void PytorchEtNodes::take_call(object node, double order) {
  Held held;
  held.order = order;
  take_inputs(inputs_of(node), held);
  for (const element side : values_of(node, "outputs")) add_tensors(side, 0, held.out_tensors);
  held.call.counts.in = sum_of(held.in_tensors);
  held.call.counts.out = sum_of(held.out_tensors);
  held.dtype = first_type(node);
  take_attributes(node, held);
  if (!held.name.empty()) calls_.push_back(std::move(held));
}

void PytorchEtNodes::complete_group(TracedGroup& group) const {
  for (const TracedGroup& known : configured_) {
    if (known.name != group.name || group.name.empty()) continue;
    if (known.size > 0 && group.size > 0 && known.size != group.size) continue;
    const std::int32_t size = group.size;
    group = known;
    if (group.size == 0) group.size = size;
    return;
  }
}

void PytorchEtNodes::finish() {
  for (Held& held : calls_) {
    TracedGroup group = std::move(held.group);  // large ones are not kept for each call
    if (held.old_group && group.name.empty()) {
      const auto named = std::find_if(old_names_.begin(), old_names_.end(),
                                      [&](const auto& one) { return one.first == *held.old_group; });
      group.name = named != old_names_.end() ? named->second : fmt::format("{}", *held.old_group);
    }
    complete_group(group);
    if (group.whole && group.size == 0) group.size = static_cast<std::int32_t>(group.ranks.size());
    // An all-to-all of lists has a tensor for each member.
    const auto members = static_cast<std::size_t>(std::max(group.size, 0));
    if (torch_op(held.name) == Op::alltoall && held.in_tensors.size() == members && members > 1 &&
        held.out_tensors.size() == members) {
      held.call.counts.in_split.numbers = held.in_tensors;
      held.call.counts.out_split.numbers = held.out_tensors;
    }
    held.call.name = held.name;
    held.call.dtype = held.dtype;
    held.call.group = rank_.group(group);
    const std::int64_t place = rank_.add(held.call, held.order);
    if (place >= 0) rank_.at(place).event.state = EventState::completed;
  }
  calls_ = {};
  for (const TracedGroup& known : configured_) rank_.group(known);
}

}  // namespace petri
