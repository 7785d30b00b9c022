// Processors for which nobody has written the others: calls from Fortran are recorded with a place in MPI's binding
// instead of the program's.
        .section .note.GNU-stack, "", %progbits
