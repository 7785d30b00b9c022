// Reads an OTF2 archive by the OTF2 library and says record for record what is in it. The library ends the process, or
// crashes, on some broken archives, and this changes how memory is taken: call it in a process of its own
// (otf2_process.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/import/otf2_record.hpp"

namespace petri {

// `payload` holds for the call. False: the receiver wants no more.
using Otf2Sink = std::function<bool(const Otf2Record& record, const void* payload)>;

// All definitions, then the events of the CPU threads among the locations, from the `first`th on, by their place among
// the definitions. Throws std::runtime_error, with the library's reason, where the anchor file or the global
// definitions cannot be read; a location's file that is missing or breaks off is a record.
void read_otf2_archive(const std::string& anchor, std::uint64_t first, const Otf2Sink& sink);

}  // namespace petri
