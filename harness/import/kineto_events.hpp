// What the events of one Kineto file say of communication. Internal to the reader of such files.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/import/json_pieces.hpp"
#include "harness/import/torch_rank.hpp"

namespace petri {

class KinetoEvents {
 public:
  KinetoEvents(std::string file, std::string leaf);

  // Whether an event can say anything of communication, from its text alone: few do.
  static bool may_matter(std::string_view text);

  // A piece of the file: an event, or a member of the outermost object. Throws InputError for an event that is broken.
  void take(const JsonPiece& piece);

  // When all were taken.
  void finish();
  TorchRank& rank() { return rank_; }

  std::uint64_t kernels_without_call() const { return bare_kernels_; }
  const std::string& problem() const { return problem_; }  // with what stands beside the events; empty: none

 private:
  struct Times {
    double start = 0;
    bool ended = true;
  };
  struct Kernel {
    TorchCall call;  // its texts are in `name` and `dtype`
    std::string name, dtype;
    std::int64_t external = 0;
    double start = 0;
  };

  void take_member(const JsonPiece& piece);
  void take_distributed(simdjson::dom::object info);
  void take_event(simdjson::dom::object event);
  void take_call(simdjson::dom::object args, std::string_view phase, const Times& times);
  void take_kernel(simdjson::dom::object args, const Times& times);
  bool read_arguments(simdjson::dom::object args, TorchCall& call);
  TracedGroup group_of(simdjson::dom::object args) const;
  double seconds(double ts) const { return base_ + ts * 1e-6; }
  void match_kernels();
  void add_kernel(const Kernel& kernel);
  void note_unrun();

  std::string file_;
  TorchRank rank_;
  simdjson::dom::parser parser_;
  std::unordered_map<std::int64_t, std::int64_t> by_external_;  // External id to place of the call
  std::vector<bool> ran_;                                       // by place: its kernel is there
  std::vector<std::int64_t> open_;                              // begun and not ended, of a phase of its own
  std::vector<Kernel> kernels_;
  std::vector<TracedGroup> configured_;
  double base_ = 0;         // seconds
  double last_kernel_ = 0;  // when the last one of any kind began
  std::uint64_t bare_kernels_ = 0;
  std::string problem_;
};

}  // namespace petri
