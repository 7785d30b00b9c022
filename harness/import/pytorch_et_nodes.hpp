// What the nodes of one PyTorch execution trace say of communication. Internal to the reader of such traces.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/import/json_pieces.hpp"
#include "harness/import/torch_rank.hpp"

namespace petri {

class PytorchEtNodes {
 public:
  PytorchEtNodes(std::string file, std::string leaf) : file_(file), rank_(std::move(file), std::move(leaf)) {}

  // Whether a node can say anything of communication, from its text alone: few do.
  static bool may_matter(std::string_view text);

  // Throws InputError for a node that is broken.
  void take(const JsonPiece& piece);

  // When all were taken: the groups may stand behind calls on them.
  void finish();
  TorchRank& rank() { return rank_; }

 private:
  // A node of a call, with the positions of what its inputs tell (ParamCommsUtils.hpp).
  struct Inputs {
    std::vector<simdjson::dom::element> values;
    std::size_t name = 0;  // where the collective's name stands; before it: rank, group, number, and tensors if any
    bool found = false;
  };
  struct Held {  // a call, until the groups are known
    TorchCall call;
    std::string name, dtype;
    TracedGroup group;
    std::optional<std::int64_t> old_group;              // older schemas have a number for it
    std::vector<std::int64_t> in_tensors, out_tensors;  // elements of each
    double order = 0;
  };

  void take_groups(simdjson::dom::object node);
  void take_call(simdjson::dom::object node, double order);
  static Inputs inputs_of(simdjson::dom::object node);
  static void take_inputs(const Inputs& inputs, Held& held);
  static void take_attributes(simdjson::dom::object node, Held& held);
  void complete_group(TracedGroup& group) const;

  std::string file_;
  TorchRank rank_;
  simdjson::dom::parser parser_, text_parser_;
  std::vector<TracedGroup> configured_;
  std::vector<std::pair<std::int64_t, std::string>> old_names_;  // of groups by the number that older schemas have
  std::vector<Held> calls_;
};

}  // namespace petri
