#include "harness/worker/rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

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
      holdings_(scenario.comms.size()),
      log_(recording_folder(), number, trace().events.size()) {}

void Rank::run() {
  make_communicators(scenario_, number_, holdings_);
  make_windows(scenario_, number_, holdings_);
  open_files(scenario_, options_.files, number_, holdings_);
  Bytes room;
  if (uses_bsend(trace())) {
    room.resize(kBsendRoom);
    PMPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  }
  Replayer(*this).run();
  end_like_the_record();
}

std::filesystem::path Rank::path_of(const std::string& file) const {
  return std::filesystem::path(options_.files) / files_.at(file).name;
}

void Rank::idle() {
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
  switch (end.stated ? end.kind : EndKind::finalized) {
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
