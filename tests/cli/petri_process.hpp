// Running the petri command as a user does, in a folder of the test's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace petri::cli::testing {

struct Ran {
  int status = -1;  // exit status; 128 + signal where a signal ended it
  std::string out, err;
};

// A new folder, removed with everything in it at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  // `petri args…` with this folder as working folder; ended with all that it started after `limit_s` seconds.
  Ran petri(const std::vector<std::string>& args, double limit_s = 60) const;
  // The same for any program.
  Ran run(const std::vector<std::string>& words, double limit_s = 60) const;

 private:
  std::filesystem::path folder_;
};

// The text with numbers of seconds as "#.## s".
std::string without_seconds(const std::string& text);

// A job that hangs: eight ranks in a loop of six steps; rank 5 calls a barrier more in step 2.
std::string extra_barrier();

// A guard against a mismatch of types: two ranks reduce, int32 and the given type, then rank 0 aborts.
std::string types_behind_an_abort(const std::string& type_of_rank_1);

// The text that is kept in tests/cli/golden under this name. With PETRI_UPDATE_GOLDEN set, `text` is kept first.
std::string golden(const std::string& name, const std::string& text);

}  // namespace petri::cli::testing
