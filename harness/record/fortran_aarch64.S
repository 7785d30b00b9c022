// Where a Fortran program made a call, on AArch64: fortran_x86_64.S has the reasons. x16 and x17 are free between a call
// and its function (AAPCS64, section 6.1.1), x30 holds the return address.

        .macro load_argument number
        .if \number < 8
        mov     x17, x\number
        .else
        ldr     x17, [sp, 8 * (\number - 8)]
        .endif
        .endm

        .macro trampoline name, requests
        .data
        .balign 8
1:      .quad   0               // struct FortranFunction
        .asciz  "\name"
        .text
        .globl  \name
        .type   \name, %function
        .balign 16
\name:
        .cfi_startproc
        hint    34              // bti c
        adrp    x16, :gottprel:petri_fortran_call
        ldr     x16, [x16, :gottprel_lo12:petri_fortran_call]
        mrs     x17, tpidr_el0
        add     x16, x16, x17
        str     x30, [x16]
        .if \requests >= 0
        load_argument \requests
        str     x17, [x16, 8]
        .endif
        adrp    x16, 1b
        add     x16, x16, :lo12:1b
        ldr     x17, [x16]
        cbz     x17, find_first
        br      x17
        .cfi_endproc
        .size   \name, . - \name
        .endm

        // On the first call of each: x16 is its FortranFunction.
        .text
find_first:
        .cfi_startproc
        stp     x29, x30, [sp, -80]!
        .cfi_def_cfa_offset 80
        .cfi_offset 29, -80
        .cfi_offset 30, -72
        stp     x0, x1, [sp, 16]
        stp     x2, x3, [sp, 32]
        stp     x4, x5, [sp, 48]
        stp     x6, x7, [sp, 64]
        mov     x0, x16
        bl      petri_find_fortran
        mov     x16, x0
        ldp     x0, x1, [sp, 16]
        ldp     x2, x3, [sp, 32]
        ldp     x4, x5, [sp, 48]
        ldp     x6, x7, [sp, 64]
        ldp     x29, x30, [sp], 80
        .cfi_restore 29
        .cfi_restore 30
        .cfi_def_cfa_offset 0
        br      x16
        .cfi_endproc

#define PETRI_FORTRAN(name, requests) \
        trampoline mpi_##name##_, requests; \
        trampoline mpi_##name##_f08_, requests
#define PETRI_FORTRAN_PERSISTENT(name, requests) \
        PETRI_FORTRAN(name, requests); \
        trampoline mpix_##name##_, requests; \
        trampoline mpix_##name##_f08_, requests
#include "harness/record/fortran_calls.inc"

        .section .note.GNU-stack, "", %progbits
