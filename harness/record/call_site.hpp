// Where the program made a call: from the return address of a wrapper to the code whose line the importer will name.
#pragma once

#include <cstdint>

namespace petri::record {

// What a call by a Fortran name (mpi_send_, mpi_send_f08_) noted on its way into MPI's Fortran binding, by the code of
// fortran_*.S. Null when there was none, or when it has been used up.
struct FortranCall {
  const void* site;      // the return address in the program
  const void* requests;  // where the program keeps the request or the requests: INTEGERs, or types of one INTEGER
};
extern "C" constinit thread_local FortranCall petri_fortran_call __attribute__((tls_model("initial-exec")));

// Pages of code whose module is among the record's facts and is no Fortran binding.
extern std::uintptr_t known_pages[64];
FortranCall learn_call(const void* return_address);

inline bool is_known(const void* return_address) {
  const auto page = reinterpret_cast<std::uintptr_t>(return_address) >> 12;
  return __builtin_expect(known_pages[page % 64] == page, 1);
}

// The call that returns to this address; what its site lies in is then among the facts (modules can be loaded at any
// time). Where the address lies in a Fortran binding, it is the Fortran call, which is used up by that; otherwise there
// are no `requests`.
inline FortranCall call_of(const void* return_address) {
  return is_known(return_address) ? FortranCall{return_address, nullptr} : learn_call(return_address);
}

// Where a Fortran program keeps the requests of the call that returns to this address; null for other callers. Does not
// use the call up.
const void* fortran_requests(const void* return_address);

}  // namespace petri::record
