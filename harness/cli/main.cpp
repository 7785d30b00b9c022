#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

constexpr std::array kCommands{
    Command{"record", "run an MPI program, notice that it hangs, say why", run_record},
    Command{"import", "make a scenario file of what the recorder left", run_import},
    Command{"show", "show the ranks as columns around the place of failure", run_show},
    Command{"diagnose", "say what is wrong and who began it", run_diagnose},
    Command{"shrink", "the fewest ranks and events that still fail in the same way", run_shrink},
    Command{"replay", "perform a scenario's calls for real", run_replay},
    Command{"compare", "one reduction in many orders: who agrees with whom?", run_compare},
    Command{"check", "do the reproducers still do what they expect?", run_check},
    Command{"export", "write a scenario as a program that fails in the same way", run_export},
};

void print_help() {
  say(stdout, "petri cultures a distributed failure in a small dish.\n\nUsage: petri COMMAND [options]\n\nCommands:\n");
  for (const Command& command : kCommands) say(stdout, "  {:<10} {}\n", command.name, command.summary);
  say(stdout, "\n`petri COMMAND --help` shows its options and an example, `petri --version` the version.\n");
}

int run(const std::vector<std::string>& args) {
  if (args.empty()) throw UsageError{"no command given"};
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    print_help();
    return kOk;
  }
  if (args[0] == "--version") {
    say(stdout, "petri {}\n", PETRI_VERSION);
    return kOk;
  }
  const auto found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& c) { return c.name == args[0]; });
  if (found == kCommands.end()) throw UsageError{fmt::format("no command is called '{}'", args[0])};
  try {
    return found->run({args.begin() + 1, args.end()});
  } catch (const UsageError& error) {
    say(stderr, "petri {0}: {1}\nTry: petri {0} --help\n", found->name, error.text);
    return kBadInput;
  }
}

int run_and_tell_errors(const std::vector<std::string>& args) {
  try {
    return run(args);
  } catch (const UsageError& error) {
    say(stderr, "petri: {}\nTry: petri --help\n", error.text);
    return kBadInput;
  } catch (const InputError& error) {
    say(stderr, "petri: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {  // EnvironmentError, and what the system refuses
    say(stderr, "petri: {}\n", error.what());
    return kEnvironmentMissing;
  }
}

}  // namespace
}  // namespace petri::cli

int main(int argc, char** argv) {
  using namespace petri::cli;
  keep_standard_streams_apart();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which says so
  const int status = run_and_tell_errors({argv + 1, argv + argc});
  const std::string loss = loss_on_stdout();
  if (loss.empty()) return status;
  say(stderr, "petri: standard output: cannot be written: {}\n", loss);
  return kEnvironmentMissing;
}
