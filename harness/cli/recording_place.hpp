// Where `petri record` has the ranks' records written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace petri::cli {

// A job on this host records into the run's own folder, which is memory where possible. One whose ranks may be on other
// hosts records into a new folder beside the scenario file, which is often on a file system that they share; it goes
// with this object, unless it is kept.
class RecordingPlace {
 public:
  // `named` is the user's own folder, or empty: made where it is missing, kept at the end. Throws EnvironmentError when
  // it cannot be made, UsageError when it holds records already. `beside` is a folder.
  RecordingPlace(const std::filesystem::path& named, const std::vector<std::string>& command,
                 const std::filesystem::path& beside);
  ~RecordingPlace();
  RecordingPlace(const RecordingPlace&) = delete;
  RecordingPlace& operator=(const RecordingPlace&) = delete;

  // The folder, absolute; empty: the run's own.
  const std::filesystem::path& folder() const { return folder_; }

  // Keeps the records that are here under a name made from `file`, where that is possible; returns where they are then,
  // or nothing.
  std::filesystem::path keep_beside(const std::filesystem::path& file);

 private:
  std::filesystem::path folder_;
  bool own_ = false;  // to be removed
};

}  // namespace petri::cli
