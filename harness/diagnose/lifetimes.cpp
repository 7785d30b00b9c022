#include "harness/diagnose/lifetimes.hpp"

#include <string_view>
#include <utility>

#include "harness/diagnose/group_lives.hpp"
#include "harness/diagnose/in_progress.hpp"
#include "harness/diagnose/object_uses.hpp"
#include "harness/diagnose/request_lives.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

struct File : Object {
  Object split{kSplit, kUnknown, {}, false};
  Op begun = Op::file_open;                         // of the open split collective
  std::map<std::uint32_t, std::uint32_t> accesses;  // pending: request and event
};

bool uses_communicator(const Event& event) {
  switch (kind_of(event.op)) {
    case OpKind::recv: return event.op != Op::mrecv && event.op != Op::imrecv;  // those are on their message
    case OpKind::send:
    case OpKind::sendrecv:
    case OpKind::probe:
    case OpKind::collective: return true;
    case OpKind::comm_create:
      return event.op != Op::comm_create_from_group && event.op != Op::comm_init_rank && event.op != Op::comm_init_all;
    case OpKind::window:
    case OpKind::file: return creates(event.op);  // which keep the communicator's group for themselves
    default: return false;
  }
}

bool is_nccl(const Scenario& scenario, const Event& event) {
  switch (event.op) {
    case Op::comm_init_rank:
    case Op::comm_init_all:
    case Op::comm_finalize:
    case Op::comm_destroy:
    case Op::comm_abort: return true;
    default: break;
  }
  return model::is_enqueued(event) || scenario.header.backend == "nccl" || scenario.comm_of(event).backend == "nccl";
}

// A call of MPI that may not follow finalize (MPI 4.1, section 11.2.2).
bool needs_mpi(const Scenario& scenario, const Event& event) {
  const OpKind kind = kind_of(event.op);
  return kind != OpKind::world && kind != OpKind::host && kind != OpKind::device && !is_nccl(scenario, event);
}

class Walker {
 public:
  Walker(const Scenario& scenario, const model::Run& run, std::int32_t rank)
      : scenario_(scenario),
        run_(run),
        rank_(rank),
        events_(scenario.ranks[static_cast<std::size_t>(rank)].events),
        uses_(rank, is_whole(run, rank)),
        requests_(events_, uses_, !run.lanes[static_cast<std::size_t>(rank)].whole,
                  [&](std::uint32_t request, const Event& made, State state) { settle(request, made, state); }),
        groups_(events_, uses_) {}

  Lifetimes walk() {
    for (std::uint32_t index = 0; index < events_.size(); ++index)
      if (reached(scenario_, run_, {rank_, index})) perform(index);
    find_open();
    find_kept();
    find_use_behind_release();
    result_.wrong = uses_.take_wrong();
    return std::move(result_);
  }

 private:
  // Nothing was lost before the rank's first event, or cut out of the record since.
  bool is_whole(const model::Run& run, std::int32_t rank) const {
    return !run.truncated[static_cast<std::size_t>(rank)] && (events_.empty() || events_.front().seq == 0);
  }

  void perform(std::uint32_t index) {
    const Event& event = events_[index];
    now_ = index;
    if (event.op == Op::finalize) use(process_, kFree, index, "");
    if (process_.state == kGone && needs_mpi(scenario_, event)) use(process_, kAccess, index, "");
    perform_on_communicator(index);
    switch (kind_of(event.op)) {
      case OpKind::window:
      case OpKind::rma: perform_on_window(index); break;
      case OpKind::file: perform_on_file(index); break;
      case OpKind::probe:
      case OpKind::recv: perform_on_message(index); break;
      default: break;
    }
    const bool of_host = kind_of(event.op) == OpKind::host || kind_of(event.op) == OpKind::device;
    if (of_host || model::is_enqueued(event)) groups_.perform(index);
    requests_.perform(index);
  }

  // What a request held, once it is complete or freed.
  void settle(std::uint32_t request, const Event& made, State state) {
    if (kind_of(made.op) == OpKind::file) files_[made.extras.file()].accesses.erase(request);
    if (kind_of(made.op) != OpKind::comm_create || made.extras.new_comm() == kNoComm) return;
    Object& comm = communicators_[made.extras.new_comm()];
    if (state == kUnknown)
      comm.state = kUnknown;
    else
      use(comm, kComplete, now_, "");
  }

  void use(Object& object, Use how, std::uint32_t index, const std::string& name) {
    uses_.use(object, how, index, name);
  }

  // Messages of matched probes.

  void perform_on_message(std::uint32_t index) {
    const Event& event = events_[index];
    if (event.extras.empty() || !event.extras.message()) return;
    const auto [found, inserted] = messages_.try_emplace(*event.extras.message());
    Object& message = found->second;
    if (inserted) message = {kMessage, uses_.absent(), {}, false};
    if (kind_of(event.op) == OpKind::recv) return use(message, kComplete, index, std::to_string(found->first));
    // Nobody sends the message of a null process, and nobody has to receive it (section 3.10).
    const bool certain = event.peer != kNull && model::takes_message(event);
    if (certain && message.state != kActive)
      use(message, kStart, index, "");
    else if (!certain && event.flag != 0)
      message.state = kUnknown;
  }

  // Communicators, windows, files.

  void perform_on_communicator(std::uint32_t index) {
    const Event& event = events_[index];
    const std::string& name = scenario_.comm_of(event).name;
    if (kind_of(event.op) == OpKind::comm_free) {
      // NCCL's communicator of all ranks may be called as MPI's is.
      const bool of_nccl = is_nccl(scenario_, event);
      if (event.comm == 0 && of_nccl && scenario_.header.backend != "nccl") return;
      Object& comm = communicators_[event.comm];
      comm.kind = kCommunicator;
      if (event.comm == 0 && !of_nccl) comm = {kPredefined, kIdle, {}, comm.told};
      use(comm, event.op == Op::comm_finalize ? kWindUp : kFree, index, name);
    } else if (uses_communicator(event)) {
      if (const auto found = communicators_.find(event.comm); found != communicators_.end())
        use(found->second, kAccess, index, name);
    }
    if (kind_of(event.op) == OpKind::comm_create) make_communicator(index);
  }

  void make_communicator(std::uint32_t index) {
    const Event& event = events_[index];
    if (event.extras.new_comm() == kNoComm) {  // it may have made any that is gone anew
      for (auto& [number, comm] : communicators_)
        if (comm.state == kGone) comm.state = kUnknown;
      return;
    }
    Object& made = communicators_[event.extras.new_comm()];
    made = {kCommunicator, kUnknown, {}, false};
    use(made, form_of(event.op) == OpForm::nonblocking ? kStart : kMake, index, "");
  }

  // A window or file that this rank makes later only. One that it frees first was there before the record began.
  State before_creation(const std::string& (EventExtras::*name)() const) const {
    const std::string& wanted = (events_[now_].extras.*name)();
    for (std::size_t later = now_ + 1; later < events_.size(); ++later) {
      const Event& event = events_[later];
      if (event.extras.empty() || (event.extras.*name)() != wanted) continue;
      if (creates(event.op)) return uses_.absent();
      if (event.op == Op::win_free || event.op == Op::file_close) break;
    }
    return kUnknown;
  }

  void perform_on_window(std::uint32_t index) {
    const Event& event = events_[index];
    if (event.extras.empty() || event.extras.win().empty()) return;
    const auto [found, inserted] = windows_.try_emplace(event.extras.win());
    Object& window = found->second;
    if (creates(event.op)) window = Object{};
    if (inserted && !creates(event.op)) window.state = before_creation(&EventExtras::win);
    window.kind = kWindow;
    use(window, creates(event.op) ? kMake : event.op == Op::win_free ? kFree : kAccess, index, event.extras.win());
  }

  void perform_on_file(std::uint32_t index) {
    const Event& event = events_[index];
    if (event.extras.empty() || event.extras.file().empty()) return;
    const std::string& name = event.extras.file();
    const auto [found, inserted] = files_.try_emplace(name);
    File& file = found->second;
    if (creates(event.op)) file = File{};
    file.kind = kFile;
    if (inserted || creates(event.op)) file.split.state = creates(event.op) ? kIdle : uses_.at_rest();
    if (inserted && !creates(event.op)) file.state = before_creation(&EventExtras::file);
    if (file.state != kGone) perform_split(file, index);
    const bool closes = event.op == Op::file_close;
    use(file, creates(event.op) ? kMake : closes ? kFree : kAccess, index, name);
    if (form_of(event.op) == OpForm::nonblocking && event.request != kNoRequest) file.accesses[event.request] = index;
  }

  void perform_split(File& file, std::uint32_t index) {
    const Event& event = events_[index];
    const std::string& name = event.extras.file();
    const std::string_view op = name_of(event.op);
    if (op.ends_with("_begin")) {
      use(file.split, kStart, index, name);
      file.begun = event.op;
    } else if (op.ends_with("_end")) {
      const std::string_view begun = name_of(file.begun);
      const bool its_own = begun.substr(0, begun.rfind('_')) == op.substr(0, op.rfind('_'));
      use(file.split, its_own || file.split.state != kActive ? kEnd : kEndOther, index, name);
    } else if (needs_rest(event.op)) {
      use(file.split, kSettle, index, name);
      if (file.accesses.empty()) return;
      Object pending{kAccessToFile, kActive, file.accesses.begin()->second, false};
      use(pending, kSettle, index, name);
      file.accesses.clear();
    } else if (!creates(event.op) && event.op != Op::file_set_info && event.op != Op::file_set_atomicity &&
               event.op != Op::file_seek_shared) {
      use(file.split, kAccess, index, name);
    }
  }

  static bool needs_rest(Op op) {
    return op == Op::file_close || op == Op::file_set_view || op == Op::file_set_size || op == Op::file_preallocate ||
           op == Op::file_sync;
  }

  // What is left at the end.

  void find_open() {
    const auto slot = static_cast<std::size_t>(rank_);
    const model::Standing standing = run_.standing[slot];
    const bool finished = standing == model::Standing::finished;
    const bool killed = scenario_.ranks[slot].end.kind == EndKind::signal ||
                        (!events_.empty() && events_.back().state == EventState::started);
    const bool left = standing == model::Standing::dead && !killed;
    if (finished) {
      for (const auto& [number, message] : messages_)
        if (message.state == kActive) result_.open.push_back({{rank_, *message.since}, kMessage, {}, true});
      for (const auto& [name, file] : files_)
        if (file.split.state == kActive && file.state != kGone)
          result_.open.push_back({{rank_, *file.split.since}, kSplit, {}, true});
    }
    for (const auto& [thread, group] : groups_.by_thread()) {
      if (group.starts.empty()) continue;
      const bool blocked = standing == model::Standing::blocked && !group.inside.empty();
      if (finished || left || blocked)
        result_.open.push_back({{rank_, group.starts.front()}, kGroup, group.inside, finished || left});
    }
  }

  void find_kept() {
    const auto keep = [&](const Object& object, std::string name) {
      if (object.state == kIdle && object.kind != kPredefined) result_.kept[std::move(name)] = {rank_, *object.since};
    };
    for (const auto& [name, window] : windows_) keep(window, "window " + name);
    for (const auto& [name, file] : files_) keep(file, "file " + name);
    for (const auto& [number, comm] : communicators_)
      keep(comm, "communicator " + scenario_.comms[static_cast<std::size_t>(number)].name);
  }

  // A rank that hangs in the release of a communicator which it uses again behind it released it too early.
  void find_use_behind_release() {
    const model::Lane& lane = run_.lanes[static_cast<std::size_t>(rank_)];
    if (!lane.whole || lane.standing != model::Standing::blocked || lane.index >= events_.size()) return;
    const Event& release = events_[lane.index];
    if (kind_of(release.op) != OpKind::comm_free) return;
    for (std::uint32_t index = lane.index + 1; index < events_.size(); ++index) {
      const Event& event = events_[index];
      if (kind_of(event.op) == OpKind::comm_create) return;
      if (!uses_communicator(event) || event.comm != release.comm) continue;
      return use(communicators_[event.comm], kAccess, index, scenario_.comm_of(event).name);
    }
  }

  const Scenario& scenario_;
  const model::Run& run_;
  const std::int32_t rank_;
  const std::vector<Event>& events_;
  std::uint32_t now_ = 0;  // the event that is performed
  Lifetimes result_;
  Uses uses_;
  RequestLives requests_;
  GroupLives groups_;
  Object process_{kProcess, kIdle, {}, false};
  std::map<std::int64_t, Object> messages_;
  std::map<std::string, Object> windows_;
  std::map<std::string, File> files_;
  std::map<std::int32_t, Object> communicators_;  // that a call has made or freed
};

}  // namespace

Lifetimes lifetimes_of(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  return Walker(scenario, run, rank).walk();
}

}  // namespace petri::diagnosis
