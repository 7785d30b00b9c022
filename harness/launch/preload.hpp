// How the recorder gets into the ranks: by LD_PRELOAD, a list without any quoting.
#pragma once

#include <filesystem>
#include <string>

namespace petri {

// The dynamic linker would not take the path for one file: it cuts the list at spaces and colons, and replaces $ORIGIN
// and its like (ld.so(8), LD_PRELOAD).
bool is_cut_in_preload(const std::filesystem::path& library);

// A library as the ranks can preload it: where it lies, or by a link of the run's own where it lies at such a path.
class Preload {
 public:
  // `library` may be empty. Throws EnvironmentError where even the link would be cut, or `elsewhere`, as ranks on other
  // hosts would not find it.
  Preload(const std::filesystem::path& library, const std::filesystem::path& run_folder, bool elsewhere);

  // The value of LD_PRELOAD: the library before whatever the user preloads.
  std::string list() const;
  // Makes the link, where there is one. It goes with the folder.
  void make_link() const;

 private:
  std::filesystem::path library_;
  std::filesystem::path link_;  // empty: none is needed
};

}  // namespace petri
