/* Tells Petri's recorder which step, and which microbatch of it, the program is in: findings then name them, and a
 * job's steps can be told apart. Nothing has to be linked. Where the program runs without the recorder, nothing
 * happens.
 *
 *   petri_step(n)        step n (0 and up) begins, outside of any microbatch; -1: no step from here on
 *   petri_microbatch(n)  microbatch n (0 and up) of the step begins; -1: none from here on
 *
 * They concern the whole process, and the calls of MPI that are made after them.
 *
 * Without this header: MPI_Pcontrol(PETRI_STEP_LEVEL + n) and MPI_Pcontrol(PETRI_MICROBATCH_LEVEL + n), also from
 * Fortran, whose MPI_PCONTROL has no other argument. The levels 0, 1 and 2 keep the standard's meaning (MPI 4.1,
 * section 15.2.4) as far as a record can: none of them pauses the recording, since a schedule in which calls are
 * missing would be taken for a faulty one, and nothing is ever held back that could be flushed. Other levels mean
 * nothing to Petri.
 *
 * From Fortran by names of its own: define PETRI_DEFINE before this header is included in one C file of the program,
 * and
 *
 *   interface
 *     subroutine petri_step(n) bind(c)
 *       use, intrinsic :: iso_c_binding, only: c_int
 *       integer(c_int), value :: n
 *     end subroutine
 *   end interface
 */
#ifndef PETRI_H
#define PETRI_H

#define PETRI_STEP_LEVEL 0x20000000       /* 536870912 */
#define PETRI_MICROBATCH_LEVEL 0x40000000 /* 1073741824 */

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder has this function, and nobody else. */
extern void petri_record_enter(int is_microbatch, int n) __attribute__((weak));

typedef void (*petri_enter_function)(int, int);

static inline petri_enter_function petri_enter(void) {
#if defined(__x86_64__)
  /* Where a program is not position-independent, the linker would take a weak symbol for missing once and for all,
   * unless it is looked up in the table that the loader fills in. */
  petri_enter_function found;
  __asm__(".weak petri_record_enter\n\tmovq petri_record_enter@GOTPCREL(%%rip), %0" : "=r"(found));
  return found;
#else
  return petri_record_enter;
#endif
}

#ifdef PETRI_DEFINE
#define PETRI_FUNCTION
void petri_step(int n);
void petri_microbatch(int n);
#else
#define PETRI_FUNCTION static inline
#endif

PETRI_FUNCTION void petri_step(int n) {
  petri_enter_function enter = petri_enter();
  if (enter) enter(0, n);
}

PETRI_FUNCTION void petri_microbatch(int n) {
  petri_enter_function enter = petri_enter();
  if (enter) enter(1, n);
}

#undef PETRI_FUNCTION

#ifdef __cplusplus
}
#endif

#endif
