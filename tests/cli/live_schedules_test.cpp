// Random schedules for real: a strict replay does what the model and the reference say of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tests/cli/petri_process.hpp"
#include "tests/model/random_schedule.hpp"
#include "tests/model/reference.hpp"

namespace petri::cli::testing {
namespace {

using test::Family;

constexpr std::size_t kMaxStates = 30000;
constexpr int kShrinkTrials = 40;  // replays to make a disagreement small
constexpr int kMissing = 3;        // petri's exit status: this library cannot perform it

// What petri-worker replays.
constexpr Family kReplayed[] = {
    Family::messages,   Family::wildcards,  Family::probes,      Family::persistent,
    Family::completion, Family::cancels,    Family::collectives, Family::persistent_collectives,
    Family::creations,  Family::neighbours, Family::fences,      Family::intercommunicators,
    Family::exposures,  Family::locks,      Family::files,       Family::threads};

// Of each family.
int wanted_schedules() {
  const char* wanted = std::getenv("PETRI_LIVE_SCHEDULES");
  return wanted != nullptr ? std::atoi(wanted) : 1;
}

using Place = std::pair<int, int>;  // rank and number of an event

struct Answer {
  int status = -1;
  std::string verdict, signature, text;
  bool in_some_orders = false;
  int orders = 0;             // of matches, grants and competing calls that were judged
  std::optional<Place> root;  // the first event of the first finding
  std::set<Place> misuses;    // the first events of the findings of this kind
  std::string end;            // of a replay: "by itself", "stalled", "timed out"
  bool well = false;          // it ended by itself, with status 0

  bool hung() const { return end == "stalled" || end == "timed out"; }
};

Answer answer_of(const Ran& ran) {
  Answer answer;
  answer.status = ran.status;
  answer.text = ran.out + ran.err;
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  if (!json.is_object()) return answer;
  answer.verdict = json.value("verdict", "");
  answer.signature = json.value("signature", "");
  for (const std::string assumption : json["assumptions"])
    answer.in_some_orders = answer.in_some_orders || assumption.starts_with("found in some orders");
  for (const auto& finding : json["findings"]) {
    if (finding["events"].empty()) continue;
    const Place place{finding["events"][0]["rank"], finding["events"][0]["seq"]};
    if (!answer.root) answer.root = place;
    if (finding["kind"] == "misuse") answer.misuses.insert(place);
  }
  answer.orders = json.value("orders", 0);
  if (!json.contains("runs")) return answer;
  const auto& run = json["runs"].back()["run"];
  answer.end = run.value("end", "");
  answer.well = answer.end == "by itself" && run.value("status", -1) == 0 && run.value("signal", -1) == 0;
  return answer;
}

// What no program can call: a message that no probe took, a persistent request that none made, a window, file or
// communicator that is not open.
class Open {
 public:
  explicit Open(std::set<std::int32_t> comms) : comms_(std::move(comms)) {}

  bool allows(const Event& event) {
    const EventExtras& extras = event.extras;
    if (extras.message() && kind_of(event.op) == OpKind::recv && messages_.erase(*extras.message()) == 0) return false;
    if (extras.message() && kind_of(event.op) == OpKind::probe) messages_.insert(*extras.message());
    if (!names_open(event.op, "window " + extras.win(), extras.win().empty())) return false;
    if (!names_open(event.op, "file " + extras.file(), extras.file().empty())) return false;
    if (form_of(event.op) == OpForm::persistent) persistent_.insert(event.request);
    if (event.op == Op::start && !persistent_.contains(event.request)) return false;
    if (event.op == Op::request_free) persistent_.erase(event.request);
    if (!comms_.contains(event.comm)) return false;
    if (kind_of(event.op) == OpKind::comm_free) comms_.erase(event.comm);
    if (event.extras.new_comm() != kNoComm) comms_.insert(event.extras.new_comm());
    return true;
  }

 private:
  bool names_open(Op op, const std::string& name, bool none) {
    if (none) return true;
    if (creates(op)) return open_.insert(name).second;
    if (op == Op::win_free || op == Op::file_close) return open_.erase(name) != 0;
    return open_.contains(name);
  }

  std::set<std::int64_t> messages_;
  std::set<std::uint32_t> persistent_;
  std::set<std::string> open_;
  std::set<std::int32_t> comms_;
};

// Communicators that no call makes: they are there from the start.
std::set<std::int32_t> communicators_at_start(const Scenario& scenario) {
  std::set<std::int32_t> comms;
  for (std::size_t comm = 0; comm < scenario.comms.size(); ++comm) comms.insert(static_cast<std::int32_t>(comm));
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events) comms.erase(event.extras.new_comm());
  return comms;
}

bool uses_what_is_not_there(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [&](const RankTrace& rank) {
    Open open(communicators_at_start(scenario));
    return !std::all_of(rank.events.begin(), rank.events.end(), [&](const Event& event) { return open.allows(event); });
  });
}

bool holds(const Scenario& scenario, bool (*what)(const Event&)) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(),
                     [&](const RankTrace& rank) { return std::any_of(rank.events.begin(), rank.events.end(), what); });
}

bool cancels_in_time(const Event& event) {
  return event.op == Op::cancel && event.flag == 1;
}

// The library noticed a call that the model finds wrong, too, and ended the job there, before what the model puts
// first.
bool ended_at_misuse(const Answer& model, const Answer& live) {
  return live.verdict == "rank-error" && live.end == "by itself" && live.root && model.misuses.contains(*live.root);
}

// Each way in which a run may differ from what is said of its schedule, with the reason. Whatever is not here is a
// fault of model, worker or recorder.
struct Leniency {
  std::string_view reason;
  bool (*holds)(const Scenario&, const Answer& model, const Answer& live);
};
constexpr Leniency kLeniencies[] = {
    // A change of a random schedule can leave a handle unmade: the worker has a null one in its place.
    {"no program can do this",
     [](const Scenario& scenario, const Answer&, const Answer&) { return uses_what_is_not_there(scenario); }},
    // A call on what is not in a state for it is erroneous, and what it does is undefined.
    {"what the library does with it is undefined",
     [](const Scenario& scenario, const Answer&, const Answer&) { return test::uses_wrongly(scenario); }},
    // A run takes one of the orders of which the model speaks: of several that all fail it tells the first one's
    // signature, and of a failure in some orders only the others may end well.
    {"another order of matches or grants",
     [](const Scenario&, const Answer& model, const Answer& live) {
       return model.orders > 1 && (live.verdict == model.verdict || (model.in_some_orders && live.well));
     }},
    // Whether a cancel comes in time is the library's choice (MPI 4.1, section 3.8.4).
    {"the cancel came too late",
     [](const Scenario& scenario, const Answer&, const Answer&) { return holds(scenario, cancels_in_time); }},
    // Open MPI refuses some wrong calls and ends the job (MPI_ERRORS_ARE_FATAL); what comes later is not reached.
    {"the library ended the job at a misuse",
     [](const Scenario&, const Answer& model, const Answer& live) { return ended_at_misuse(model, live); }},
};

// Why the run may differ; empty where it may not.
std::string_view leniency(const Scenario& scenario, const Answer& model, const Answer& live) {
  for (const Leniency& one : kLeniencies)
    if (one.holds(scenario, model, live)) return one.reason;
  return {};
}

class LiveSchedulesTest : public ::testing::TestWithParam<Family> {
 protected:
  Answer run(std::vector<std::string> command, const Scenario& scenario) const {
    command.push_back(scratch_.write("schedule.jsonl", test::text_of(scenario)));
    return answer_of(scratch_.petri(command, 120));
  }

  Answer diagnose(const Scenario& scenario) const { return run({"diagnose", "--json"}, scenario); }

  // On a busy machine a short time-out says nothing; a hang that cannot be proved is one in the long run, too.
  Answer replay(const Scenario& scenario) const {
    const Answer first = run({"replay", "--strict", "--json", "--timeout", "5"}, scenario);
    return first.end == "timed out" ? run({"replay", "--strict", "--json", "--timeout", "30"}, scenario) : first;
  }

  struct Comparison {
    Answer model, live;
    std::string difference;  // in words; empty where there is none
    std::string_view why;    // it is none after all
    bool disagree() const { return !difference.empty() && why.empty() && live.status != kMissing; }
    bool is_like(const Comparison& other) const {
      return disagree() && live.verdict == other.live.verdict && model.verdict == other.model.verdict;
    }
  };

  Comparison compare(const Scenario& scenario) const {
    Comparison one{diagnose(scenario), replay(scenario), {}, {}};
    const Answer &model = one.model, &live = one.live;
    const auto reference = test::all_endings(scenario, {}, kMaxStates);
    const bool decided = reference && reference->size() == 1 && !reference->begin()->erroneous;
    if (live.status != model.status || live.signature != model.signature)
      one.difference = fmt::format("model: {}, {}\nlive:  {}, {}; it ended: {}, status {}", model.verdict,
                                   model.signature, live.verdict, live.signature, live.end, live.status);
    else if (decided && !reference->begin()->blocked.empty() && live.well)
      one.difference = "the reference says that it blocks, and it ended well";
    else if (decided && reference->begin()->blocked.empty() && live.hung())
      one.difference = "the reference says that it completes, and it hung";
    if (!one.difference.empty()) one.why = leniency(scenario, model, live);
    return one;
  }

  void tell(const Scenario& scenario, std::uint64_t seed, const Comparison& first) const {
    int trials = 0;
    const Scenario small = test::shrink_schedule(scenario, [&](const Scenario& candidate) {
      return ++trials <= kShrinkTrials && compare(candidate).is_like(first);
    });
    ADD_FAILURE() << test::name_of(GetParam()) << ", seed " << seed << "\n"
                  << first.difference << "\n"
                  << test::text_of(small) << first.live.text;
  }

  Scratch scratch_;
};

TEST_P(LiveSchedulesTest, GoAsTheModelSays) {
  std::map<std::string, int> tally;
  bool told = false;
  for (int seed = 0; seed < wanted_schedules(); ++seed) {
    const Scenario scenario = test::random_schedule(GetParam(), static_cast<std::uint64_t>(seed)).scenario;
    const Comparison one = compare(scenario);
    const std::string_view what = one.live.status == kMissing ? "not replayed: the library lacks a call"
                                  : one.difference.empty()    ? "as the model says"
                                  : one.why.empty()           ? "DISAGREEMENT"
                                                              : one.why;
    ++tally[fmt::format("{:12} {}", one.model.verdict, what)];
    if (!one.disagree()) continue;
    if (!std::exchange(told, true))
      tell(scenario, static_cast<std::uint64_t>(seed), one);
    else
      ADD_FAILURE() << test::name_of(GetParam()) << ", seed " << seed << "\n"
                    << one.difference << "\n"
                    << test::text_of(scenario);
  }
  for (const auto& [outcome, count] : tally)
    fmt::print("{:24} {:60} {:4}\n", test::name_of(GetParam()), outcome, count);
}

INSTANTIATE_TEST_SUITE_P(Families, LiveSchedulesTest, ::testing::ValuesIn(kReplayed), [](const auto& param) {
  std::string name(test::name_of(param.param));
  std::erase(name, ' ');
  return name;
});

}  // namespace
}  // namespace petri::cli::testing
