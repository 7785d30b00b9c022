// petri check --add: from a scenario to a reproducer that is kept.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/cli/check.hpp"
#include "harness/cli/filing.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

// What a person can read and a build server replays in a second; more is worth shrinking first.
constexpr std::int32_t kManyRanks = 16;
constexpr std::size_t kManyEvents = 1000;
constexpr std::size_t kMostOthers = 3;  // reproducers of the same failure that are named

constexpr Help kHelp{
    "petri check --add FILE... [--to FOLDER] [--name NAME] [-- PROGRAM [ARGUMENT...]]",
    "Files a scenario as a reproducer: a new folder with the scenario, what it is expected to do, where it comes "
    "from,\n"
    "and the program that must stay free of its failure, which is run with petri check --run-commands only.",
    "petri check --add small.jsonl --to reproducers --name swap -- ./solver --size 64"};

struct AddRequest {
  std::vector<std::string> sources;
  std::string to, name;
  std::int32_t ranks = 0;
  bool any_outcome = false, json = false;
  std::vector<std::string> program;
  ReproducerOptions trial;  // with run_commands: how the new guard is tried
};

std::optional<AddRequest> parse_request(const std::vector<std::string>& args) {
  // Everything after "--" is the program's, whatever it looks like.
  const auto separator = std::find(args.begin(), args.end(), "--");
  AddRequest r;
  std::vector<std::string> places;
  po::options_description options;
  auto add = options.add_options();
  add("add", po::value(&r.sources)->required()->multitoken()->value_name("FILE..."), kSources);
  add("to", po::value(&r.to)->value_name("FOLDER")->default_value("scenarios"), "where the new folder goes");
  add("name", po::value(&r.name)->value_name("NAME"), "its name; without it FILE's");
  add("ranks", number("ranks", &r.ranks, 1), "with how many the program runs; without it as in the scenario");
  add("run-commands", po::bool_switch(&r.trial.run_commands),
      "try the guard once: with the bug still in the program it has to fail");
  add("program-path", po::value(&places)->value_name("FOLDER")->composing(), "where the program is, before PATH");
  add("timeout", seconds("timeout", &r.trial.timeout_s)->default_value("60"), "limit for a run of the program");
  add("allow-no-failure", po::bool_switch(&r.any_outcome), "also what completes (a legal twin) or is ambiguous");
  add("json", po::bool_switch(&r.json), "print one JSON object");
  po::variables_map values;
  std::vector<std::string> own(args.begin(), separator);
  // "--add --help" lacks FILE, and asks for help all the same.
  if (std::any_of(own.begin(), own.end(), [](const auto& word) { return word == "--help" || word == "-h"; }))
    own = {"--help"};
  if (!parse(own, kHelp, options, {}, values)) return std::nullopt;
  if (separator != args.end()) r.program.assign(separator + 1, args.end());
  if (separator != args.end() && (r.program.empty() || r.program[0].empty()))
    throw UsageError{"after -- comes the program that must stay free of the failure"};
  if (values.count("ranks") != 0 && r.program.empty())
    throw UsageError{"--ranks is a number of the program's ranks: -- PROGRAM is missing"};
  if (r.trial.run_commands && r.program.empty()) throw UsageError{"--run-commands needs -- PROGRAM"};
  r.trial.program_path.assign(places.begin(), places.end());
  return r;
}

// The file's name without endings; a file that is called "scenario" has its folder's.
std::string name_after(const std::vector<std::string>& sources) {
  if (sources.size() > 1) throw UsageError{"several sources have no name in common: give one by --name"};
  const std::string& input = sources.front();
  if (is_stdin(input)) throw UsageError{"standard input has no name to file it by: give one by --name"};
  fs::path path = fs::absolute(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.filename().string();
  for (const char* ending : {".zst", ".jsonl", ".min"})
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  if (name == "scenario") name = path.parent_path().filename().string();
  return name;
}

std::string name_for(const AddRequest& request) {
  std::string name = request.name.empty() ? name_after(request.sources) : request.name;
  const bool fits = !name.empty() && name[0] != '.' && name.find('/') == std::string::npos && name.size() < 200 &&
                    printable_line(name) == name;
  if (!fits) throw UsageError{fmt::format("'{}' is no name for a folder: give another --name", printable_line(name))};
  return name;
}

bool says_nothing(const std::optional<Outcome>& expect) {
  return !expect || (!expect->absent && !expect->verdict && expect->signature.empty());
}

// Why this is no reproducer, with the exit status for it; otherwise `expect` is complete.
struct Refusal {
  int status;
  std::string reason;
};

std::optional<Refusal> settle_expectation(Scenario& scenario, const Diagnosis& own, const AddRequest& request) {
  std::optional<Outcome>& expect = scenario.header.expect;
  if (expect && expect->absent) return std::nullopt;  // speaks of the program's runs
  if (says_nothing(expect) && !request.any_outcome) {
    if (own.verdict == Verdict::ambiguous)
      return Refusal{kAmbiguous,
                     "the evidence does not decide what is wrong (--allow-no-failure files it all the same)"};
    if (own.verdict == Verdict::completes)
      return Refusal{kNotReproduced, "nothing is wrong in it (--allow-no-failure files it as a legal twin)"};
  }
  Outcome settled = expect.value_or(Outcome{});
  if (!settled.verdict) settled.verdict = own.verdict;
  if (settled.signature.empty() && settled.verdict == own.verdict) settled.signature = own.signature;
  if (settled.verdict != own.verdict || settled.signature != own.signature) {
    return Refusal{kNotReproduced,
                   fmt::format("it expects {}, and shows {}",
                               settled.signature.empty() ? name_of(*settled.verdict) : settled.signature,
                               own.signature.empty() ? name_of(own.verdict) : own.signature)};
  }
  expect = settled;
  return std::nullopt;
}

void print_filed(const AddRequest& request, const NewReproducer& filed, const fs::path& folder,
                 const std::vector<fs::path>& others) {
  const Scenario& scenario = filed.scenario;
  const std::string& signature = filed.diagnosis.signature;
  if (request.json) {
    nlohmann::ordered_json json{{"folder", folder.string()},
                                {"verdict", name_of(filed.diagnosis.verdict)},
                                {"signature", signature},
                                {"ranks", scenario.world()},
                                {"events", scenario.event_count()}};
    json["same_signature"] = nlohmann::ordered_json::array();
    for (const fs::path& other : others) json["same_signature"].push_back(other.string());
    fmt::print("{}\n", printable_json(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
    return;
  }
  say(stdout, "filed: {}/ ({}, {})\n  expects: {}\n", folder.string(),
      counted(static_cast<std::uint64_t>(scenario.world()), "rank"), counted(scenario.event_count(), "event"),
      signature.empty() ? name_of(filed.diagnosis.verdict) : signature);
  for (std::size_t i = 0; i < std::min(others.size(), kMostOthers); ++i)
    say(stdout, "  note: {} is the same failure\n", others[i].string());
  if (others.size() > kMostOthers) say(stdout, "  note: and {} more\n", others.size() - kMostOthers);
  const std::int32_t ranks = filed.command ? filed.command->ranks.value_or(scenario.world()) : scenario.world();
  if (ranks < scenario.world() && !request.trial.run_commands)
    say(stdout, "  note: guards with {} rank{} only: is that enough for a failure that the scenario shows with {}?\n",
        ranks, ranks == 1 ? "" : "s", scenario.world());
  if (scenario.world() > kManyRanks || scenario.event_count() > kManyEvents)
    say(stdout, "  hint: petri shrink makes a smaller one of it, which is quicker to check and to understand\n");
  if (filed.command && !request.trial.run_commands)
    say(stdout, "  try:  petri check --run-commands {} fails until the program is mended\n", folder.string());
}

// What the failure cannot be seen without, is what the scenario has.
void record_what_is_in(const Scenario& scenario, ReproducerCommand& command) {
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events) {
      if (event.extras.empty()) continue;
      command.digests |= event.extras.in().has_value() || event.extras.out().has_value();
      command.buffers |= event.extras.sendbuffer().has_value() || event.extras.recvbuffer().has_value();
    }
}

// A guard that does not fail while the bug is in the program guards nothing, now or later.
int try_guard(const AddRequest& request, const NewReproducer& filed, const fs::path& folder) {
  const InterruptScope interrupts;
  const CheckResult result = check_reproducer(folder / "scenario.jsonl", CheckMode::command, request.trial);
  std::FILE* const told = request.json ? stderr : stdout;
  if (interrupt_count() > 0) return 128 + interrupt_signal();
  if (result.state == CheckState::missed && result.actual == filed.diagnosis.signature) {
    say(told, "  guards: {}\n", printable_line(result.text));
    return kOk;
  }
  say(told,
      "  guards nothing yet: {}\n  Does the program fail with as many ranks, or is it mended already?\n"
      "  It stays filed: change {} and try again by petri check --run-commands --commands-only {},\n"
      "  which has to fail; or remove the folder, and add it again\n",
      printable_line(result.text), (folder / kReproducerFile).string(), folder.string());
  if (result.state == CheckState::inconclusive) return result.lacks ? kEnvironmentMissing : kAmbiguous;
  return kNotReproduced;
}

}  // namespace

int run_check_add(const std::vector<std::string>& args) {
  const std::optional<AddRequest> request = parse_request(args);
  if (!request) return kOk;
  const fs::path folder = fs::path(request->to) / name_for(*request);
  NewReproducer reproducer;
  const Input input(request->sources);
  reproducer.scenario = input.load_with_payload();  // the folder holds no files of numbers
  Scenario& scenario = reproducer.scenario;
  if (scenario.cut) throw InputError(input.name(), 0, 0, "stops before its end line");
  reproducer.diagnosis = diagnose(scenario);
  if (const auto refusal = settle_expectation(scenario, reproducer.diagnosis, *request)) {
    say(stderr, "petri check: {}: not filed: {}\n", printable_line(input.name()), refusal->reason);
    return refusal->status;
  }
  if (!scenario.header.origin) scenario.header.origin = Origin{input.name(), input.digest(scenario), {}};
  if (!request->program.empty()) {
    reproducer.command.emplace().arguments = request->program;
    if (request->ranks > 0) reproducer.command->ranks = request->ranks;
    record_what_is_in(scenario, *reproducer.command);
  }
  const std::vector<fs::path> others = filed_with(reproducer.diagnosis.signature, request->to);
  file_reproducer(reproducer, folder);
  print_filed(*request, reproducer, folder, others);
  return request->trial.run_commands ? try_guard(*request, reproducer, folder) : kOk;
}

}  // namespace petri::cli
