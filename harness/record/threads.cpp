// The threads that make calls of MPI: their numbers, and their ends.
#include <unistd.h>

#include "harness/record/recorder.hpp"

namespace petri::record {
namespace {

pthread_key_t end_of_thread;
bool has_key = false;

// A thread that has made calls makes no more: an event of its own, so that nobody waits for it.
void note_end_of_thread(void*) {
  if (!state.recording || state.header->pid != ::getpid()) return;
  Call call(Op::exit, nullptr);
  call.begin();
  call.end(MPI_SUCCESS);
}

}  // namespace

void watch_threads() {
  has_key = ::pthread_key_create(&end_of_thread, note_end_of_thread) == 0;
}

std::uint8_t thread_number() {
  thread_local int number __attribute__((tls_model("initial-exec"))) = -1;
  static std::uint8_t next = 0;
  if (number >= 0) return static_cast<std::uint8_t>(number);
  number = next;
  if (next < kLastThread) ++next;
  // The end of the first is the process's, and the last number stands for several.
  if (has_key && number != 0 && number != kLastThread) ::pthread_setspecific(end_of_thread, &state);
  return static_cast<std::uint8_t>(number);
}

// Under a level that allows calls of the main thread only (MPI 4.1, section 11.6.2), those of another one say so: from
// here on the record tells the threads apart.
bool meet_thread() {
  depth = 0;
  if (!state.one_thread || state.threaded) return true;
  state.threaded = true;
  watch_threads();
  return true;
}

}  // namespace petri::record
