// A course as a trace for the Perfetto UI (ui.perfetto.dev), in its protobuf form.
#pragma once

#include <iosfwd>
#include <string>

#include "harness/export/course.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

struct PerfettoOptions {
  std::string title;  // of all tracks together, e.g. the job's name and the verdict
};

// One track for each rank, of several lines where it has threads or streams, under its host where hosts are recorded;
// one slice for each call with its arguments, one "waits" before it where it waited, an arrow for each message and
// through the members of each collective, and an instant for each finding. A call that is never left lasts to the end.
//
// The protobuf form, and not Chrome's JSON: there an arrow is an event of its own that finds its slice by time, which
// fails where slices touch, and the text is four times as large. The UI draws an arrow from the end of a slice to the
// begin of the next of its number, or straight down where both begin together (Perfetto, ui/src/frontend/viewer_page/
// flow_events_renderer.ts), and numbers are joined in the order of time (src/trace_processor/importers/common/
// flow_tracker.cc): a course has its spans so that none points backwards. Memory: that of one track and of the texts.
void write_perfetto(const Scenario& scenario, const Course& course, const PerfettoOptions& options, std::ostream& out);

}  // namespace petri
