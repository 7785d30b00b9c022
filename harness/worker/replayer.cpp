#include "harness/worker/replayer.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "harness/worker/perform.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {
namespace {

constexpr useconds_t kIdleLook_us = 5000;
constexpr std::size_t kBsendRoom = 16 << 20;

bool uses_bsend(const RankTrace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(),
                     [](const Event& event) { return event.op == Op::bsend || event.op == Op::ibsend; });
}

const char* recording_folder() {
  return std::getenv("PETRI_RECORD_DIR");
}

}  // namespace

Replayer::Replayer(const Scenario& scenario, std::int32_t rank, const WorkerOptions& options)
    : scenario_(scenario),
      rank_(rank),
      options_(options),
      trace_(scenario.ranks[static_cast<std::size_t>(rank)]),
      comms_(scenario.comms.size(), MPI_COMM_NULL),
      log_(recording_folder(), rank, trace_.events.size()) {
  comms_[0] = MPI_COMM_WORLD;
}

void Replayer::run() {
  learn_shapes();
  make_communicators();
  Bytes room;
  if (uses_bsend(trace_)) {
    room.resize(kBsendRoom);
    PMPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  }
  for (index_ = 0; index_ < trace_.events.size(); ++index_) {
    const Event& event = trace_.events[index_];
    log_.begin(index_);
    if (is_repeated_by_next(trace_.events, index_)) continue;
    delay(event);
    performer_of(event.op)(*this, event);
    scratch_.clear();
  }
  log_.begin(index_);
  end_like_the_record();
}

void Replayer::make_communicators() {
  std::int32_t tag = kSetupTag;
  for (const std::int32_t index : communicators_made_at_start(scenario_)) {
    const Communicator& comm = scenario_.comms[static_cast<std::size_t>(index)];
    const std::int32_t own_tag = tag++;
    if (comm.group_rank_of(rank_) < 0) continue;
    MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_incl(all, static_cast<int>(comm.ranks.size()), comm.ranks.data(), &group);
    // Through the recorder, which must know the communicator.
    MPI_Comm_create_group(MPI_COMM_WORLD, group, own_tag, &comms_[static_cast<std::size_t>(index)]);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
  }
}

void Replayer::learn_shapes() {
  for (const RankTrace& rank : scenario_.ranks) {
    for (const Event& event : rank.events) {
      Shape& shape =
          shapes_.try_emplace({event.comm, info(event.op).family}, Shape{-1, ElementType::unknown}).first->second;
      if (shape.count < 0 && event.count != kUnknownCount) shape.count = static_cast<int>(event.count);
      if (shape.type == ElementType::unknown) shape.type = event.dtype;
    }
  }
}

Shape Replayer::shape_of(const Event& event) const {
  const auto found = shapes_.find({event.comm, info(event.op).family});
  const Shape others = found != shapes_.end() ? found->second : Shape{-1, ElementType::unknown};
  const int standard = others.count >= 0 ? others.count : 1;
  return {event.count != kUnknownCount ? static_cast<int>(event.count) : standard,
          event.dtype != ElementType::unknown ? event.dtype : others.type};
}

MPI_Comm* Replayer::new_comm_of(const Event& event) {
  return event.new_comm != kNoComm ? &comms_[static_cast<std::size_t>(event.new_comm)] : &discarded_;
}

int Replayer::size_of_comm(const Event& event) const {
  int size = 0;
  PMPI_Comm_size(comm_of(event), &size);
  return size;
}

Bytes& Replayer::scratch(Bytes buffer) {
  scratch_.reserve(16);  // references stay valid within one event
  return scratch_.emplace_back(std::move(buffer));
}

bool Replayer::endless() const {
  return is_endless(trace_, index_);
}

void Replayer::delay(const Event& event) const {
  for (const auto& [seq, ms] : options_.delays) {
    if (seq == event.seq) usleep(static_cast<useconds_t>(ms * 1000));
  }
}

void Replayer::idle() {
  const char* folder = recording_folder();
  if (folder != nullptr) mark_rest(folder, rank_, Rest::idle);
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

void Replayer::finalize() {
  if (finalized_) return;
  if (recording_folder() != nullptr) mark_rest(recording_folder(), rank_, Rest::finalizes);
  MPI_Finalize();
  finalized_ = true;
}

void Replayer::end_like_the_record() {
  const RankEnd& end = trace_.end;
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
