#include "harness/record/real_mpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace petri::record::real {
namespace {

int promote_libmpi(dl_phdr_info* module, std::size_t, void*) {
  if (std::strstr(module->dlpi_name, "/libmpi.so") == nullptr) return 0;
  return ::dlopen(module->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL) != nullptr;
}

// A library that has no profiling names, and other tools of this kind, are there by MPI's own names.
void* next(const char* pmpi_name) {
  void* const function = ::dlsym(RTLD_NEXT, pmpi_name);
  return function != nullptr ? function : ::dlsym(RTLD_NEXT, pmpi_name + 1);
}

}  // namespace

bool make_visible() {
  return next("PMPI_Init") != nullptr || ::dl_iterate_phdr(promote_libmpi, nullptr) != 0;
}

void* find(const char* pmpi_name) {
  void* function = next(pmpi_name);
  if (function == nullptr && make_visible()) function = next(pmpi_name);
  if (function != nullptr) return function;
  std::fprintf(stderr, "petri: %s was called, but there is no MPI library that has it\n", pmpi_name + 1);
  std::abort();
}

#define PETRI_REAL(name) PETRI_DEFINE_REAL(name)
#include "harness/record/real_mpi.inc"
#undef PETRI_REAL

}  // namespace petri::record::real
