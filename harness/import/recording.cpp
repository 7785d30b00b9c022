#include "harness/import/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "harness/import/call_sites.hpp"
#include "harness/import/comm_names.hpp"
#include "harness/import/process_record.hpp"
#include "harness/import/recorded_event.hpp"
#include "harness/import/recorded_memory.hpp"
#include "harness/import/window_units.hpp"
#include "harness/trace/extras_pool.hpp"
#include "harness/trace/liveness.hpp"

namespace petri {
namespace {

using record::RecordView;

[[noreturn]] void reject(const std::filesystem::path& file, const std::string& reason) {
  throw InputError(file.string(), 0, 0, reason);
}

// The records of all processes that know their rank, by rank.
struct Processes {
  std::int32_t world = 0;
  std::int32_t spawned = 0;  // others, of worlds of their own
  std::vector<std::pair<std::int32_t, RecordView>> views;
};

std::vector<std::filesystem::path> files_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    const auto here = record::record_files(folder);
    if (here.empty()) reject(folder, "no recording there: no process made a record of itself");
    files.insert(files.end(), here.begin(), here.end());
  }
  return files;
}

std::string job_of(const RecordView& view) {
  const char* job = view.header().job;
  return {job, ::strnlen(job, sizeof view.header().job)};
}

Processes open_all(const std::vector<std::filesystem::path>& folders, const std::string& job) {
  Processes all;
  for (const auto& file : files_of(folders)) {
    std::optional<RecordView> view = RecordView::open(file);
    if (!view || (!job.empty() && job_of(*view) != job)) continue;
    const std::int32_t rank = view->world_rank();
    const std::int32_t size = view->world_size();
    if (view->header().spawned.load(std::memory_order_relaxed) != 0) {
      ++all.spawned;
      continue;
    }
    if (rank < 0 || size < 0) continue;  // in MPI_Init still, and the launcher did not say
    if (size < 1 || size > kMaxWorld || rank >= size)
      reject(file, fmt::format("damaged record: rank {} of {}", rank, size));
    if (all.world != 0 && size != all.world)
      reject(file,
             fmt::format(
                 "two MPI jobs, one of {} ranks and one of {}, and a recording holds one: record each mpirun by itself",
                 size, all.world));
    all.world = size;
    all.views.emplace_back(rank, std::move(*view));
  }
  if (all.world == 0) reject(folders.front(), "no process there has got through MPI_Init yet");
  const auto by_rank = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(all.views.begin(), all.views.end(), by_rank);
  for (std::size_t i = 1; i < all.views.size(); ++i)
    if (all.views[i].first == all.views[i - 1].first)
      reject(all.views[i].second.file(), fmt::format("two processes say that they are rank {}: two MPI jobs, and a "
                                                     "recording holds one: record each mpirun by itself",
                                                     all.views[i].first));
  return all;
}

// To a tenth of a microsecond: event times are advisory, and short numbers keep files small.
double seconds(std::uint64_t ticks, double hz) {
  return std::round(static_cast<double>(ticks) / hz * 1e7) / 1e7;
}

RankEnd end_of(const RecordView& view, bool gone_were_killed) {
  RankEnd end;
  end.stated = true;
  end.status = view.header().exit_status.load(std::memory_order_relaxed);
  end.signal = view.header().signal.load(std::memory_order_relaxed);
  record::Ended ended = view.ended();
  // Asked again when it is gone: it may have said so in between.
  if (gone_were_killed && ended == record::Ended::running && liveness_of(view.header()) == Liveness::gone)
    ended = view.ended() == record::Ended::running ? record::Ended::signal : view.ended();
  switch (ended) {
    case record::Ended::running: end.kind = EndKind::running; return end;
    case record::Ended::finalized: end.kind = EndKind::finalized; return end;
    case record::Ended::exited: end.kind = EndKind::exited; return end;
    case record::Ended::aborted: end.kind = EndKind::aborted; return end;
    case record::Ended::signal: end.kind = EndKind::signal; return end;
  }
  reject(view.file(), "damaged record: it ended in an unknown way");
}

// Names call sites: one symbol for one address in one module, whatever address the module was loaded at.
class SiteNames {
 public:
  explicit SiteNames(SymbolTable& symbols) : symbols_(symbols) {}

  std::uint32_t symbol(const std::vector<ModuleFactCopy>& modules, std::uint64_t address, Op op) {
    if (address == 0) return kNoSymbol;
    // The latest of overlapping modules is the one that was there last.
    const auto module = std::find_if(modules.rbegin(), modules.rend(), [address](const ModuleFactCopy& candidate) {
      return candidate.begin <= address && address < candidate.end;
    });
    if (module == modules.rend()) return symbols_.intern(fmt::format("{:#x}", address));
    const auto [place, fresh] = known_.try_emplace({module->path, address - module->bias}, kNoSymbol);
    if (fresh) place->second = symbols_.intern(sites_.name(module->path, address - module->bias, name_of(op)));
    return place->second;
  }

 private:
  SymbolTable& symbols_;
  CallSites sites_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint32_t> known_;
};

void drop_exits(RankTrace& trace) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].op == Op::exit) continue;
    trace.set_time(kept, trace.time_of(i));
    if (kept != i) trace.events[kept] = std::move(trace.events[i]);
    ++kept;
  }
  trace.events.resize(kept);
  if (trace.times.size() > kept) trace.times.resize(kept);
}

// Where several threads make calls between init and finalize, those of each say so; one alone needs no number,
// whichever it is, unless MPI allows calls of the first only.
void settle_threads(RankTrace& trace, bool first_only) {
  std::set<std::int32_t> threads;
  if (first_only) threads.insert(0);
  for (const Event& event : trace.events)
    if (kind_of(event.op) != OpKind::world && event.op != Op::exit) threads.insert(event.extras.thread().value_or(0));
  // Without other threads, the end of one says nothing that the end of the process does not say.
  if (threads.size() <= 1) drop_exits(trace);
  for (Event& event : trace.events) {
    if (threads.size() > 1)
      event.extras.set_thread(event.extras.thread().value_or(0));
    else if (event.extras.thread())
      event.extras.set_thread({});
  }
}

// Which step and microbatch the events of a rank belong to, by the marks between them.
class Phases {
 public:
  explicit Phases(const record::Header& header)
      : at_last_(header.step.load(std::memory_order_acquire), header.microbatch.load(std::memory_order_acquire)) {}

  void place(Event& event) const {
    event.step = now_.step;
    event.microbatch = now_.microbatch;
  }

  void enter(const record::MarkSlot& mark, std::vector<Event>& so_far) {
    if (!known_) place_all(so_far, {mark.step_before, mark.microbatch_before});
    known_ = true;
    now_ = {mark.step, mark.microbatch};
  }

  // What was read so far is overwritten.
  void forget() {
    known_ = false;
    now_ = {};
  }

  // No mark may be left in the ring, nor ever have been there.
  void finish(std::vector<Event>& events) const {
    if (!known_) place_all(events, at_last_);
  }

 private:
  struct Phase {
    std::int32_t step = kUnset, microbatch = kUnset;
    Phase() = default;
    Phase(std::int32_t s, std::int32_t m) : step(s >= 0 ? s : kUnset), microbatch(m >= 0 ? m : kUnset) {}
  };

  static void place_all(std::vector<Event>& events, const Phase& phase) {
    for (Event& event : events) {
      event.step = phase.step;
      event.microbatch = phase.microbatch;
    }
  }

  Phase at_last_, now_;
  bool known_ = false;  // a mark was met
};

// One rank's way from its record into the scenario.
class RankReader {
 public:
  RankReader(Scenario& scenario, CommNames& comms, SiteNames* sites, bool events_lost, bool gone_were_killed)
      : scenario_(scenario),
        comms_(comms),
        sites_(sites),
        events_lost_(events_lost),
        gone_were_killed_(gone_were_killed) {}

  void read(std::int32_t rank, const RecordView& view) {
    const ProcessFacts facts = read_facts(view);
    comms_.begin_rank(rank, facts, view.file().string());
    RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(rank)];
    trace.end = end_of(view, gone_were_killed_);
    const double hz = view.header().clock_hz.load(std::memory_order_relaxed);
    std::map<std::uint64_t, std::uint32_t> symbols;
    Phases phases(view.header());
    for_each_event(
        view,
        [&](const RecordedEvent& recorded) {
          if (recorded.is_mark()) return phases.enter(recorded.mark(), trace.events);
          Event event = to_event(recorded, comms_, facts, events_lost_);
          event.seq = recorded.slot().seq;
          if (!trace.events.empty() && event.seq != trace.events.back().seq + 1)
            reject(view.file(),
                   fmt::format("damaged record: event {} follows event {}", event.seq, trace.events.back().seq));
          if (hz > 0)
            trace.set_time(trace.events.size(), seconds(recorded.slot().time - view.header().clock_start, hz));
          if (sites_ != nullptr) event.site = site(symbols, facts, recorded.slot().site, event.op);
          phases.place(event);
          extras_.share(event.extras);
          trace.events.push_back(std::move(event));
        },
        [&] {
          trace.events.clear();
          trace.times.clear();
          phases.forget();
        });
    phases.finish(trace.events);
    for (const WindowFactCopy& window : facts.windows)
      units_.add(window_name(comms_.at(comms_.index_of(window.comm)), window.ordinal), rank, window.disp_unit);
    const auto said = [&](const char* text) {
      return std::find(facts.texts.begin(), facts.texts.end(), text) != facts.texts.end();
    };
    settle_threads(trace, said("mpi_threads=single") || said("mpi_threads=funneled"));
    for (Event& event : trace.events) extras_.share(event.extras);
    trace.end.dropped = trace.events.empty() ? view.events_begun() : trace.events.front().seq;
    add_environment(facts);
  }

  const WindowUnits& window_units() const { return units_; }

 private:
  std::uint32_t site(std::map<std::uint64_t, std::uint32_t>& symbols, const ProcessFacts& facts, std::uint64_t address,
                     Op op) {
    const auto [place, fresh] = symbols.try_emplace(address, kNoSymbol);
    if (fresh) place->second = sites_->symbol(facts.modules, address, op);
    return place->second;
  }

  // What is the same for all is taken from the first rank that says it.
  void add_environment(const ProcessFacts& facts) {
    auto& environment = scenario_.header.environment;
    for (const std::string& text : facts.texts) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = text.substr(0, equals);
      const bool known =
          std::any_of(environment.begin(), environment.end(), [&](const auto& pair) { return pair.first == key; });
      if (!known) environment.emplace_back(key, text.substr(equals + 1));
    }
  }

  Scenario& scenario_;
  CommNames& comms_;
  SiteNames* sites_;
  bool events_lost_, gone_were_killed_;
  WindowUnits units_;
  ExtrasPool extras_;
};

void name_job(Scenario& scenario, const Processes& processes) {
  scenario.header.backend = "mpi";
  if (processes.spawned > 0)
    scenario.header.environment.emplace_back("spawned_processes", fmt::format("{}", processes.spawned));
  scenario.header.hosts.assign(scenario.ranks.size(), "unknown");
  for (const auto& [rank, view] : processes.views) {
    const char* host = view.header().host;
    scenario.header.hosts[static_cast<std::size_t>(rank)] =
        std::string(host, ::strnlen(host, sizeof view.header().host));
  }
  for (const auto& [key, value] : scenario.header.environment) {
    if (key != "command") continue;
    scenario.header.job = std::filesystem::path(value.substr(0, value.find(' '))).filename().string();
  }
}

}  // namespace

std::vector<RecordedJob> recorded_jobs(const std::vector<std::filesystem::path>& folders) {
  std::map<std::string, RecordedJob> jobs;
  for (const auto& file : files_of(folders)) {
    const std::optional<RecordView> view = RecordView::open(file);
    if (!view) continue;
    RecordedJob& job = jobs[job_of(*view)];
    job.id = job_of(*view);
    const std::int64_t start = view->header().start_ns;
    job.start_ns = job.processes == 0 ? start : std::min(job.start_ns, start);
    ++job.processes;
  }
  std::vector<RecordedJob> sorted;
  for (auto& [id, job] : jobs) sorted.push_back(std::move(job));
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return sorted;
}

Scenario import_recording(const std::filesystem::path& folder, const RecordingOptions& options) {
  return import_recording(std::vector{folder}, options);
}

Scenario import_recording(const std::vector<std::filesystem::path>& folders, const RecordingOptions& options) {
  const Processes processes = open_all(folders, options.job);
  Scenario scenario(processes.world);
  for (RankTrace& trace : scenario.ranks) {
    trace.end.kind = EndKind::missing;
    trace.end.stated = true;
  }
  const bool events_lost = std::any_of(processes.views.begin(), processes.views.end(),
                                       [](const auto& entry) { return entry.second.first_slot() > 0; });
  CommNames comms(scenario);
  SiteNames sites(scenario.symbols);
  RankReader reader(scenario, comms, options.call_sites ? &sites : nullptr, events_lost, options.gone_were_killed);
  for (const auto& [rank, view] : processes.views) reader.read(rank, view);
  reader.window_units().settle(scenario);
  name_job(scenario, processes);
  return scenario;
}

}  // namespace petri
