// Pipeline schedules: which forward and backward passes a stage makes in which order, and what it exchanges between
// them. After Megatron-LM's schedules without and with interleaving (model chunks).
#pragma once

#include <cstdint>
#include <vector>

namespace petri::jobs {

// One slot of a stage's schedule: a pass, or no pass and only an exchange.
struct Slot {
  enum class Pass : std::uint8_t { none, forward, backward, both };
  Pass pass = Pass::none;
  std::int32_t forward_microbatch = 0, backward_microbatch = 0;
  // The exchange that follows, all at once: activations go to the next stage, gradients to the previous one. On
  // interleaved schedules the stages are a ring.
  bool send_forward = false, recv_forward = false, send_backward = false, recv_backward = false;
};

// One forward, one backward: as many forward passes ahead as there are stages behind.
std::vector<Slot> one_forward_one_backward(std::int32_t stage, std::int32_t stages, std::int32_t microbatches);

// The same with `chunks` model chunks on each stage. Needs microbatches to be a multiple of stages, and more than
// stages.
std::vector<Slot> interleaved(std::int32_t stage, std::int32_t stages, std::int32_t microbatches, std::int32_t chunks);

}  // namespace petri::jobs
