#include "harness/cli/shrink_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/cli/command.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRepeats = 10000;

constexpr Help kHelp{"petri shrink [options] SCENARIO...",
                     "Shrinks a failing scenario to the fewest ranks and events that still fail in the same way.",
                     "petri shrink -o small.jsonl hang.jsonl    writes the reproducer and replays it once;\n"
                     "  the same command after an interrupt or a kill goes on where it was"};

KOfN k_of_n_from(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view second = slash == std::string::npos ? "" : std::string_view(text).substr(slash + 1);
  const std::uint64_t k = whole_number(std::string_view(text).substr(0, slash)).value_or(0);
  const std::uint64_t n = whole_number(second).value_or(0);
  if (k < 1 || n < k || n > kMostRepeats)
    throw UsageError{fmt::format("--k-of-n needs K/N with 1 <= K <= N <= {}, not '{}'", kMostRepeats, text)};
  return {static_cast<int>(k), static_cast<int>(n)};
}

// Without the slash that may stand behind a folder.
fs::path whole_path(const std::string& source) {
  const fs::path path = fs::absolute(source).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// After the input, and after a folder by its own name, also where that is written as "." or with a slash behind it;
// several that lie in one folder, after that.
std::string default_output(const ShrinkArguments& a) {
  if (is_stdin(a.sources.front())) return "stdin.min.jsonl";
  fs::path name = whole_path(a.sources.front());
  if (const fs::path folder = name.parent_path(); a.sources.size() > 1) {
    const auto beside = [&](const std::string& other) { return whole_path(other).parent_path() == folder; };
    if (std::all_of(a.sources.begin(), a.sources.end(), beside)) name = folder;
  }
  name = name.filename();
  if (name.extension() == ".zst") name = name.stem();
  if (name.extension() == ".jsonl") name = name.stem();
  return (name.empty() ? "ranks" : name.string()) + ".min.jsonl";
}

void require_sense(const ShrinkArguments& a) {
  if (a.resume && a.journal.empty())
    throw UsageError{"--resume needs the --journal to go on with; without one, a run goes on by itself"};
  if (!a.journal.empty() && !a.resume && fs::exists(a.journal))
    throw UsageError{fmt::format("{} exists: go on with it by --resume, or remove it", a.journal)};
  if (!a.keep.empty() && !a.asks_command()) throw UsageError{"--keep is for the folder of an --oracle command"};
  if (!a.keep.empty() && fs::exists(a.keep)) throw UsageError{fmt::format("{} exists: name a new folder", a.keep)};
  require_other_than_input(a.output, a.sources);
  require_writable(a.output, Content::scenario);
  if (const fs::path journal = a.journal_place(); !journal.empty()) {
    require_other_than_input(journal, a.sources);
    require_writable(journal, Content::text);
  }
  require_apart({{"-o", a.output}, {"--journal", a.journal}, {"--also-found", a.also_found}, {"--keep", a.keep}});
  if (!a.also_found.empty() && fs::exists(a.also_found) && !fs::is_directory(a.also_found))
    throw UsageError{fmt::format("--also-found: {} is no folder", a.also_found)};
  if (a.json && is_stdout(a.output))
    throw UsageError{"the reproducer and the JSON object would both go to standard output: name a file by -o"};
}

}  // namespace

fs::path ShrinkArguments::journal_place() const {
  if (!journal.empty()) return journal;
  // Beside a pipe or a descriptor is no place for files.
  return place_of(output).special ? fs::path() : fs::path(output + ".journal");
}

std::optional<ShrinkArguments> parse_shrink(const std::vector<std::string>& args) {
  ShrinkArguments a;
  std::string k_of_n;
  po::options_description options;
  auto add = options.add_options();
  add("output,o", po::value(&a.output)->value_name("FILE"),
      "where the reproducer goes (default: NAME.min.jsonl here); - is stdout, and all that is said goes to stderr: "
      "then a run can go on after an interrupt only with a --journal");
  add("jobs,j", number("jobs", &a.jobs, 1, kMostJobs)->default_value("1"),
      "judge on N threads; the result is the same for any N");
  add("seed", number("seed", &a.seed, std::uint64_t{0})->default_value("0"), "try in another order");
  add("max-tests", number("max-tests", &a.max_tests, std::uint64_t{0})->default_value("0"),
      "stop after N candidates; 0: never");
  add("max-time", seconds("max-time", &a.max_time_s, Zero::allowed)->default_value("0"),
      "stop after S seconds; 0: never. Where it stops depends on the machine");
  add("journal", po::value(&a.journal)->value_name("FILE"),
      "write each verdict to FILE and leave it there (default: beside the output until the end is reached; from there "
      "the same command goes on after an interrupt or a kill)");
  add("resume", po::bool_switch(&a.resume), "go on with the verdicts in --journal FILE");
  add("no-live", po::bool_switch(&a.no_live), "do not replay the result");
  add("oracle", po::value(&a.oracle)->value_name("model|live|CMD")->default_value("model"),
      "who judges: the model, live replays of what the model lets pass, or a program that is started in a fresh folder "
      "with scenario.jsonl in it (also its last argument) and exits with 0 when the failure is there");
  add("timeout", seconds("timeout", &a.timeout_s)->default_value("300"),
      "limit for one run of such a program or replay");
  add("k-of-n", po::value(&k_of_n)->value_name("K/N"), "ask up to N times; K failures count");
  add("keep", po::value(&a.keep)->value_name("FOLDER"),
      "where such a program finds nothing in the input itself, keep the folder of that run");
  add("also-found", po::value(&a.also_found)->value_name("FOLDER"), "keep different failures that are met");
  add("json", po::bool_switch(&a.json), "print one JSON object");
  po::positional_options_description positional;
  positional.add("scenario", -1);
  options.add_options()("scenario", po::value(&a.sources)->required(), kSources);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return std::nullopt;
  if (values.count("k-of-n") != 0) a.k_of_n = k_of_n_from(k_of_n);
  if (a.output.empty()) a.output = default_output(a);
  require_sense(a);
  return a;
}

}  // namespace petri::cli
