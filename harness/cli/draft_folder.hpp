// A folder that is filled out of sight, and there at once when it is whole.
#pragma once

#include <filesystem>
#include <string>

namespace petri::cli {

// A hidden folder beside the place of the new one; gone with this object, unless it was renamed. A process that is
// killed leaves its draft, which the next one at the same place removes: whoever fills a draft holds its lock
// (flock(2)), so that one without is nobody's.
class DraftFolder {
 public:
  // Throws EnvironmentError where none can be made in the folder `beside`.
  explicit DraftFolder(const std::filesystem::path& beside);
  ~DraftFolder();
  DraftFolder(const DraftFolder&) = delete;
  DraftFolder& operator=(const DraftFolder&) = delete;

  std::filesystem::path file(const char* name) const { return std::filesystem::path(folder_) / name; }
  // Renames it to `place`. Throws UsageError where something is there already.
  void become(const std::filesystem::path& place);

 private:
  std::string folder_;
  int lock_ = -1;
};

}  // namespace petri::cli
