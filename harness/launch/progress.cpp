#include "harness/launch/progress.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <set>
#include <utility>

#include "harness/launch/process_tree.hpp"
#include "harness/trace/liveness.hpp"

namespace petri {
namespace {

int open_death_descriptor(pid_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0U));
#else
  return -1;
#endif
}

// Nanoseconds on a processor: the first number of /proc/PID/schedstat.
std::uint64_t processor_ns(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/schedstat");
  std::uint64_t ns = 0;
  file >> ns;
  return ns;
}

bool is_runnable(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text, '\0');  // unlike an iterator, it does not throw where the process ends meanwhile
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'R';
}

// A rank that gets this much processor time would have left a call that it can leave.
constexpr std::uint64_t kFairShare_ns = 1'000'000;

}  // namespace

JobRecords::~JobRecords() {
  for (const Member& member : members_) {
    if (member.death_descriptor >= 0) close(member.death_descriptor);
  }
}

void JobRecords::find_new() {
  for (const std::filesystem::path& file : record::record_files(folder_)) {
    if (seen_.contains(file.string())) continue;
    std::optional<record::RecordView> view = record::RecordView::open(file);
    if (!view) continue;  // still being made
    seen_.emplace(file.string(), true);
    const bool here = liveness_of(view->header()) != Liveness::unknown;
    const auto process = here ? static_cast<pid_t>(view->header().pid) : 0;
    members_.push_back({std::move(*view), process, here ? open_death_descriptor(process) : -1});
  }
}

Progress JobRecords::look() {
  find_new();
  Progress progress;
  for (const Member& member : members_) {
    ++progress.records;
    progress.expected = std::max(progress.expected, member.view.world_size());
    progress.moves += member.view.events_begun() + member.view.events_completed();
    progress.polls += member.view.failed_polls();
    if (member.death_round != 0) ++progress.gone;
    const bool alive = member.death_round == 0 && member.view.ended() == record::Ended::running;
    if (alive) ++(member.view.in_call() ? progress.waiting : progress.running);
  }
  return progress;
}

void JobRecords::wait(int descriptor, int wait_ms) {
  std::vector<pollfd> waits{{descriptor, POLLIN, 0}};
  for (const Member& member : members_) {
    const bool watched = member.death_round == 0 && member.death_descriptor >= 0;
    waits.push_back({watched ? member.death_descriptor : -1, POLLIN, 0});
  }
  poll(waits.data(), waits.size(), wait_ms);
  note_deaths();
}

void JobRecords::note_deaths() {
  bool noted = false;
  for (Member& member : members_) {
    if (member.death_round != 0 || member.process == 0) continue;
    pollfd state{member.death_descriptor, POLLIN, 0};
    const bool dead =
        member.death_descriptor >= 0 ? poll(&state, 1, 0) > 0 : kill(member.process, 0) != 0 && errno == ESRCH;
    if (!dead) continue;
    member.death_round = round_ + 1;
    noted = true;
  }
  if (noted) ++round_;
}

void JobRecords::mark_processor_time() {
  for (Member& member : members_) member.marked_ns = member.process != 0 ? processor_ns(member.process) : 0;
}

bool JobRecords::starved_since_mark() const {
  for (const Member& member : members_) {
    if (member.death_round != 0 || member.process == 0 || !member.view.in_call()) continue;
    if (processor_ns(member.process) < member.marked_ns + kFairShare_ns && is_runnable(member.process)) return true;
  }
  return false;
}

std::optional<std::int32_t> JobRecords::first_silent_death() const {
  const Member* first = nullptr;
  int first_word = round_ + 1;  // round of the first death that was announced
  for (const Member& member : members_) {
    const record::Ended ended = member.view.ended();
    // An aborting rank is often killed after the others: its word counts from the beginning.
    if (ended == record::Ended::aborted) return std::nullopt;
    if (member.process == 0 && ended == record::Ended::running) return std::nullopt;
    if (member.death_round == 0 || ended == record::Ended::finalized) continue;
    if (ended == record::Ended::exited) {
      first_word = std::min(first_word, member.death_round);
    } else if (first == nullptr || member.death_round < first->death_round) {
      first = &member;
    }
  }
  if (first == nullptr || first->death_round >= first_word || first->view.world_rank() < 0) return std::nullopt;
  return first->view.world_rank();
}

bool JobRecords::silent_death() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.death_round != 0 && member.view.ended() == record::Ended::running;
  });
}

bool JobRecords::reach_beyond(pid_t ancestor) const {
  const std::vector<pid_t> tree = descendants_of(ancestor);
  const std::set<pid_t> below(tree.begin(), tree.end());
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return member.process == 0 || (member.death_round == 0 && !below.contains(member.process));
  });
}

}  // namespace petri
