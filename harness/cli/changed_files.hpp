// What git says has changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace petri::cli {

struct ChangedFiles {
  std::string since;                         // what they were held against, for people
  bool all = false;                          // there is no earlier state: every file is new
  std::vector<std::filesystem::path> files;  // absolute; deleted ones, too
};

// The files of the repository around `folder` that differ from the base: committed, staged, only in the work tree, and
// untracked ones that are not ignored. A renamed file counts under both names.
//
// The base is the commit at which HEAD left `ref`. Without a `ref`: at which it left the default branch (origin's, else
// main or master); where HEAD is on that itself, the commit before HEAD.
//
// Throws UsageError for a `ref` that is no revision; EnvironmentError without git or a repository, and where a shallow
// clone lacks the base.
ChangedFiles changed_files(const std::filesystem::path& folder, const std::string& ref);

}  // namespace petri::cli
