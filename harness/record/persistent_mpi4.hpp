// Persistent collectives by their names in MPI 4.0.
#pragma once

#define PETRI_PERSISTENT_NAME(name) MPI_##name
