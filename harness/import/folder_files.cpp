#include "harness/import/folder_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "harness/import/natural_order.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

class Walk {
 public:
  Walk(const fs::path& folder, std::vector<FileNote>& notes) : notes_(notes), to_do_{folder} {}

  std::vector<fs::path> files() {
    const fs::path top = to_do_.front();
    while (!to_do_.empty()) {
      const fs::path folder = to_do_.back();
      to_do_.pop_back();
      if (const std::error_code error = look_into(folder)) {
        if (folder == top) throw InputError(top.string(), 0, 0, "cannot be read: " + error.message());
        leave_out(folder, "cannot be read: " + error.message());
      }
      if (files_.size() > kMostTraceFiles || to_do_.size() > kMostTraceFiles)
        throw InputError(top.string(), 0, 0, fmt::format("more than {} files are there", kMostTraceFiles));
    }
    std::sort(files_.begin(), files_.end(),
              [](const auto& a, const auto& b) { return natural_less(a.string(), b.string()); });
    return std::move(files_);
  }

 private:
  std::error_code look_into(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (entry->path().filename().native().starts_with('.')) continue;
      take(*entry);
      if (files_.size() > kMostTraceFiles) break;
    }
    return error;
  }

  void take(const fs::directory_entry& entry) {
    std::error_code error;
    const fs::file_status status = entry.status(error);
    if (fs::is_regular_file(status)) {
      files_.push_back(entry.path());
    } else if (fs::is_directory(status)) {
      if (entry.is_symlink(error))
        leave_out(entry.path(), "is a link to a folder, which is not followed: name it as well to have it read");
      else
        to_do_.push_back(entry.path());
    } else if (entry.is_symlink(error) && !fs::exists(status)) {
      leave_out(entry.path(), "is a link that leads nowhere");
    } else {
      leave_out(entry.path(), status.type() == fs::file_type::none ? "cannot be looked at" : "is no regular file");
    }
  }

  void leave_out(const fs::path& path, const std::string& reason) {
    if (notes_.size() < kMostTraceFiles) notes_.push_back({path.string(), reason + " (left out)"});
  }

  std::vector<FileNote>& notes_;
  std::vector<fs::path> to_do_;
  std::vector<fs::path> files_;
};

}  // namespace

std::vector<fs::path> files_in_folder(const fs::path& folder, std::vector<FileNote>& notes) {
  return Walk(folder, notes).files();
}

}  // namespace petri
