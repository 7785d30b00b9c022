// Where a Fortran program made a call, on x86-64 (call_site.hpp).
//
// In Open MPI mpi_send_ (mpif.h, use mpi) and mpi_send_f08_ (use mpi_f08) end in PMPI_Send, whose return address lies in
// the binding. So each of those names is taken here, too: it stores its own return address, and where the program keeps
// its requests, for the wrapper of PMPI_Send, and goes on to the binding's function as if it had been called at once.
// Only scratch registers are used; stack and arguments stay as they are, whatever the signature.

        .macro load_argument number
        .if \number == 0
        movq    %rdi, %r11
        .elseif \number == 1
        movq    %rsi, %r11
        .elseif \number == 2
        movq    %rdx, %r11
        .elseif \number == 3
        movq    %rcx, %r11
        .elseif \number == 4
        movq    %r8, %r11
        .elseif \number == 5
        movq    %r9, %r11
        .else
        movq    8 * (\number - 5)(%rsp), %r11
        .endif
        .endm

        .macro trampoline name, requests
        .data
        .balign 8
1:      .quad   0               // struct FortranFunction
        .asciz  "\name"
        .text
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        endbr64
        movq    petri_fortran_call@gottpoff(%rip), %rax
        movq    (%rsp), %r11
        movq    %r11, %fs:(%rax)
        .if \requests >= 0
        load_argument \requests
        movq    %r11, %fs:8(%rax)
        .endif
        movq    1b(%rip), %r11
        testq   %r11, %r11
        je      2f
        jmpq    *%r11
2:      leaq    1b(%rip), %r11
        jmp     find_first
        .cfi_endproc
        .size   \name, . - \name
        .endm

        // On the first call of each: r11 is its FortranFunction.
        .text
find_first:
        .cfi_startproc
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        pushq   %rax            // aligns the stack
        .cfi_adjust_cfa_offset 8
        movq    %r11, %rdi
        call    petri_find_fortran
        movq    %rax, %r11
        popq    %rax
        .cfi_adjust_cfa_offset -8
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmpq    *%r11
        .cfi_endproc

#define PETRI_FORTRAN(name, requests) \
        trampoline mpi_##name##_, requests; \
        trampoline mpi_##name##_f08_, requests
#define PETRI_FORTRAN_PERSISTENT(name, requests) \
        PETRI_FORTRAN(name, requests); \
        trampoline mpix_##name##_, requests; \
        trampoline mpix_##name##_f08_, requests
#include "harness/record/fortran_calls.inc"

        .section .note.GNU-stack, "", @progbits
