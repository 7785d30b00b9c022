// The OTF2 library in a process of its own: it may end that process or crash on what it is given, and leaves nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/import/otf2_record.hpp"
#include "harness/import/trace_files.hpp"

namespace petri {

// An archive as the library wants it: files in a folder. Members of a packed archive are written into a temporary
// folder, which the reading process removes when it has read all or nobody reads any more, and this object where that
// process has crashed.
class Otf2Place {
 public:
  // `anchor` and `members` are of one archive.
  Otf2Place(const TraceFile& anchor, const std::vector<const TraceFile*>& members);
  ~Otf2Place();
  Otf2Place(const Otf2Place&) = delete;
  Otf2Place& operator=(const Otf2Place&) = delete;

  // In the reading process: the anchor's path, with all files there. Throws std::runtime_error, InputError.
  std::string fill();
  void remove() const;

 private:
  TraceFile anchor_;
  std::vector<const TraceFile*> members_;
  std::filesystem::path folder_;  // empty: the files lie where they are
};

class Otf2Process {
 public:
  // Reads the events from the `first`th CPU thread on. `place` must stay. Throws std::system_error.
  Otf2Process(Otf2Place& place, std::uint64_t first);
  ~Otf2Process();
  Otf2Process(const Otf2Process&) = delete;
  Otf2Process& operator=(const Otf2Process&) = delete;

  // The next record; at last one of the kinds `archive_end` and `failed`. The process's own end before that is
  // `failed`, too, and `crashed` is true from then on.
  void next(Otf2Record& record, std::string& payload);
  bool crashed() const { return crashed_; }

 private:
  bool read(void* to, std::size_t bytes);

  pid_t process_ = -1;
  int pipe_ = -1;
  bool crashed_ = false, ended_ = false;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace petri
