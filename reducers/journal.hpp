// Every verdict on disk as soon as it is known, so that a killed run goes on where it was.
//
// JSON Lines. First line: {"petri_journal":2,"input":"<digest>","oracle":"<name>","programs":"<digests>","seed":0};
// then one line a verdict: {"candidate":"<fingerprint>","answer":"reproduces|passes|unresolved"} with "other" where a
// different failure was met. A verdict "unresolved" is as final as the others: the run went on from it, and the limits
// that it came from are part of the oracle's name. A question that was withdrawn leaves no line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "reducers/oracle.hpp"

namespace petri::reduce {

// What a journal belongs to: all that decides a verdict. Verdicts of another input or oracle would be wrong ones; those
// of another seed would only be of little use, but the run would no longer be the one that was begun.
struct JournalIdentity {
  std::string input;     // fingerprint or digest of the input
  std::string oracle;    // names the oracle with its settings: limits, repeats
  std::string programs;  // digests of the programs that answer: a mended predicate is another one
  std::uint64_t seed = 0;
  bool operator==(const JournalIdentity&) const = default;
};

using Verdicts = std::unordered_map<std::string, Judgement>;  // by fingerprint

class Journal {
 public:
  // What to do with a file that is there already.
  enum class Existing {
    replace,   // begin anew
    resume,    // go on with it; refuse one of another identity
    own_place  // go on with it; one of another identity is an older run's, and is replaced
  };

  // `known` receives the verdicts that are there. A torn last line is cut off. Throws InputError for a file that is no
  // journal, is broken before its last line, or is refused (nothing is changed then); EnvironmentError when the file
  // cannot be written, or another process that lives has it open as its journal.
  static Journal open(const std::filesystem::path& file, const JournalIdentity& identity, Existing existing,
                      Verdicts& known);

  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();

  // Appends with one write to the file: it survives the end of this process by any signal. Callers take turns. Where
  // the file cannot take the line (a full disk, a limit), it stays as it was and nothing is appended any more: the run
  // goes on, and a resumed one asks again from there. Never throws for that.
  void append(const std::string& fingerprint, const Judgement& judgement);

  // Why nothing is appended any more; empty while all is well. May be asked from any thread.
  std::string failure() const;

  // False where not even the first line could be written: then there is no file, and nothing to go on with.
  bool begun() const;

  void remove();  // the file goes; for a run that has come to its end

 private:
  class File;
  explicit Journal(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace petri::reduce
