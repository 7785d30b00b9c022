// What the Flight Recorder dumps of a job say together. Internal to harness/import.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/import/flight_calls.hpp"
#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_groups.hpp"
#include "harness/import/flight_progress.hpp"
#include "harness/import/flight_ranks.hpp"
#include "harness/import/flight_remarks.hpp"
#include "harness/import/foreign.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

class FlightJob {
 public:
  explicit FlightJob(ImportNotes& notes) : notes_(notes) {}

  // One dump after the other, in the order of the files. `calls` are calls_of(dump).
  void add(const TraceFile& file, FlightDump&& dump, FlightCalls&& calls);

  // A dump that is broken is as good as none: the others may tell all the same.
  void leave_out(const InputError& error);

  // When all were taken. Throws the first error where all of them are broken, and InputError where it is not told which
  // ranks wrote them.
  Scenario finish();

 private:
  std::vector<std::int32_t> groups_of(const FlightDump& dump, const FlightCalls& calls);
  void name_ranks();
  std::int32_t world() const;
  void resolve_groups();
  void discount_launches();
  void leave_out_strays(FlightRecord& record);
  bool is_stray(const Event& event, std::int32_t rank) const;
  void infer_members(std::int32_t world);
  void fill_header(Scenario& scenario);

  ImportNotes& notes_;
  FlightRemarks remarks_;
  FlightGroups groups_;
  SymbolTable symbols_;
  std::vector<FlightRecord> records_;
  std::vector<FlightFile> files_;
  std::optional<InputError> first_error_;
};

}  // namespace petri
