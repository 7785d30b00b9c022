// What a command takes as its scenario: a scenario file, folders of recorded ranks, or traces that Petri did not
// record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/piped.hpp"
#include "harness/import/foreign.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

// As help texts call it.
inline constexpr const char* kSources =
    "a scenario file, folders of recorded ranks, or traces that others recorded (files, folders, archives); - is stdin";

enum class InputKind : std::uint8_t {
  scenario,   // a scenario file, or a file that is nothing else: its reader says what is wrong with it
  recording,  // folders of Petri's own recordings, one of each host
  foreign,    // files and folders of traces that Petri did not record, parts of one
};

class Input {
 public:
  // Looks at what is there: what a source is, its content tells. Throws UsageError for sources that are no parts of one
  // scenario, InputError for what cannot be read.
  explicit Input(std::vector<std::string> sources);
  explicit Input(const std::string& source) : Input(std::vector<std::string>{source}) {}

  InputKind kind() const { return kind_; }
  const std::vector<std::string>& sources() const { return sources_; }

  // What messages and files that come of it call it: "dumps", "standard input", "dumps/rank_0 and 7 others".
  std::string name() const;

  // Says on standard error what keeps imported evidence from being whole.
  Scenario load() const;

  // With the payload of its reductions that lies in NumPy files beside it.
  Scenario load_with_payload() const;

  // Of a foreign trace: its files, and what is read of them with what is to be said of it.
  const ForeignFiles& foreign() const { return *foreign_; }
  Imported import() const { return foreign_->import(); }

  // By which the input is known again: of the bytes of files, or of the scenario that folders of ranks make.
  std::string digest(const Scenario& scenario) const;

 private:
  std::vector<std::string> sources_;
  InputKind kind_ = InputKind::scenario;
  void look_at_pipe();
  void look_at_file();
  Scenario read() const;

  std::optional<ForeignFiles> foreign_;
  std::shared_ptr<Piped> piped_;  // a scenario, not yet read to its end
  std::string head_;              // of a scenario file
};

// Says on standard error what keeps imported evidence from being whole; with `all`, also what the format does not
// record.
void say_notes(const Imported& imported, bool all);

inline bool is_stdin(const std::string& input) {
  return input == "-";
}

}  // namespace petri::cli
