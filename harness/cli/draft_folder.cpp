#include "harness/cli/draft_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "harness/cli/command.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".petri-add-";
constexpr int kMostTries = 100;

int open_folder(const fs::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void remove_leftovers(const fs::path& beside) {
  std::error_code error;
  for (fs::directory_iterator it(beside, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with(kPrefix)) continue;
    const int folder = open_folder(it->path());
    if (folder < 0) continue;
    std::error_code ignored;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) fs::remove_all(it->path(), ignored);
    close(folder);
  }
}

// Is what the name stands for still the folder that was opened?
bool is_still_there(const std::string& folder, int opened) {
  struct stat named {};
  struct stat held {};
  return stat(folder.c_str(), &named) == 0 && fstat(opened, &held) == 0 && named.st_dev == held.st_dev &&
         named.st_ino == held.st_ino;
}

}  // namespace

DraftFolder::DraftFolder(const fs::path& beside) {
  remove_leftovers(beside);
  // Between the making of a folder and the taking of its lock, another process may remove it as a leftover.
  for (int tries = 0; tries < kMostTries; ++tries) {
    folder_ = (beside / fmt::format("{}XXXXXX", kPrefix)).string();
    if (mkdtemp(folder_.data()) == nullptr) break;
    lock_ = open_folder(folder_);
    if (lock_ < 0 && errno == ENOENT) continue;
    if (lock_ < 0) {
      rmdir(folder_.c_str());
      break;
    }
    flock(lock_, LOCK_EX);  // on a file system that knows no locks nobody removes anything
    if (is_still_there(folder_, lock_)) {
      const mode_t mask = umask(0);
      umask(mask);
      fchmod(lock_, 0777 & ~mask);
      return;
    }
    close(lock_);
  }
  throw EnvironmentError(fmt::format("{}: no folder can be made there: {}", beside.string(), std::strerror(errno)));
}

DraftFolder::~DraftFolder() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  close(lock_);
}

void DraftFolder::become(const fs::path& place) {
  if (fs::exists(fs::symlink_status(place)))
    throw UsageError{fmt::format("{} is there already: give another --name", place.string())};
  fs::rename(folder_, place);
  folder_.clear();
}

}  // namespace petri::cli
