// The project that reproducers belong to: build servers name its files by their paths below its root.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/report/check_case.hpp"

namespace petri::cli {

class Project {
 public:
  // The one that `folder` lies in: the nearest folder at or above it that git manages; without one the folder that the
  // build server checked out to ($GITHUB_WORKSPACE, $CI_PROJECT_DIR, $WORKSPACE), where `folder` lies in that; without
  // one `folder` itself.
  explicit Project(const std::filesystem::path& folder);

  const std::filesystem::path& root() const { return root_; }

  // The path below the root, with slashes. A path elsewhere stays as it is.
  std::string within(const std::filesystem::path& path) const;

  // The line that a call site ("src/train.cpp:52") names, where that file is in the project: looked for below the root,
  // then below `near` and the folders above it. A program that was built elsewhere names another root: then the longest
  // end of its path that is a file here.
  std::optional<SourceLine> line_of(const std::string& site, const std::filesystem::path& near) const;

 private:
  std::optional<std::string> file_of(const std::filesystem::path& path) const;

  std::filesystem::path root_;
};

}  // namespace petri::cli
