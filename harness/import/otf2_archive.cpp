#include "harness/import/otf2_archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "harness/import/otf2_calls.hpp"
#include "harness/import/otf2_definitions.hpp"
#include "harness/import/otf2_process.hpp"
#include "harness/import/otf2_receives.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"

namespace petri {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostCrashes = 16;
constexpr std::size_t kEndianAt = 1, kMagicAt = 2, kFirstEventAt = 2, kAfterNumbers = 18;

bool is_chunk(std::string_view head) {
  return head.size() > kAfterNumbers && head[0] == '\x03' && (head[kEndianAt] == 'B' || head[kEndianAt] == '#');
}

bool is_anchor(std::string_view head) {
  return is_chunk(head) && head.substr(kMagicAt).starts_with("OTF2"sv);
}

// Members begin with their first chunk, whose first event or definition is number 1.
bool is_member(std::string_view head) {
  if (!is_chunk(head) || is_anchor(head)) return false;
  const std::string_view first = head.substr(kFirstEventAt, 8);
  return first == "\1\0\0\0\0\0\0\0"sv || first == "\0\0\0\0\0\0\0\1"sv;
}

struct LocationRead {
  std::unique_ptr<Otf2Calls> calls;
  Otf2Definitions::Location place;
  bool cut = false;
};

// Reads one archive.
class ArchiveReader {
 public:
  ArchiveReader(const TraceFile& anchor, const std::vector<const TraceFile*>& members, ImportNotes& notes)
      : anchor_(anchor), place_(anchor, members), definitions_(anchor.name), notes_(notes) {}

  Scenario read() {
    for (bool again = true; again;) again = read_on();
    if (!scenario_) throw InputError(anchor_.name, 0, 0, "the archive has no definitions");
    merge();
    if (definitions_.is_own()) return checked();
    say_gaps();
    return std::move(*scenario_);
  }

 private:
  // From the next location on; true: the library broke down on one, and there may be others behind it.
  bool read_on() {
    Otf2Process process(place_, done_);
    Otf2Record record;
    std::string payload;
    const bool had_definitions = scenario_.has_value();
    for (;;) {
      process.next(record, payload);
      switch (record.kind) {
        case Otf2Kind::archive_end: return false;
        case Otf2Kind::failed: return fail(process.crashed(), payload);
        case Otf2Kind::definitions_end:
          if (!had_definitions) scenario_.emplace(definitions_.scenario());
          break;
        case Otf2Kind::location_begin: begin(record); break;
        case Otf2Kind::location_end: end(record.c == 1, payload); break;
        default:
          if (record.kind > Otf2Kind::definitions_end) {
            if (current_ != nullptr) current_->calls->take(record);
          } else if (!had_definitions) {
            definitions_.take(record, payload);
          }
      }
    }
  }

  bool fail(bool crashed, const std::string& reason) {
    if (!scenario_ || !crashed) throw InputError(anchor_.name, 0, 0, reason);
    if (++crashes_ > kMostCrashes) throw InputError(anchor_.name, 0, 0, reason + ", again and again");
    if (!in_location_) {
      notes_.warnings.push_back(
          fmt::format("{}: {}: what comes behind location {} is missing", anchor_.name, reason, done_));
      return false;
    }
    end(false, reason);
    return true;
  }

  void begin(const Otf2Record& record) {
    const Otf2Definitions::Location* const place = definitions_.location(record.x);
    current_ = nullptr;
    in_location_ = record.c == 1;
    if (record.c == 0) {
      ++done_;
      if (place != nullptr && place->rank >= 0 && place->thread == 0) without_file_.push_back(place->rank);
      return;
    }
    if (place == nullptr || place->rank < 0) {
      ++of_no_process_;
      return;
    }
    locations_.push_back(
        {std::make_unique<Otf2Calls>(definitions_, *scenario_, requests_[place->rank], gaps_, *place), *place, false});
    current_ = &locations_.back();
  }

  void end(bool whole, const std::string& reason) {
    ++done_;
    in_location_ = false;
    if (current_ == nullptr) return;
    current_->calls->finish();
    current_->cut = !whole;
    if (!whole)
      notes_.warnings.push_back(
          fmt::format("{}: the events of rank {}{} break off: {}", anchor_.name, current_->place.rank,
                      current_->place.thread == 0 ? "" : fmt::format(" (thread {})", current_->place.thread),
                      reason.empty() ? "the file is not whole" : reason));
    current_ = nullptr;
  }

  // Puts the threads of each rank into one order, that of their clock, which is one for all threads of a process.
  void merge() {
    std::vector<std::vector<LocationRead*>> by_rank(scenario_->ranks.size());
    for (LocationRead& location : locations_)
      by_rank[static_cast<std::size_t>(location.place.rank)].push_back(&location);
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      std::sort(by_rank[rank].begin(), by_rank[rank].end(),
                [](const auto* a, const auto* b) { return a->place.thread < b->place.thread; });
      give_up_requests(static_cast<std::int32_t>(rank), by_rank[rank]);
      merge_rank(rank, by_rank[rank]);
    }
    if (!definitions_.is_own()) place_otf2_receives(definitions_, *scenario_, gaps_);
  }

  // A rank that went on without what would complete a request shows a gap of its producer, or freed the request: not
  // that it was forgotten. EZTrace 2.0 records no completion by MPI_Waitall.
  void give_up_requests(std::int32_t rank, const std::vector<LocationRead*>& locations) {
    for (const LocationRead* const location : locations)
      if (location->calls->in_flight || location->cut) return;
    for (const auto& [key, open] : requests_[rank].open) {
      open.calls->events[open.event].request = kNoRequest;
      ++gaps_.uncompleted;
    }
  }

  void merge_rank(std::size_t rank, const std::vector<LocationRead*>& locations) {
    RankTrace& trace = scenario_->ranks[rank];
    if (definitions_.is_own())
      for (const LocationRead* const location : locations)
        if (const auto found = location->place.facts.find("not_reached"); found != location->place.facts.end())
          location->calls->add_not_reached(found->second);
    // Petri's own have numbers, where there are several threads.
    const auto before = [&](std::size_t a, std::size_t at_a, std::size_t b, std::size_t at_b) {
      const Otf2Calls &one = *locations[a]->calls, &other = *locations[b]->calls;
      if (definitions_.is_own()) return one.events[at_a].seq < other.events[at_b].seq;
      return one.times[at_a] < other.times[at_b];
    };
    std::vector<std::size_t> next(locations.size());
    for (;;) {
      std::size_t first = locations.size();
      for (std::size_t i = 0; i < locations.size(); ++i) {
        if (next[i] == locations[i]->calls->events.size()) continue;
        if (first == locations.size() || before(i, next[i], first, next[first])) first = i;
      }
      if (first == locations.size()) break;
      Otf2Calls& calls = *locations[first]->calls;
      Event event = std::move(calls.events[next[first]]);
      if (!definitions_.is_own() || event.seq == 0) event.seq = static_cast<std::uint32_t>(trace.events.size());
      if (has_times())
        trace.set_time(trace.events.size(), definitions_.seconds(calls.times[next[first]]) + time_origin());
      trace.events.push_back(std::move(event));
      ++next[first];
    }
    for (LocationRead* const location : locations) location->calls->events = {}, location->calls->times = {};
    trace.end = end_of(locations);
    if (definitions_.is_own()) take_own_end(locations, trace.end);
  }

  // Times that Petri made up for other tools are none.
  bool has_times() const { return !definitions_.is_own() || own_fact("times") == "recorded"; }

  double time_origin() const {
    const std::string origin = definitions_.is_own() ? own_fact("time_origin") : "";
    double seconds = 0;
    std::from_chars(origin.data(), origin.data() + origin.size(), seconds);
    return seconds;
  }

  std::string own_fact(const std::string& name) const {
    for (const LocationRead& location : locations_) {
      const auto found = location.place.facts.find(name);
      if (found != location.place.facts.end()) return found->second;
    }
    return "";
  }

  static RankEnd end_of(const std::vector<LocationRead*>& locations) {
    RankEnd end;
    end.stated = true;
    end.kind = locations.empty() ? EndKind::missing : EndKind::running;
    bool cut = false, finalized = false;
    std::optional<std::int64_t> status;
    for (const LocationRead* const location : locations) {
      cut |= location->cut;
      finalized |= location->calls->finalized;
      if (location->calls->exit_status) status = location->calls->exit_status;
    }
    if (cut) {
      end.kind = EndKind::cut;
    } else if (status && *status != 0) {
      end.kind = EndKind::exited;
      end.status = static_cast<std::int32_t>(std::clamp<std::int64_t>(*status, -255, 255));
    } else if (finalized || status) {
      end.kind = EndKind::finalized;
    }
    return end;
  }

  void take_own_end(const std::vector<LocationRead*>& locations, RankEnd& end) const {
    if (locations.empty() || end.kind == EndKind::cut) return;
    const auto& facts = locations.front()->place.facts;
    const auto fact = [&](const char* name) {
      const auto found = facts.find(name);
      return found == facts.end() ? std::string() : found->second;
    };
    const auto number = [&](const char* name, auto& to) {
      const std::string text = fact(name);
      std::from_chars(text.data(), text.data() + text.size(), to);
    };
    end = RankEnd();
    const std::string kind = fact("end");
    if (const std::optional<EndKind> stated = end_kind_named(kind)) {
      end.kind = *stated;
      end.stated = true;
    }
    number("status", end.status);
    number("signal", end.signal);
    number("dropped", end.dropped);
    std::istringstream joined(fact("joined"));
    for (std::string line; std::getline(joined, line);) {
      const std::size_t blank = line.find(' ');
      if (blank == std::string::npos) continue;
      std::int32_t position = 0;
      std::uint32_t reference = kOtf2Undefined;
      std::from_chars(line.data(), line.data() + blank, position);
      std::from_chars(line.data() + blank + 1, line.data() + line.size(), reference);
      const std::int32_t comm = definitions_.comm_index(reference);
      if (comm != kNoComm) end.joined.emplace_back(comm, position);
    }
  }

  // What an archive that Petri wrote says is what a scenario file says: it has to stand up to the same reader.
  Scenario checked() {
    scenario_->header.backend = own_fact("backend");
    scenario_->header.job = own_fact("job");
    for (std::size_t i = 0; i < scenario_->comms.size(); ++i)
      if (const std::int32_t comm = definitions_.comm_index(static_cast<std::uint32_t>(i)); comm != kNoComm)
        scenario_->comms[static_cast<std::size_t>(comm)].backend = own_fact(fmt::format("comm_backend {}", i));
    std::vector<std::string> hosts(scenario_->ranks.size());
    for (const LocationRead& location : locations_)
      if (const auto found = location.place.facts.find("host"); found != location.place.facts.end())
        hosts[static_cast<std::size_t>(location.place.rank)] = found->second;
    if (std::none_of(hosts.begin(), hosts.end(), [](const auto& host) { return host.empty(); }))
      scenario_->header.hosts = std::move(hosts);
    std::stringstream text;
    write_scenario(*scenario_, text);
    scenario_.reset();
    try {
      return read_scenario(text, anchor_.name);
    } catch (const InputError& error) {
      throw InputError(anchor_.name, 0, 0, fmt::format("the archive holds no scenario: {}", error.what()));
    }
  }

  void say_gaps() {
    scenario_->header.backend = "mpi";
    auto& facts = notes_.facts;
    facts.push_back("counts are bytes; datatypes, reduction operations and call sites are not recorded");
    facts.push_back("not compared, as no two tools reckon it alike: how much a collective sends, but for broadcasts");
    if (gaps_.any_receive)
      facts.push_back("a receive shows from where its message came, not whether it would have taken another");
    for (const auto& [op, count] : gaps_.left_out)
      facts.push_back(
          fmt::format("left out, as no record says what it was given: {} of {}", counted(count, "call"), op));
    if (definitions_.names_no_requests())
      facts.push_back(
          "no request is recorded: a message that a completion call received is taken for the earliest receive that "
          "was posted and is open");
    if (gaps_.guessed_waits > 0)
      facts.push_back(fmt::format("{} in flight: taken to wait for all requests that are open",
                                  counted(gaps_.guessed_waits, "completion call")));
    if (gaps_.unnamed > 0)
      facts.push_back(
          fmt::format("{} in flight without a record of the communicator: taken to be on the only one of "
                      "its rank, if there is but one",
                      counted(gaps_.unnamed, "call")));
    if (gaps_.uncompleted > 0)
      facts.push_back(
          fmt::format("without a record of their completion: {}; such receives are taken to have been for "
                      "any message",
                      counted(gaps_.uncompleted, "request")));
    if (of_no_process_ > 0)
      facts.push_back(fmt::format("left out: {} of no rank", counted(of_no_process_, "location")));
    if (gaps_.off > 0)
      notes_.warnings.push_back(fmt::format("{}: measurement was off and on again {}: calls are missing between",
                                            anchor_.name, counted(gaps_.off, "time")));
    if (!without_file_.empty())
      notes_.warnings.push_back(fmt::format("{}: there are no events of {} {}", anchor_.name,
                                            without_file_.size() == 1 ? "rank" : "ranks",
                                            fmt::join(without_file_, ", ")));
  }

  const TraceFile& anchor_;
  Otf2Place place_;
  Otf2Definitions definitions_;
  ImportNotes& notes_;
  std::optional<Scenario> scenario_;
  std::map<std::int32_t, Otf2Requests> requests_;
  Otf2Gaps gaps_;
  std::vector<LocationRead> locations_;
  LocationRead* current_ = nullptr;
  bool in_location_ = false;
  std::uint64_t done_ = 0, of_no_process_ = 0;
  std::size_t crashes_ = 0;
  std::vector<std::int32_t> without_file_;
};

}  // namespace

bool recognizes_otf2(const TraceFile& file) {
  return is_anchor(file.head) || is_member(file.head);
}

Scenario read_otf2(const std::vector<TraceFile>& files, ImportNotes& notes) {
  std::vector<const TraceFile*> anchors, members;
  for (const TraceFile& file : files)
    if (is_anchor(file.head)) anchors.push_back(&file);
  if (anchors.empty())
    throw InputError(files.front().name, 0, 0,
                     "part of an OTF2 archive without its anchor file (NAME.otf2), which is written when the "
                     "measurement ends: a job that is killed leaves none, and without it events cannot be read; where "
                     "there is one, name it or its folder");
  if (anchors.size() > 1)
    throw InputError(anchors[1]->name, 0, 0,
                     fmt::format("a second OTF2 archive beside {}: import one at a time", anchors[0]->name));
  // NAME.def, and what is in the folder NAME.
  const std::string name = anchors.front()->name.substr(0, anchors.front()->name.rfind(".otf2"));
  for (const TraceFile& file : files)
    if (&file != anchors.front() && file.name.starts_with(name) && file.name.size() > name.size() &&
        (file.name[name.size()] == '.' || file.name[name.size()] == '/'))
      members.push_back(&file);
  return ArchiveReader(*anchors.front(), members, notes).read();
}

}  // namespace petri
