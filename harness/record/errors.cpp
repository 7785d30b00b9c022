#include "harness/record/errors.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>
#include <utility>

#include "harness/record/recorder.hpp"

namespace petri::record {
namespace {

// The event of the call that this thread is in; null when that call is not recorded.
Slot* event_in_progress() {
  const std::uint8_t thread = state.threaded ? thread_number() : 0;
  for (std::uint64_t number = state.head; number > 0; --number) {
    Slot* slot = slot_if_kept(number - 1);
    if (slot == nullptr) return nullptr;
    if (slot->op >= kMark) continue;  // a mark or the continuation of an event
    const std::uint8_t packed = slot->state.load(std::memory_order_relaxed);
    if (thread_in(packed) == thread) return state_in(packed) == EventState::started ? slot : nullptr;
  }
  return nullptr;
}

// A call that is about to become an event becomes it now.
void write_unrecorded() {
  if (unrecorded == nullptr) return;
  depth = 0;  // the event is the program's
  unrecorded->write(unrecorded->self);
  depth = 1;
  unrecorded = nullptr;
}

// The place in the program that this thread's call of MPI returns to.
const void* caller_of_mpi() {
  constexpr int kMost = 32;
  void* frames[kMost];
  const int n = ::backtrace(frames, kMost);
  bool in_mpi = false;
  for (int i = 0; i < n; ++i) {
    Dl_info module;
    if (::dladdr(frames[i], &module) == 0 || module.dli_fname == nullptr) return nullptr;
    const bool here = std::strstr(module.dli_fname, "/libmpi") != nullptr;  // its Fortran bindings, too
    if (in_mpi && !here) return frames[i];
    in_mpi = here;
  }
  return nullptr;
}

// Does a record want to know of what happens here? A child of a process has none of its own.
bool is_recorded() {
  return state.recording && state.header->pid == ::getpid();
}

// The error of a call that may have no event: then it is an abort in the function with that name.
void note_last_words(int code, const char* function) {
  const Locked locked;
  write_unrecorded();
  Slot* slot = depth > 0 ? event_in_progress() : nullptr;
  if (slot != nullptr) return note_error(*slot, code);
  depth = 0;
  Call call(Op::abort, caller_of_mpi());
  if (function != nullptr) call.text(function);
  call.begin();
  if (call.active()) note_error(call.slot(), code);
}

// Handlers that end the process. Open MPI keeps what each does as pointers to functions in the handler's object. These
// are replaced there: so all handles, what new communicators inherit, and what MPI_Comm_get_errhandler says stay as
// they are without the recorder.
constexpr struct {
  const char *object, *function;
} kDeadly[] = {
    {"ompi_mpi_errors_are_fatal", "ompi_mpi_errors_are_fatal_comm_handler"},
    {"ompi_mpi_errors_are_fatal", "ompi_mpi_errors_are_fatal_file_handler"},
    {"ompi_mpi_errors_are_fatal", "ompi_mpi_errors_are_fatal_win_handler"},
    {"ompi_mpi_errors_are_fatal", "ompi_mpi_errors_are_fatal_instance_handler"},
    {"ompi_mpi_errors_abort", "ompi_mpi_errors_abort_comm_handler"},  // MPI 4.0
    {"ompi_mpi_errors_abort", "ompi_mpi_errors_abort_file_handler"},
    {"ompi_mpi_errors_abort", "ompi_mpi_errors_abort_win_handler"},
    {"ompi_mpi_errors_abort", "ompi_mpi_errors_abort_instance_handler"},
};
constexpr int kDeadlyHandlers = sizeof kDeadly / sizeof kDeadly[0];
Handler* deadly[kDeadlyHandlers];

template <int i>
void note_and_end(void* object, int* code, ...) {
  va_list more;
  va_start(more, code);
  const char* function = va_arg(more, const char*);
  va_end(more);
  if (code != nullptr && is_recorded()) {
    note_last_words(*code, function);
    note_end(Ended::aborted, *code);
  }
  deadly[i](object, code, function, nullptr);
}

// Puts `ours` in the place of `theirs` in a variable of libmpi.
bool replace_in(void* object, Handler* theirs, Handler* ours) {
  Dl_info found;
  ElfW(Sym)* symbol = nullptr;
  if (::dladdr1(object, &found, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 || symbol == nullptr)
    return false;
  auto* const words = static_cast<Handler**>(object);
  for (std::size_t i = 0; i < symbol->st_size / sizeof *words; ++i) {
    if (words[i] != theirs) continue;
    __atomic_store_n(&words[i], ours, __ATOMIC_RELEASE);
    return true;
  }
  return false;
}

template <int i>
void watch() {
  void* const object = ::dlsym(RTLD_DEFAULT, kDeadly[i].object);
  deadly[i] = reinterpret_cast<Handler*>(::dlsym(RTLD_DEFAULT, kDeadly[i].function));
  if (object != nullptr && deadly[i] != nullptr) replace_in(object, deadly[i], note_and_end<i>);
}

template <int... i>
void watch_all(std::integer_sequence<int, i...>) {
  (watch<i>(), ...);
}

// The program's handlers, each with a function in front of it: nothing but its address tells them apart.
constexpr int kMostHandlers = 64;
Handler* programs_own[kMostHandlers];
std::atomic<int> handlers_made;

template <int i>
void note_and_call(void* object, int* code, ...) {
  va_list more;
  va_start(more, code);
  const char* function = va_arg(more, const char*);
  va_end(more);
  if (is_recorded() && depth > 0) {
    const Locked locked;
    write_unrecorded();
    if (Slot* slot = event_in_progress()) note_error(*slot, *code);
  }
  programs_own[i](object, code, function, nullptr);
}

template <int... i>
Handler* function_in_front(int wanted, std::integer_sequence<int, i...>) {
  static constexpr Handler* all[] = {note_and_call<i>...};
  return all[wanted];
}

}  // namespace

Handler* watched(Handler* handler) {
  const int mine = handlers_made.fetch_add(1);
  if (mine >= kMostHandlers) return handler;
  programs_own[mine] = handler;
  return function_in_front(mine, std::make_integer_sequence<int, kMostHandlers>());
}

void watch_errors() {
  watch_all(std::make_integer_sequence<int, kDeadlyHandlers>());
}

}  // namespace petri::record
