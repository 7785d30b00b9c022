// Every verdict on disk as soon as it is known, so that a killed run goes on where it was.
//
// JSON Lines. First line: {"petri_journal":1,"input":"<digest>","oracle":"<name>","seed":0}; then one line a verdict:
// {"candidate":"<fingerprint>","answer":"reproduces|passes|unresolved"} with "other" where a different failure was met.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "reducers/oracle.hpp"

namespace petri::reduce {

// What a journal belongs to. Verdicts of another input or oracle would be wrong ones; those of another seed would only
// be of little use, but the run would no longer be the one that was begun.
struct JournalIdentity {
  std::string input;   // fingerprint or digest of the input
  std::string oracle;  // names the oracle with its settings
  std::uint64_t seed = 0;
  bool operator==(const JournalIdentity&) const = default;
};

using Verdicts = std::unordered_map<std::string, Judgement>;  // by fingerprint

class Journal {
 public:
  // Begins a new journal; an existing file is replaced. Throws std::system_error when the file cannot be written.
  static Journal begin(const std::filesystem::path& file, const JournalIdentity& identity);

  // Goes on with an existing one, or begins it where there is none; `known` receives its verdicts. A torn last line is
  // cut off. Throws InputError for a file that is no journal, is broken before its last line, or belongs to another
  // input, oracle or seed.
  static Journal resume(const std::filesystem::path& file, const JournalIdentity& identity, Verdicts& known);

  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();

  // Appends with one write to the file: it survives the end of this process by any signal. Callers take turns.
  void append(const std::string& fingerprint, const Judgement& judgement);

 private:
  class File;
  explicit Journal(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace petri::reduce
