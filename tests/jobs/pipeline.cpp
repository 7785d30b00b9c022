#include "tests/jobs/pipeline.hpp"

#include <algorithm>

namespace petri::jobs {
namespace {

using Pass = Slot::Pass;

Slot forward(std::int32_t microbatch) {
  Slot slot;
  slot.pass = Pass::forward;
  slot.forward_microbatch = microbatch;
  return slot;
}

Slot backward(std::int32_t microbatch) {
  Slot slot;
  slot.pass = Pass::backward;
  slot.backward_microbatch = microbatch;
  return slot;
}

// Virtual passes of an interleaved schedule run through the chunks in groups of `stages` microbatches.
class Chunks {
 public:
  Chunks(std::int32_t stages, std::int32_t chunks) : stages_(stages), chunks_(chunks) {}

  std::int32_t of_forward(std::int32_t pass) const {
    const std::int32_t round = stages_ * chunks_;
    return (pass % round + round) % round / stages_;
  }
  std::int32_t of_backward(std::int32_t pass) const { return chunks_ - 1 - of_forward(pass); }
  std::int32_t microbatch(std::int32_t pass) const { return pass / (stages_ * chunks_) * stages_ + pass % stages_; }

 private:
  std::int32_t stages_, chunks_;
};

}  // namespace

std::vector<Slot> one_forward_one_backward(std::int32_t stage, std::int32_t stages, std::int32_t microbatches) {
  const bool first = stage == 0, last = stage == stages - 1;
  const std::int32_t ahead = std::min(stages - stage - 1, microbatches);
  const std::int32_t steady = microbatches - ahead;
  std::vector<Slot> slots;
  const auto receive = [&](bool is_forward) {
    if (is_forward ? first : last) return;
    Slot slot;
    (is_forward ? slot.recv_forward : slot.recv_backward) = true;
    slots.push_back(slot);
  };
  for (std::int32_t k = 0; k < ahead; ++k) {
    receive(true);
    slots.push_back(forward(k));
    slots.back().send_forward = !last;
  }
  if (steady > 0) receive(true);
  for (std::int32_t k = 0; k < steady; ++k) {
    slots.push_back(forward(k + ahead));
    slots.back().send_forward = slots.back().recv_backward = !last;
    slots.push_back(backward(k));
    slots.back().send_backward = !first;
    slots.back().recv_forward = !first && k + 1 < steady;
  }
  for (std::int32_t k = steady; k < microbatches; ++k) {
    receive(false);
    slots.push_back(backward(k));
    slots.back().send_backward = !first;
  }
  return slots;
}

std::vector<Slot> interleaved(std::int32_t stage, std::int32_t stages, std::int32_t microbatches, std::int32_t chunks) {
  const bool first = stage == 0, last = stage == stages - 1;
  const Chunks chunk(stages, chunks);
  const std::int32_t passes = microbatches * chunks;
  const std::int32_t ahead = std::min((stages - stage - 1) * 2 + (chunks - 1) * stages, passes);
  const std::int32_t steady = passes - ahead;
  const auto sends_forward = [&](std::int32_t pass) { return !(last && chunk.of_forward(pass) == chunks - 1); };
  const auto sends_backward = [&](std::int32_t pass) { return !(first && chunk.of_backward(pass) == 0); };
  std::vector<Slot> slots;
  if (!first) slots.emplace_back().recv_forward = true;
  for (std::int32_t k = 0; k < ahead; ++k) {
    Slot slot = forward(chunk.microbatch(k));
    slot.send_forward = sends_forward(k);
    slot.recv_forward = k + 1 < passes && !(first && chunk.of_forward(k + 1) == 0);
    slot.recv_backward = k + 1 == ahead && !last;
    slots.push_back(slot);
  }
  for (std::int32_t k = 0; k < steady; ++k) {
    Slot slot;
    slot.pass = Pass::both;
    slot.forward_microbatch = chunk.microbatch(k + ahead);
    slot.backward_microbatch = chunk.microbatch(k);
    slot.send_forward = sends_forward(k + ahead);
    slot.send_backward = sends_backward(k);
    // The ring closes `stages - 1` passes later: the first stage gets what the last one made of an earlier pass.
    slot.recv_forward = k + 1 < steady && !(first && chunk.of_forward(k + ahead - (stages - 1)) == chunks - 1);
    slot.recv_backward = !(last && chunk.of_backward(k - (stages - 1)) == 0);
    slots.push_back(slot);
  }
  for (std::int32_t k = steady; k < passes; ++k) {
    Slot slot = backward(chunk.microbatch(k));
    slot.send_backward = sends_backward(k);
    slot.recv_backward = k + 1 < passes && !(last && chunk.of_backward(k + 1) == chunks - 1);
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace petri::jobs
