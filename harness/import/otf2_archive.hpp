// OTF2 archives, as Score-P, TAU, EZTrace, Extrae's converters and Petri itself write them: an anchor file (NAME.otf2),
// the global definitions (NAME.def) and a folder NAME with the events (N.evt) and local definitions (N.def) of each
// location. Read by the OTF2 library (otf2_process.hpp).
#pragma once

#include <vector>

#include "harness/import/foreign.hpp"

namespace petri {

// The anchor file, and the definition and event files that belong to one (OTF2 3.0, src/OTF2_Archive_Int.c and
// src/OTF2_Buffer.c: a chunk's header, its byte order, the numbers of its first and last event).
bool recognizes_otf2(const TraceFile& file);

// One archive. Counts are bytes, and what OTF2 does not record stays unknown; a call without an end is in flight, a
// location whose file breaks off ends `cut`. Throws InputError for what is no archive, or is one without its anchor or
// global definitions, as a job that was killed leaves it.
Scenario read_otf2(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri
