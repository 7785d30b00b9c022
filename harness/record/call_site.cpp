#include "harness/record/call_site.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/record/recorder.hpp"

namespace petri::record {

std::uintptr_t known_pages[64];

constinit thread_local FortranCall petri_fortran_call __attribute__((tls_model("initial-exec"))) = {};

namespace {

struct Range {
  std::uintptr_t begin, end;
  bool has(std::uintptr_t address) const { return begin <= address && address < end; }
};

// A few ranges of code, kept once each.
template <int most>
class Ranges {
 public:
  bool has(std::uintptr_t address) const {
    for (int i = 0; i < count_; ++i)
      if (ranges_[i].has(address)) return true;
    return false;
  }
  void add(const Range& range) {
    if (count_ < most) ranges_[count_++] = range;
  }

 private:
  Range ranges_[most];
  int count_ = 0;
};

Ranges<256> modules;  // among the facts
Ranges<16> bindings;  // Open MPI has three, of one or two segments that can hold code each

bool is_fortran_binding(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  return std::strncmp(name, "libmpi_mpifh.", 13) == 0 || std::strncmp(name, "libmpi_usempi", 13) == 0;
}

void write_module(const char* path, const Range& range, std::uintptr_t bias) {
  char own[4096] = "";
  if (*path == '\0') {  // the program itself has no name among the loaded modules
    const ssize_t length = ::readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    path = own;
  }
  ModuleFact fact{{}, range.begin, range.end, bias};
  write_fact(FactKind::module, &fact, sizeof fact, path, std::strlen(path) + 1);
  modules.add(range);
}

int learn_module(dl_phdr_info* module, std::size_t, void* wanted) {
  const auto address = *static_cast<const std::uintptr_t*>(wanted);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& segment = module->dlpi_phdr[i];
    const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    const Range range{begin, begin + segment.p_memsz};
    if (segment.p_type != PT_LOAD || !range.has(address)) continue;
    if (is_fortran_binding(module->dlpi_name)) bindings.add(range);
    write_module(module->dlpi_name, range, module->dlpi_addr);
    return 1;
  }
  return 0;
}

// A function of a Fortran binding, as fortran_*.S has it in its data.
struct FortranFunction {
  void* function;
  char name[1];  // zero-terminated
};

}  // namespace

const void* fortran_requests(const void* return_address) {
  if (is_known(return_address) || !bindings.has(reinterpret_cast<std::uintptr_t>(return_address))) return nullptr;
  return petri_fortran_call.requests;
}

FortranCall learn_call(const void* return_address) {
  auto address = reinterpret_cast<std::uintptr_t>(return_address);
  if (!modules.has(address)) ::dl_iterate_phdr(learn_module, &address);
  if (!bindings.has(address)) {
    known_pages[(address >> 12) % 64] = address >> 12;
    return {return_address, nullptr};
  }
  const FortranCall call = petri_fortran_call;
  petri_fortran_call = {};
  // A binding's function of another name, as pmpi_send_, leaves nothing: then the binding is the place.
  if (call.site == nullptr) return {return_address, nullptr};
  if (!is_known(call.site)) learn_call(call.site);
  return call;
}

extern "C" __attribute__((visibility("hidden"))) void* petri_find_fortran(FortranFunction* wanted) {
  void* const function = ::dlsym(RTLD_NEXT, wanted->name);
  if (function == nullptr) {
    std::fprintf(stderr, "petri: %s was called, but there is no MPI library that has it\n", wanted->name);
    std::abort();
  }
  __atomic_store_n(&wanted->function, function, __ATOMIC_RELAXED);
  return function;
}

}  // namespace petri::record
