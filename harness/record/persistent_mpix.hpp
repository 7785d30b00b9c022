// Persistent collectives by their names in Open MPI 4.1, where they are an extension.
#pragma once

#include <mpi-ext.h>

#define PETRI_PERSISTENT_NAME(name) MPIX_##name
