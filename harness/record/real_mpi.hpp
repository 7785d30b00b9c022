// The MPI library underneath: real::Send(…) is the MPI_Send that the program would have called without the recorder.
//
// The recorder defines both names of each function that it wraps, MPI_Send and PMPI_Send: the Fortran bindings of Open
// MPI call the second one. So it must not call either by name itself. What is underneath is looked up when it is first
// called, which may be from a constructor of any library, earlier than those of this one. And as no symbol of MPI stays
// undefined, the recorder can be preloaded into programs that have no MPI.
#pragma once

#include <mpi.h>

namespace petri::record::real {

// Address of a function of MPI behind the recorder in the order of the loader, by its name with PMPI_ in front. Where
// there is none, says so and ends the process: a program can call only what its MPI has.
void* find(const char* pmpi_name);

// Makes libmpi visible to the loader's search where the program loaded it for itself alone, as an interpreter does with
// an extension module. False where there is no libmpi.
bool make_visible();

// What a pointer holds until it is known: finds the function, keeps it and calls it.
template <auto* pointer, class Name, class Function>
struct FirstCall;

template <auto* pointer, class Name, class... Arguments>
struct FirstCall<pointer, Name, int (*)(Arguments...)> {
  static int call(Arguments... arguments) {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(find(Name::text));
    __atomic_store_n(pointer, function, __ATOMIC_RELAXED);
    return function(arguments...);
  }
};

#define PETRI_REAL(name) extern decltype(&::MPI_##name) name;
#include "harness/record/real_mpi.inc"
#undef PETRI_REAL

}  // namespace petri::record::real

// For the files that define the pointers of a table: PETRI_REAL(name).
#define PETRI_DEFINE_REAL(name) PETRI_DEFINE_REAL_NAMED(name, MPI_##name)
#define PETRI_DEFINE_REAL_NAMED(name, function) PETRI_DEFINE_REAL_NAMED_(name, function)
#define PETRI_DEFINE_REAL_NAMED_(name, function)  \
  struct name##Name {                             \
    static constexpr char text[] = "P" #function; \
  };                                              \
  constinit decltype(&::function) name = &FirstCall<&name, name##Name, decltype(&::function)>::call;

// Defines a wrapper under both of its names: PETRI_MPI(Send)(const void* buf, …) { … }. Each has an entry in a table.
// A function that probes for MPI, as MPI_Initialized, is better not wrapped: its presence would tell a program without
// MPI that it has one.
#define PETRI_MPI(name) PETRI_MPI_NAMED(MPI_##name)
#define PETRI_MPI_NAMED(function) PETRI_MPI_NAMED_(function)
#define PETRI_MPI_NAMED_(function)                                                                      \
  extern "C" __attribute__((visibility("default"), alias(#function))) decltype(::function) P##function; \
  extern "C" __attribute__((visibility("default"))) int function
