#include "harness/worker/rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <future>

#include "harness/worker/perform.hpp"
#include "harness/worker/plan/plan.hpp"
#include "harness/worker/setup.hpp"

namespace petri {
namespace {

constexpr useconds_t kIdleLook_us = 5000;
constexpr std::size_t kBsendRoom = 16 << 20;

bool uses_bsend(const RankTrace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(),
                     [](const Event& event) { return info(event.op).family == "bsend"; });
}

const char* recording_folder() {
  return std::getenv("PETRI_RECORD_DIR");
}

}  // namespace

Rank::Rank(const Scenario& scenario, std::int32_t number, const WorkerOptions& options)
    : scenario_(scenario),
      number_(number),
      options_(options),
      shapes_(scenario),
      files_(files_of(scenario)),
      lanes_(lanes_of(trace())),
      prerequisites_(prerequisites_of(trace(), lanes_)),
      progress_(trace().events.size()),
      holdings_(scenario.comms.size()),
      log_(recording_folder(), number, trace().events.size() + lanes_.size()) {}

void Rank::run() {
  make_communicators(scenario_, number_, holdings_);
  make_windows(scenario_, number_, holdings_);
  open_files(scenario_, options_.files, number_, holdings_);
  Bytes room;
  if (uses_bsend(trace())) {
    room.resize(kBsendRoom);
    PMPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  }
  start_threads();
  Replayer(*this, 0).run();
  end_like_the_record();
}

// Each makes a call that does nothing, in the order of lanes, so that the recorder gives the threads these numbers
// (plan/account.cpp).
void Rank::start_threads() {
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane) {
    std::promise<void> numbered;
    std::future<void> is_numbered = numbered.get_future();
    threads_.emplace_back([this, lane, numbered = std::move(numbered)]() mutable {
      int found = 0;
      MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      numbered.set_value();
      Replayer(*this, lane).run();
    });
    is_numbered.wait();
  }
}

void Rank::join_threads() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::filesystem::path Rank::path_of(const std::string& file) const {
  return std::filesystem::path(options_.files) / files_.at(file).name;
}

void Rank::idle() {
  join_threads();
  const char* folder = recording_folder();
  if (folder != nullptr) mark_rest(folder, number_, Rest::idle);
  // Whoever started the replay ends it: a rank that is waited for must not go away by itself.
  while (folder == nullptr || access(folder, F_OK) == 0) {
    bool all = folder != nullptr;
    for (std::int32_t rank = 0; all && rank < scenario_.world(); ++rank) all = rest_of(folder, rank) != Rest::none;
    if (all) break;
    usleep(kIdleLook_us);
  }
  PMPI_Finalize();  // not the record's: it ended before
  _exit(0);
}

void Rank::finalize() {
  if (finalized_) return;
  if (recording_folder() != nullptr) mark_rest(recording_folder(), number_, Rest::finalizes);
  MPI_Finalize();
  finalized_ = true;
}

void Rank::end_like_the_record() {
  const RankEnd& end = trace().end;
  const EndKind kind = end.stated ? end.kind : EndKind::finalized;
  const bool dies = kind == EndKind::exited || kind == EndKind::aborted || kind == EndKind::signal;
  if (dies)
    progress_.wait_for(prerequisites_of_end(trace(), lanes_));
  else
    join_threads();
  switch (kind) {
    case EndKind::finalized: finalize(); return;
    case EndKind::exited: std::exit(end.status);
    case EndKind::aborted: MPI_Abort(MPI_COMM_WORLD, end.status != 0 ? end.status : 1); return;
    case EndKind::signal: raise(end.signal != 0 ? end.signal : SIGKILL); return;
    case EndKind::running:
    case EndKind::cut:
    case EndKind::missing: break;
  }
  if (finalized_) return;
  idle();
}

}  // namespace petri
