// petri replay: a scenario's real calls, as often as asked for, and whether they fail as the scenario says.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/input.hpp"
#include "harness/cli/live.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/run_report.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/report/diagnosis.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

constexpr Help kHelp{"petri replay [options] SCENARIO...",
                     "Performs a scenario's calls for real, with as many processes as it has ranks, and compares what "
                     "happens with what the\n"
                     "scenario says. Exit status: the failure's own where it happened again, 5 where it did not.",
                     "petri replay --strict --repeat 10 reproducer.jsonl"};

constexpr std::int32_t kMaxProcesses = 64;  // each is a process of this machine: more are asked for by name

struct ReplayRequest {
  ReplayOptions options;
  std::string output;
  int repeat = 1;
  std::int32_t max_processes = kMaxProcesses;
  bool json = false;
};

// The runs so far, by what happened.
struct Tally {
  std::map<std::string, int> outcomes;
  int shown = 0, runs = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();

  void add(const ReplayResult& replay, bool shows_it) {
    ++runs;
    shown += shows_it ? 1 : 0;
    const bool ended = replay.job.end == JobResult::End::by_itself;
    ++outcomes[fmt::format("{}{}{}", name_of(replay.diagnosis.verdict), ended ? ", the run ended" : ", the run hung",
                           shows_it ? "" : " (not the scenario's failure)")];
    list.push_back({{"verdict", name_of(replay.diagnosis.verdict)},
                    {"signature", replay.diagnosis.signature},
                    {"reproduced", shows_it},
                    {"run", run_as_json(replay.job)}});
  }
};

std::string comparison(const ReplayResult& replay, const Outcome& expected, bool shows_it) {
  const std::string_view wanted = expected.verdict ? name_of(*expected.verdict) : "a failure";
  if (shows_it && expected.verdict == Verdict::completes) return "completes, as the scenario says.";
  if (shows_it) return fmt::format("reproduced: {}, the same failure as the scenario's.", wanted);
  if (replay.diagnosis.verdict == Verdict::deadlock && !replay.job.hung() && replay.job.command.status == 0)
    return "not reproduced: this run got through, although its calls may deadlock (see below); --strict makes that "
           "show.";
  if (expected.verdict == Verdict::divergence)
    return fmt::format("not reproduced: {}; `petri compare` reduces the scenario's.", kNumbersAreItsOwn);
  if (replay.diagnosis.verdict == expected.verdict)
    return fmt::format("not reproduced: {} as well, but another one than the scenario's.", wanted);
  return fmt::format("not reproduced: expected {}, got {}.", wanted, name_of(replay.diagnosis.verdict));
}

Delay parse_delay(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t first = whole.find(':');
  const std::size_t second = first == std::string::npos ? first : whole.find(':', first + 1);
  if (second != std::string::npos) {
    const auto rank = whole_number(whole.substr(0, first));
    const auto seq = whole_number(whole.substr(first + 1, second - first - 1));
    const auto ms = real_number(whole.substr(second + 1));
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (rank && seq && ms && *rank <= kMost && *seq <= kMost && *ms <= 1000 * kLongest_s)
      return {static_cast<std::int32_t>(*rank), static_cast<std::uint32_t>(*seq), *ms};
  }
  throw UsageError{fmt::format("--delay needs RANK:SEQ:MILLISECONDS, not '{}'", text)};
}

// What the scenario must have for the request to make sense.
void check(const ReplayRequest& request, const Scenario& scenario) {
  if (scenario.world() > request.max_processes)
    throw UsageError{
        fmt::format("this replay needs {}, and no more than {} may start: `petri shrink` makes it smaller, "
                    "--max-processes allows more",
                    counted(static_cast<std::uint64_t>(scenario.world()), "process"), request.max_processes)};
  for (const Delay& delay : request.options.delays) {
    if (delay.rank < 0 || delay.rank >= scenario.world())
      throw UsageError{fmt::format("--delay names rank {}, and the scenario has the ranks 0 to {}", delay.rank,
                                   scenario.world() - 1)};
    const std::vector<Event>& events = scenario.ranks[static_cast<std::size_t>(delay.rank)].events;
    if (std::none_of(events.begin(), events.end(), [&](const Event& event) { return event.seq == delay.seq; }))
      throw UsageError{fmt::format("--delay names event {} of rank {}, which it does not have", delay.seq, delay.rank)};
  }
}

void print_text(const ReplayResult& last, const Outcome& expected, bool shows_it, const Tally& tally) {
  say(stdout, "petri: {}\n{}\n\n{}", describe_run(last.job), comparison(last, expected, shows_it),
      render_text(last.diagnosis, last.recorded));
  if (tally.runs == 1) return;
  say(stdout, "\n{} of {} runs reproduced it:\n", tally.shown, tally.runs);
  for (const auto& [outcome, count] : tally.outcomes) say(stdout, "  {:>5}  {}\n", count, outcome);
}

void print_json(const ReplayResult& last, const Tally& tally) {
  auto object = nlohmann::ordered_json::parse(render_json(last.diagnosis, last.recorded));
  object["reproduced"] = tally.shown;
  object["runs"] = tally.list;
  fmt::print("{}\n", printable_json(object.dump(-1, ' ', false, decltype(object)::error_handler_t::replace)));
}

int replay(const Scenario& scenario, const ReplayRequest& request) {
  const InterruptScope interrupts;
  const Outcome expected = expected_outcome(scenario, request.options.diagnose);
  Tally tally;
  std::optional<ReplayResult> told;  // a run that shows the failure, where one does
  bool told_shows = false;
  for (int run = 0; run < request.repeat; ++run) {
    ReplayResult result = replay_scenario(scenario, request.options);
    if (interrupt_count() > 0) return 128 + interrupt_signal();
    const bool shows_it = shows(result, expected);
    tally.add(result, shows_it);
    if (!told || shows_it || !told_shows) {
      told = std::move(result);
      told_shows = shows_it;
    }
  }
  if (!request.output.empty()) write_scenario(told->recorded, request.output);
  if (request.json) {
    print_json(*told, tally);
  } else {
    print_text(*told, expected, told_shows, tally);
  }
  return told_shows ? exit_status_of(told->diagnosis.verdict) : kNotReproduced;
}

}  // namespace

int run_replay(const std::vector<std::string>& args) {
  end_at_interrupt();
  ReplayRequest request;
  std::vector<std::string> sources;
  std::vector<std::string> delays;
  po::options_description options("Options");
  options.add_options()("strict", po::bool_switch(&request.options.strict),
                        "make every send wait for its receive, and every collective for all its ranks")(
      "repeat", number("repeat", &request.repeat, 1), "run N times and count the outcomes")(
      "free-order", po::bool_switch(&request.options.free_order),
      "wildcards take what comes first; without it they take what the scenario says they got")(
      "delay", po::value(&delays)->value_name("RANK:SEQ:MS")->composing(),
      "wait before this event of this rank; may be repeated")("timeout", seconds("timeout", &request.options.timeout_s),
                                                              "stop after so long without progress (60)")(
      "max-processes", number("max-processes", &request.max_processes, 1), "refuse a scenario of more ranks (64)")(
      "output,o", po::value(&request.output)->value_name("FILE"), "write what the replay did as a scenario")(
      "json", po::bool_switch(&request.json), "one JSON object");
  po::options_description all;
  all.add(options);
  all.add_options()("scenario", po::value(&sources), kSources);
  po::positional_options_description positional;
  positional.add("scenario", -1);
  po::variables_map values;
  if (!parse(args, kHelp, all, positional, values)) return kOk;
  if (sources.empty()) throw UsageError{"SCENARIO is missing"};
  for (const std::string& text : delays) request.options.delays.push_back(parse_delay(text));
  const Input input(sources);
  request.options.source = input.name();
  const Scenario scenario = input.load();
  check(request, scenario);
  if (!request.output.empty()) {
    require_other_than_stdout(request.output);
    require_other_than_input(request.output, sources);
    require_writable(request.output, Content::scenario);
  }
  return replay(scenario, request);
}

}  // namespace petri::cli
