#include "harness/cli/recording_place.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "harness/cli/command.hpp"
#include "harness/launch/elsewhere.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/record_view.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

fs::path make_named(const fs::path& named) {
  const fs::path folder = fs::absolute(named);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK | X_OK) != 0)
    throw EnvironmentError(fmt::format("{}: no folder that records can be written to", folder.string()));
  if (!record::record_files(folder).empty())
    throw UsageError{fmt::format("{} holds records already, and they would mix: name a new folder", named.string())};
  return folder;
}

fs::path make_own(const fs::path& beside) {
  std::string name = (fs::absolute(beside) / ".petri-records-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw EnvironmentError(
        fmt::format("no folder for records can be made in {} ({}): name one that all hosts of the "
                    "job share by --dir",
                    beside.string(), std::strerror(errno)));
  return name;
}

}  // namespace

RecordingPlace::RecordingPlace(const fs::path& named, const std::vector<std::string>& command, const fs::path& beside) {
  if (!named.empty()) {
    folder_ = make_named(named);
  } else if (may_leave_this_host(command)) {
    folder_ = make_own(beside);
    own_ = true;
  }
}

RecordingPlace::~RecordingPlace() {
  std::error_code ignored;
  if (own_) fs::remove_all(folder_, ignored);
}

fs::path RecordingPlace::keep_beside(const fs::path& file) {
  if (!own_) return folder_;
  for (int n = 1; n < 1000; ++n) {
    const fs::path kept = file.string() + (n == 1 ? ".records" : fmt::format(".records-{}", n));
    std::error_code error;
    if (fs::exists(kept, error)) continue;
    fs::rename(folder_, kept, error);
    if (error) break;
    own_ = false;
    return kept;
  }
  return {};
}

}  // namespace petri::cli
