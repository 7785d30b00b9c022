// Traces that Petri did not record: one file for each format, recognized by content, never by name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/trace_files.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// What an import says beside its scenario, a sentence each.
struct ImportNotes {
  std::vector<std::string> facts;  // what the format does not record, what was left out of it: said by `petri import`
  std::vector<std::string> warnings;  // what keeps the evidence from being whole (a file that is cut): always said
};

struct ForeignFormat {
  std::string_view name;  // as a user knows it: "PyTorch Flight Recorder"
  bool (*recognizes)(const TraceFile& file);
  // Reads those files of the source that were recognized, one or more. Throws InputError, with the file and the place
  // in it, for what cannot be read. Ranks of which nothing is there end `missing`.
  Scenario (*read)(const std::vector<TraceFile>& files, ImportNotes& notes);
  bool name_may_tell_rank = false;  // the name of a file tells its rank, at least where nothing in it does
  bool file_of_each_rank = false;   // so that a copy beside one would count as another one
};

// In the order in which they are tried on a file; of a job that left several, the first one says most of why it failed.
const std::vector<ForeignFormat>& foreign_formats();

struct Imported {
  Scenario scenario;
  std::string_view format;
  ImportNotes notes;
};

// What is in some sources, folders or files, by format. Looked at once, read when it is asked for.
class ForeignFiles {
 public:
  // Throws as trace_files().
  explicit ForeignFiles(const std::vector<TraceSource>& sources);

  // Is one of the files of a format?
  bool any() const;

  // Is one of them none of these, but a scenario?
  bool begins_as_scenario() const;

  // Reads the files of the first format that any of them has as one trace. What is left out, as it is broken, of no
  // format or of another one, is told in the warnings, with the reason. Throws InputError where no file is of any
  // format; the reason names those that are read.
  Imported import() const;

  // The files of each format that any of them has; the first one's are those that import() reads.
  struct OfFormat {
    std::string_view format;
    std::vector<std::string> files;
  };
  std::vector<OfFormat> formats() const;

  // By which the same files are known again.
  std::string digest() const;

 private:
  std::size_t first() const;
  void say_left_out(std::size_t taken, ImportNotes& notes) const;
  [[noreturn]] void reject() const;

  std::vector<TraceSource> sources_;
  std::vector<std::vector<TraceFile>> by_format_;  // as foreign_formats(), and at last those of none
  std::vector<FileNote> notes_;
};

// "a.log, b.txt, c and 3 others".
std::string some_of(const std::vector<std::string>& names);

// Does a file begin as a scenario file does, as far as its first bytes tell?
bool begins_as_scenario(std::string_view head);

// Is a file, or what is packed in it, a trace of one of the formats? A file that cannot be read or unpacked is none.
bool is_foreign(const std::filesystem::path& file);

// Reads the sources as one trace: ForeignFiles(sources).import().
Imported import_foreign(const std::vector<std::filesystem::path>& sources);

}  // namespace petri
