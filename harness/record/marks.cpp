// Steps and microbatches, by petri.h and by MPI_Pcontrol.
#include "harness/record/petri.h"
#include "harness/record/recorder.hpp"

using namespace petri;
using namespace petri::record;

namespace petri::record {

void enter(std::int32_t step, std::int32_t microbatch) {
  const Locked locked;
  const std::int32_t step_before = state.step, microbatch_before = state.microbatch;
  state.step = step;
  state.microbatch = microbatch;
  if (!records_here()) return;
  const std::uint64_t number = state.head;
  auto& mark = reinterpret_cast<MarkSlot&>(slot_at(number));
  mark.stamp.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  mark.op = kMark;
  mark.step_before = step_before;
  mark.microbatch_before = microbatch_before;
  mark.step = step;
  mark.microbatch = microbatch;
  mark.stamp.store(static_cast<std::uint32_t>(number + 1), std::memory_order_release);
  ++state.poll_epoch;  // what is polled from here on belongs to another step
  advance(1);
  state.header->step.store(step, std::memory_order_release);
  state.header->microbatch.store(microbatch, std::memory_order_release);
}

}  // namespace petri::record

extern "C" __attribute__((visibility("default"))) void petri_record_enter(int is_microbatch, int n) {
  const std::int32_t number = n >= 0 ? n : kUnset;
  if (is_microbatch != 0)
    enter(state.step, number);
  else
    enter(number, kUnset);
}

// petri.h says what the levels mean. MPI's own does nothing.
PETRI_MPI(Pcontrol)(const int level, ...) {
  if (level >= PETRI_MICROBATCH_LEVEL)
    petri_record_enter(1, level - PETRI_MICROBATCH_LEVEL);
  else if (level >= PETRI_STEP_LEVEL)
    petri_record_enter(0, level - PETRI_STEP_LEVEL);
  return MPI_SUCCESS;
}
