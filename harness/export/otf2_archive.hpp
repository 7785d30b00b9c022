// A scenario as an OTF2 archive, which otf2-print, Vampir, Cube and Scalasca read, and `petri import` too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

struct Otf2Options {
  // For each rank the event that it cannot leave, as in a diagnosis: its call has no end, and what follows is no event
  // of the archive. Empty: only calls that were seen begun and not ended stay open.
  std::vector<std::optional<std::uint32_t>> blocked = {};
};

// Writes a folder with the anchor file traces.otf2; it must not be there yet, or be empty. It is written under another
// name beside its place and renamed, so that no half-written archive has the name. Ranks are processes, threads
// locations, communicators groups of MPI; messages, collectives and requests are MPI's records, with sizes as Score-P
// reckons them. What those have no place for is in attributes called "petri.KEY" (a scenario's own keys), by which an
// import makes the same scenario of it. Not in it: payload, free keys and the header but for job and backend. Throws
// std::system_error where the system refuses, EnvironmentError where the OTF2 library does or the folder is not empty.
void write_otf2_archive(const Scenario& scenario, const std::filesystem::path& folder, const Otf2Options& options = {});

}  // namespace petri
