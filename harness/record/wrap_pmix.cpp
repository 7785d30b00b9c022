// The library's own abort. Where errors are fatal, a call that fails ends the job from within, without MPI_Abort (MPI
// 4.1, section 9.3): Open MPI then asks its launcher through PMIx to end all ranks. Which of them asked, nobody else
// knows afterwards: all were ended alike.
#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>

#include "harness/record/recorder.hpp"

using namespace petri::record;

namespace {

constexpr int kPmixError = -1;  // PMIX_ERROR

using Abort = int (*)(int status, const char* message, void* processes, std::size_t count);

int find_libpmix(dl_phdr_info* module, std::size_t, void* handle) {
  if (std::strstr(module->dlpi_name, "/libpmix.so") == nullptr) return 0;
  *static_cast<void**>(handle) = ::dlopen(module->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
  return 1;
}

// Open MPI's components load libpmix for themselves alone, so that it is not among the next objects to look in.
Abort real_abort() {
  void* function = ::dlsym(RTLD_NEXT, "PMIx_Abort");
  if (function != nullptr) return reinterpret_cast<Abort>(function);
  void* library = nullptr;
  ::dl_iterate_phdr(find_libpmix, static_cast<void*>(&library));
  return library != nullptr ? reinterpret_cast<Abort>(::dlsym(library, "PMIx_Abort")) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int PMIx_Abort(int status, const char* message, void* processes,
                                                                 std::size_t count) {
  if (state.recording) note_end(Ended::aborted, status);
  const Abort abort = real_abort();
  return abort != nullptr ? abort(status, message, processes, count) : kPmixError;
}
