// A user's own test as the oracle: started once for each candidate, in a folder of its own.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "reducers/oracle.hpp"

namespace petri::cli {

// The reducers' convention: started in a fresh folder that holds the candidate as `scenario.jsonl`, without `expect`,
// whose absolute path is also its last argument; exit status 0 means interesting, 125 no answer (as for `git bisect
// run`), all others and signals not interesting. After `limit_s` seconds it is ended with all its children: no answer.
// What it leaves running ends with it; the folder is removed afterwards. It keeps petri's environment.
class CommandOracle {
 public:
  // `command` is cut into words at blanks, with quotes and backslashes as in a shell but without one. Its program is
  // found as a shell would find it from here, and so is an argument with a slash in it that names a file from here
  // (sh ./check.sh). Throws UsageError for a command without a word, and for one with an operator of the shell's.
  CommandOracle(const std::string& command, double limit_s);

  // Throws EnvironmentError when the program cannot be started.
  reduce::Judgement ask(const Scenario& scenario, const std::stop_token& stop) const;

  // The same for a person who wants to know what it did.
  struct Told {
    reduce::Judgement judgement;
    std::string how;     // "ended with exit status 1 after 0.02 s"
    std::string output;  // the last of what it printed, to stdout and stderr alike
  };
  // Where `keep` is not empty, its folder is copied there as it left it; must not exist.
  Told tell(const Scenario& scenario, const std::filesystem::path& keep) const;

  // Digests of its program and of the files that its words name: another answer may be had from others.
  std::string digest() const;

  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  double limit_s_;
};

}  // namespace petri::cli
