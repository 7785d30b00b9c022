// Errors that MPI reports to an error handler (MPI 4.1, chapter 9), which often ends the process within the call.
#pragma once

namespace petri::record {

// A handler in C, whatever the kind of object. Open MPI calls it with the object, the error, the name of the function
// that failed, and a null.
using Handler = void(void* object, int* code, ...);

// After MPI_Init: from here on MPI's handlers that end the process leave their error in the record first.
void watch_errors();

// A handler that does the same for one of the program's, which may not return to the call either.
Handler* watched(Handler* handler);

}  // namespace petri::record
