#include "harness/import/nccl_log_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "harness/import/natural_order.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::int32_t kNobody = -1;
constexpr std::size_t kMostMembers = std::size_t{1} << 24;  // of all communicators together

class Joining {
 public:
  Joining(const LogJob& job, const std::string& source, ImportNotes& notes)
      : job_(job), source_(source), notes_(notes) {}

  LogRanks join() {
    find_actors();
    for (const CommLife& one : job_.lives) largest_size_ = std::max(largest_size_, one.nranks);
    ranks_.comm_of_life.assign(job_.lives.size(), kNobody);
    join_by_id();
    join_by_number();
    join_splits();
    join_by_number();  // splits whose parent or number is not known
    warn_of_unjoined();
    number_actors();
    for (LogComm& comm : ranks_.comms) number_members(comm);
    return std::move(ranks_);
  }

 private:
  const CommLife& life(std::size_t number) const { return job_.lives[number]; }

  void find_actors() {
    std::map<std::pair<std::uint32_t, std::int32_t>, std::int32_t> known;
    for (const CommLife& one : job_.lives) {
      const auto [found, is_new] =
          known.try_emplace({one.process, one.device}, static_cast<std::int32_t>(ranks_.actors.size()));
      if (is_new) ranks_.actors.push_back({one.process, one.device, kNobody});
      ranks_.actor_of_life.push_back(found->second);
    }
  }

  // Makes one communicator of lives that are its ranks; false where two of them are the same rank of it.
  bool make(const std::vector<std::uint32_t>& lives, const std::vector<std::int32_t>& as, std::string name) {
    LogComm comm;
    comm.name = std::move(name);
    comm.first_life = lives.front();
    const auto size = static_cast<std::size_t>(life(lives.front()).nranks);
    if ((members_ += size) > kMostMembers)
      throw InputError(source_, 0, 0, fmt::format("the communicators have more than {} ranks together", kMostMembers));
    comm.actors.assign(size, kNobody);
    std::unordered_set<std::int32_t> there;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      if (as[i] < 0 || static_cast<std::size_t>(as[i]) >= comm.actors.size()) return false;
      std::int32_t& place = comm.actors[static_cast<std::size_t>(as[i])];
      const std::int32_t actor = ranks_.actor_of_life[lives[i]];
      if (place != kNobody || !there.insert(actor).second) return false;
      place = actor;
      comm.unfinished = comm.unfinished || (life(lives[i]).started && !life(lives[i]).complete);
    }
    if (!names_.insert(comm.name).second) return false;
    for (const std::uint32_t number : lives)
      ranks_.comm_of_life[number] = static_cast<std::int32_t>(ranks_.comms.size());
    ranks_.comms.push_back(std::move(comm));
    return true;
  }

  bool make(const std::vector<std::uint32_t>& lives, std::string name) {
    std::vector<std::int32_t> as;
    for (const std::uint32_t number : lives) as.push_back(life(number).rank);
    return make(lives, as, std::move(name));
  }

  void join_by_id() {
    std::map<std::pair<std::uint64_t, std::int32_t>, std::vector<std::uint32_t>> by_id;
    for (std::uint32_t number = 0; number < job_.lives.size(); ++number)
      if (const CommLife& one = life(number); one.id && *one.id != 0 && one.rank >= 0)
        by_id[{*one.id, one.nranks}].push_back(number);
    std::vector<std::pair<std::uint32_t, std::string>> order;
    for (const auto& [key, lives] : by_id) order.emplace_back(lives.front(), fmt::format("{:#x}", key.first));
    std::sort(order.begin(), order.end());
    for (const auto& [first, name] : order) make(by_id[{*life(first).id, life(first).nranks}], name);
  }

  // In the order in which parents come before their splits. Where a release does not number the splits of a parent,
  // they are counted.
  void join_splits() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> counted_by_parent;
    std::map<std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int32_t>, std::vector<std::uint32_t>> splits;
    const auto collect = [&](std::uint32_t number) {
      const CommLife& one = life(number);
      if (ranks_.comm_of_life[number] != kNobody || one.parent < 0 || !one.color || one.rank < 0) return;
      const std::int32_t parent = ranks_.comm_of_life[static_cast<std::size_t>(one.parent)];
      if (parent == kNobody) return;
      const std::int64_t split = one.split ? *one.split : counted_by_parent[{ranks_.actor_of_life[number], parent}]++;
      splits[{parent, split, *one.color, one.nranks}].push_back(number);
    };
    for (std::size_t made = ranks_.comms.size() + 1; made != ranks_.comms.size();) {  // splits of splits
      made = ranks_.comms.size();
      splits.clear();
      counted_by_parent.clear();
      for (std::uint32_t number = 0; number < job_.lives.size(); ++number) collect(number);
      for (const auto& [key, lives] : splits) {
        const auto& [parent, split, color, nranks] = key;
        make(lives, fmt::format("{}/{}.{}", ranks_.comms[static_cast<std::size_t>(parent)].name, split, color));
      }
    }
  }

  // The n-th of its size on each rank: one communicator where it is the job's largest, or where all of its ranks and
  // all of the job's are in the log.
  void join_by_number() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> counts;
    std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<std::uint32_t>> by_number;
    for (std::uint32_t number = 0; number < job_.lives.size(); ++number) {
      const CommLife& one = life(number);
      if (ranks_.comm_of_life[number] != kNobody || one.nranks <= 0 || one.is_split != after_splits_) continue;
      by_number[{one.nranks, counts[{ranks_.actor_of_life[number], one.nranks}]++}].push_back(number);
    }
    after_splits_ = true;
    for (auto& [key, lives] : by_number) {
      const auto size = static_cast<std::size_t>(key.first);
      const bool ranked = std::all_of(lives.begin(), lives.end(), [&](auto number) { return life(number).rank >= 0; });
      const bool all_logged = static_cast<std::size_t>(largest_size_) <= ranks_.actors.size();
      if (key.first != largest_size_ && !(all_logged && lives.size() == size)) continue;
      const std::string name = fmt::format("{} ranks, number {}", size, key.second + 1);
      if (ranked) {
        make(lives, name);
      } else if (size == ranks_.actors.size() && lives.size() == size) {
        std::sort(lives.begin(), lives.end(), [&](std::uint32_t a, std::uint32_t b) { return actor_before(a, b); });
        std::vector<std::int32_t> as(lives.size());
        std::iota(as.begin(), as.end(), 0);
        if (make(lives, as, name)) assumed_ranks_ = true;
      }
    }
  }

  bool actor_before(std::uint32_t life_a, std::uint32_t life_b) const {
    return is_before(ranks_.actors[static_cast<std::size_t>(ranks_.actor_of_life[life_a])],
                     ranks_.actors[static_cast<std::size_t>(ranks_.actor_of_life[life_b])]);
  }

  // By host, process and device: as launchers mostly number them.
  bool is_before(const LogActor& a, const LogActor& b) const {
    const LogProcess& one = job_.processes[a.process];
    const LogProcess& other = job_.processes[b.process];
    if (one.host != other.host) return natural_less(one.host, other.host);
    return std::tuple(one.pid, a.process, a.device) < std::tuple(other.pid, b.process, b.device);
  }

  void warn_of_unjoined() {
    std::set<std::int32_t> sizes;
    std::uint64_t calls = 0;
    for (std::size_t number = 0; number < job_.lives.size(); ++number) {
      if (ranks_.comm_of_life[number] != kNobody || life(number).calls == 0) continue;
      sizes.insert(life(number).nranks);
      calls += life(number).calls;
    }
    if (calls == 0) return;
    notes_.warnings.push_back(fmt::format(
        "{} left out: the log does not tell which communicators of {} ranks are one on several ranks (log with "
        "NCCL_DEBUG_SUBSYS=INIT,COLL; releases before 2.13 do not write a commId)",
        counted(calls, "call"), fmt::join(sizes, ", ")));
  }

  // The largest communicator, the one with the most ranks in the log of several; the first one of a run, of the last of
  // several runs.
  std::int32_t largest() const {
    std::int32_t best = kNobody;
    std::tuple<std::size_t, std::int64_t> best_size;
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(ranks_.comms.size()); ++number) {
      const LogComm& comm = ranks_.comms[static_cast<std::size_t>(number)];
      const std::tuple<std::size_t, std::int64_t> size(comm.actors.size(), seen(comm));
      const bool is_later_run = best != kNobody && size == best_size && !share(best, number) &&
                                comm.first_life > ranks_.comms[static_cast<std::size_t>(best)].first_life;
      const bool is_earlier = best != kNobody && size == best_size && share(best, number) &&
                              comm.first_life < ranks_.comms[static_cast<std::size_t>(best)].first_life;
      if (best != kNobody && size <= best_size && !is_later_run && !is_earlier) continue;
      best = number;
      best_size = size;
    }
    return best;
  }

  static std::int64_t seen(const LogComm& comm) {
    return std::count_if(comm.actors.begin(), comm.actors.end(), [](std::int32_t actor) { return actor != kNobody; });
  }

  bool share(std::int32_t a, std::int32_t b) const {
    const auto& one = ranks_.comms[static_cast<std::size_t>(a)].actors;
    const auto& other = ranks_.comms[static_cast<std::size_t>(b)].actors;
    const std::set<std::int32_t> members(one.begin(), one.end());
    return std::any_of(other.begin(), other.end(),
                       [&](std::int32_t actor) { return actor != kNobody && members.count(actor) != 0; });
  }

  // Those who share a communicator with one of `from`, by however many steps.
  std::vector<std::int32_t> connected(std::int32_t from) const {
    std::vector<std::int32_t> group(ranks_.actors.size());
    std::iota(group.begin(), group.end(), 0);
    const auto top = [&](std::int32_t actor) {
      while (group[static_cast<std::size_t>(actor)] != actor) {
        auto& above = group[static_cast<std::size_t>(actor)];
        above = group[static_cast<std::size_t>(above)];
        actor = above;
      }
      return actor;
    };
    for (const LogComm& comm : ranks_.comms) {
      std::int32_t first = kNobody;
      for (const std::int32_t actor : comm.actors) {
        if (actor == kNobody) continue;
        if (first == kNobody) first = actor;
        group[static_cast<std::size_t>(top(actor))] = top(first);
      }
    }
    std::vector<std::int32_t> members;
    for (std::int32_t actor = 0; actor < static_cast<std::int32_t>(group.size()); ++actor)
      if (top(actor) == top(from)) members.push_back(actor);
    return members;
  }

  LogActor& actor(std::int32_t number) { return ranks_.actors[static_cast<std::size_t>(number)]; }

  void number_actors() {
    if (ranks_.comms.empty()) return;
    const std::int32_t number = largest();
    LogComm& comm = ranks_.comms[static_cast<std::size_t>(number)];
    const auto first = std::find_if(comm.actors.begin(), comm.actors.end(), [](auto one) { return one != kNobody; });
    std::vector<std::int32_t> job = connected(*first);
    const bool covers = comm.actors.size() * 2 > job.size();
    if (covers) {
      for (std::size_t rank = 0; rank < comm.actors.size(); ++rank)
        if (comm.actors[rank] != kNobody) actor(comm.actors[rank]).rank = static_cast<std::int32_t>(rank);
      ranks_.world = static_cast<std::int32_t>(comm.actors.size());
    }
    std::sort(job.begin(), job.end(), [&](std::int32_t a, std::int32_t b) { return is_before(actor(a), actor(b)); });
    std::size_t appended = 0;
    for (const std::int32_t one : job) {
      if (actor(one).rank != kNobody) continue;
      actor(one).rank = ranks_.world++;
      ++appended;
    }
    if (ranks_.world > kMaxWorld) throw InputError(source_, 0, 0, fmt::format("more than {} ranks", kMaxWorld));
    comm.is_world = covers && appended == 0;
    say_how_numbered(covers, appended, job.size());
  }

  void say_how_numbered(bool covers, std::size_t appended, std::size_t in_job) {
    if (!covers || assumed_ranks_)
      notes_.warnings.push_back(
          "the ranks of the processes are not told: they are numbered by host, process and device");
    else if (appended > 0)
      notes_.warnings.push_back(
          fmt::format("{} of no communicator of all: numbered behind its ranks, by host and process",
                      appended == 1 ? "1 process is" : fmt::format("{} processes are", appended)));
    if (in_job < ranks_.actors.size())
      notes_.warnings.push_back(fmt::format(
          "{} left out: nothing is shared with the others, as of another job or an earlier run",
          ranks_.actors.size() - in_job == 1 ? "1 process is"
                                             : fmt::format("{} processes are", ranks_.actors.size() - in_job)));
  }

  // Ranks without a log are members, too: of the largest communicator each by its place; of others where one rank is
  // left for one place, or where those that are known stand at even distances.
  void number_members(LogComm& comm) {
    comm.ranks.resize(comm.actors.size(), kNobody);
    for (std::size_t i = 0; i < comm.actors.size(); ++i)
      if (comm.actors[i] != kNobody) comm.ranks[i] = actor(comm.actors[i]).rank;
    const auto holes = std::count(comm.ranks.begin(), comm.ranks.end(), kNobody);
    if (holes == 0) return;
    if (comm.ranks.size() == logged_ranks().size() && (comm.is_world || fits(comm, 0, 1)))
      return std::iota(comm.ranks.begin(), comm.ranks.end(), 0);
    // To a creation that is not over, ranks whose logs are there may not have come.
    const std::int64_t absent = ranks_.world - static_cast<std::int64_t>(comm.ranks.size()) + holes;
    if (holes == 1 && (comm.unfinished ? absent == 1 : unlogged_ == 1)) return fill_hole(comm);
    if (comm.unfinished || !fill_evenly(comm)) comm.ranks.clear();  // a guess must not name who did not come
  }

  void fill_hole(LogComm& comm) {
    std::vector<bool> there = comm.unfinished ? std::vector<bool>(static_cast<std::size_t>(ranks_.world)) : logged_;
    for (const std::int32_t rank : comm.ranks)
      if (rank != kNobody) there[static_cast<std::size_t>(rank)] = true;
    const auto rank = std::find(there.begin(), there.end(), false) - there.begin();
    *std::find(comm.ranks.begin(), comm.ranks.end(), kNobody) = static_cast<std::int32_t>(rank);
  }

  bool fits(const LogComm& comm, std::int64_t first, std::int64_t distance) {
    const std::vector<bool>& logged = logged_ranks();
    for (std::size_t i = 0; i < comm.ranks.size(); ++i) {
      const std::int64_t expected = first + distance * static_cast<std::int64_t>(i);
      if (expected < 0 || expected >= ranks_.world) return false;
      const bool taken = logged[static_cast<std::size_t>(expected)] && !comm.unfinished;
      if (comm.ranks[i] == kNobody ? taken : comm.ranks[i] != expected) return false;
    }
    return true;
  }

  bool fill_evenly(LogComm& comm) {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < comm.ranks.size() && known.size() < 2; ++i)
      if (comm.ranks[i] != kNobody) known.push_back(i);
    if (known.size() < 2) return false;
    const std::int64_t apart = static_cast<std::int64_t>(known[1] - known[0]);
    const std::int64_t difference = comm.ranks[known[1]] - comm.ranks[known[0]];
    if (difference % apart != 0) return false;
    const std::int64_t distance = difference / apart;
    const std::int64_t first = comm.ranks[known[0]] - distance * static_cast<std::int64_t>(known[0]);
    if (!fits(comm, first, distance)) return false;
    for (std::size_t i = 0; i < comm.ranks.size(); ++i)
      comm.ranks[i] = static_cast<std::int32_t>(first + distance * static_cast<std::int64_t>(i));
    return true;
  }

  const std::vector<bool>& logged_ranks() {
    if (logged_.empty()) {
      logged_.assign(static_cast<std::size_t>(ranks_.world), false);
      for (const LogActor& one : ranks_.actors)
        if (one.rank != kNobody) logged_[static_cast<std::size_t>(one.rank)] = true;
      unlogged_ = std::count(logged_.begin(), logged_.end(), false);
    }
    return logged_;
  }

  const LogJob& job_;
  const std::string& source_;
  ImportNotes& notes_;
  LogRanks ranks_;
  std::set<std::string> names_;
  std::vector<bool> logged_;
  std::int64_t unlogged_ = 0;
  std::int32_t largest_size_ = 0;
  std::size_t members_ = 0;
  bool after_splits_ = false;
  bool assumed_ranks_ = false;
};

}  // namespace

LogRanks ranks_of(const LogJob& job, const std::string& source, ImportNotes& notes) {
  return Joining(job, source, notes).join();
}

}  // namespace petri
