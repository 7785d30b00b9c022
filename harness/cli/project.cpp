#include "harness/cli/project.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

fs::path root_above(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", ignored)) return at;
    if (!at.has_relative_path()) break;
  }
  for (const char* const name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const fs::path checkout = fs::weakly_canonical(value, ignored);
    if (lies_in(folder, checkout)) return checkout;
  }
  return folder;
}

}  // namespace

Project::Project(const fs::path& folder) : root_(root_above(fs::canonical(folder))) {}

std::string Project::within(const fs::path& path) const {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  if (error || !lies_in(whole, root_)) return path.lexically_normal().generic_string();
  return whole.lexically_relative(root_).generic_string();
}

// Nothing for what is no file, or lies outside.
std::optional<std::string> Project::file_of(const fs::path& path) const {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  if (error || !lies_in(whole, root_) || !fs::is_regular_file(whole, error)) return std::nullopt;
  return whole.lexically_relative(root_).generic_string();
}

std::optional<SourceLine> Project::line_of(const std::string& site, const fs::path& near) const {
  const std::size_t colon = site.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::size_t line = 0;
  const char* const end = site.data() + site.size();
  const auto [stop, error] = std::from_chars(site.data() + colon + 1, end, line);
  if (error != std::errc() || stop != end || line == 0) return std::nullopt;

  const fs::path path = site.substr(0, colon);
  if (path.empty() || !path.has_filename()) return std::nullopt;
  if (const auto file = file_of(root_ / path)) return SourceLine{*file, line};
  if (path.is_relative()) {
    std::error_code ignored;
    for (fs::path at = fs::weakly_canonical(fs::absolute(near), ignored); lies_in(at, root_); at = at.parent_path()) {
      if (const auto file = file_of(at / path)) return SourceLine{*file, line};
      if (at == root_) break;
    }
    return std::nullopt;
  }
  for (auto first = std::next(path.begin()); first != path.end(); ++first) {
    fs::path tail;
    for (auto part = first; part != path.end(); ++part) tail /= *part;
    if (const auto file = file_of(root_ / tail)) return SourceLine{*file, line};
  }
  return std::nullopt;
}

}  // namespace petri::cli
