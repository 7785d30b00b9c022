/* What the twins share. A twin is one small MPI program in two forms that differ by one mistake of a person.
 *
 *   // What goes wrong, in a sentence.
 *   TWIN(send_send, 2, order, deadlock, "0,1") {
 *     …
 *     MPI_Send(…);  // fault
 *   }
 *
 * states the name, the number of ranks, the kind of mistake, the verdict on the wrong form and the culprits; `score`
 * reads it from the source. `wrong` tells which form runs. `LEGAL(name, ranks)` is a program without a wrong form, of a
 * kind that is easily taken for one.
 *
 * Culprits are the ranks whose code has to change. Where the calls of two ranks do not fit and each is legal alone (a
 * tag, a count), both are. "0|1,2" states two readings between which no record can decide.
 *
 * Each line marked `fault` must be told, and one of them first:
 *
 * - where a call is wrong, in the wrong place or too many: that call;
 *
 * - where a call is missing: the call that it leaves unanswered, which is the collective that the others make, the
 *   receive that waits for the message (the call that posted or, if persistent, started it), the send that nobody
 *   receives, or the start of what nobody completes; with it the collective, if any, that the culprit makes instead.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int rank, size;
extern bool wrong;

/* Enters a twin into the program's table; called before main. */
void twin_register(const char* name, int ranks, void (*body)(void));

#ifdef __cplusplus
}
#endif

#define TWIN(name, ranks, mistake, verdict, culprits) TWIN_BODY(name, ranks)
#define LEGAL(name, ranks) TWIN_BODY(name, ranks)
#define TWIN_BODY(name, ranks)                                          \
  static void name(void);                                               \
  __attribute__((constructor)) static void twin_register_##name(void) { \
    twin_register(#name, ranks, name);                                  \
  }                                                                     \
  static void name(void)
