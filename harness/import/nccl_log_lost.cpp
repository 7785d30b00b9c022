#include "harness/import/nccl_log_lost.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace petri {
namespace {

// A launch of a communicator of the job: the same on all ranks.
using LaunchKey = std::pair<std::int32_t, std::uint32_t>;

// Launches that are lost between two calls of one life, `behind` (or the row's begin) and `at`.
struct Gap {
  std::size_t begin = 0, at = 0;  // places in the row
  std::int32_t life = 0;
  std::uint32_t first = 0, end = 0;  // numbers
};

// What other ranks say of a launch that some rank has lost.
struct Launch {
  std::vector<Event> calls;
  std::map<std::size_t, std::size_t> sizes;  // by actor
  std::optional<LaunchKey> previous;         // on the rank that `calls` are from
  bool agreed = true;
};

// Merged and sorted, half open.
using Numbers = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool is_in(const Numbers& numbers, std::uint32_t number) {
  const auto above = std::upper_bound(numbers.begin(), numbers.end(), number,
                                      [](std::uint32_t value, const auto& one) { return value < one.first; });
  return above != numbers.begin() && number < std::prev(above)->second;
}

void merge(Numbers& numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::size_t kept = 0;
  for (const auto& one : numbers) {
    if (kept > 0 && one.first <= numbers[kept - 1].second)
      numbers[kept - 1].second = std::max(numbers[kept - 1].second, one.second);
    else
      numbers[kept++] = one;
  }
  numbers.resize(kept);
}

void keep_common(Event& known, const Event& other) {
  if (known.count != other.count) known.count = kUnknownCount;
  if (known.dtype != other.dtype) known.dtype = ElementType::unknown;
  if (known.reduce != other.reduce) known.reduce = ReduceOp::unknown;
  if (known.root != other.root) known.root = kUnset;
}

class Restoring {
 public:
  Restoring(std::vector<LogRow>& rows, const LogJob& job, const LogRanks& ranks)
      : rows_(rows), job_(job), ranks_(ranks), has_messages_(ranks.comms.size(), false), gaps_(rows.size()) {
    for (std::size_t life = 0; life < job.lives.size(); ++life)
      if (job.lives[life].has_messages && ranks.comm_of_life[life] >= 0)
        has_messages_[static_cast<std::size_t>(ranks.comm_of_life[life])] = true;
  }

  LostCalls run() {
    for (std::size_t actor = 0; actor < rows_.size(); ++actor)
      if (ranks_.actors[actor].rank >= 0) find_gaps(actor);
    if (wanted_.empty()) return {};
    for (auto& [comm, numbers] : wanted_) merge(numbers);
    for (std::size_t actor = 0; actor < rows_.size(); ++actor)
      if (ranks_.actors[actor].rank >= 0) ask(actor);
    for (auto& [key, launch] : launches_)
      for (const auto& [actor, size] : launch.sizes) launch.agreed = launch.agreed && size == launch.calls.size();
    for (std::size_t actor = 0; actor < rows_.size(); ++actor)
      if (!gaps_[actor].empty()) fill(actor);
    return std::move(lost_);
  }

 private:
  // The communicator whose launches are numbered alike on all ranks; nothing of what is no such call.
  std::optional<LaunchKey> key_of(const LogRow& row, std::size_t i) const {
    const Event& event = row.events[i];
    if (event.op == Op::comm_init_rank || event.comm == kNoComm) return std::nullopt;
    const std::int32_t comm = ranks_.comm_of_life[static_cast<std::size_t>(event.comm)];
    if (comm < 0 || has_messages_[static_cast<std::size_t>(comm)]) return std::nullopt;
    return LaunchKey(comm, row.op_counts[i]);
  }

  void find_gaps(std::size_t actor) {
    struct Last {
      std::uint32_t number = 0;
      std::size_t at = 0, size = 0;
    };
    const LogRow& row = rows_[actor];
    std::unordered_map<std::int32_t, Last> lasts;  // by life
    for (std::size_t i = 0; i < row.events.size(); ++i) {
      const auto key = key_of(row, i);
      if (!key) continue;
      const std::int32_t life = row.events[i].comm;
      const auto [found, is_new] = lasts.try_emplace(life);
      Last& last = found->second;
      if (!is_new && last.number == key->second) {
        last.at = i;
        ++last.size;
        continue;
      }
      // A log that has a communicator's beginning has its first launch, too.
      const bool expects = is_new ? job_.lives[static_cast<std::size_t>(life)].started : last.size == 1;
      const std::uint32_t next = is_new ? 0 : last.number + 1;
      if (expects && key->second > next) {
        gaps_[actor].push_back({is_new ? 0 : last.at + 1, i, life, next, key->second});
        wanted_[key->first].emplace_back(next, key->second);
      }
      last = {key->second, i, 1};
    }
  }

  void ask(std::size_t actor) {
    const LogRow& row = rows_[actor];
    std::optional<LaunchKey> before;
    for (std::size_t i = 0; i < row.events.size(); ++i) {
      const auto key = key_of(row, i);
      if (!key) continue;
      const auto wanted = wanted_.find(key->first);
      if (wanted != wanted_.end() && is_in(wanted->second, key->second)) note(actor, *key, row.events[i], before);
      before = key;
    }
  }

  void note(std::size_t actor, LaunchKey key, const Event& event, const std::optional<LaunchKey>& before) {
    Launch& launch = launches_[key];
    const std::size_t place = launch.sizes[actor]++;
    if (launch.sizes.size() == 1) {
      if (place == 0) launch.previous = before;
      launch.calls.push_back(event);
    } else if (place >= launch.calls.size() || launch.calls[place].op != event.op) {
      launch.agreed = false;
    } else {
      keep_common(launch.calls[place], event);
    }
  }

  // Where the others' order puts the launch among the calls of the row from `begin` up to the gap's end.
  std::optional<std::size_t> place_of(const LogRow& row, const Gap& gap, std::size_t begin, const Launch& launch,
                                      const std::optional<LaunchKey>& filled) const {
    const bool only_one = begin == gap.at;
    if (only_one || (filled && launch.previous == filled)) return begin;
    for (std::size_t i = gap.at; i-- > begin;)
      if (const auto key = key_of(row, i); key && launch.previous == key) return i + 1;
    const auto behind = begin > 0 ? key_of(row, begin - 1) : std::nullopt;
    return launch.previous == behind ? std::optional(begin) : std::nullopt;
  }

  void fill(std::size_t actor) {
    LogRow& row = rows_[actor];
    std::vector<std::pair<std::size_t, Event>> added;
    std::optional<std::size_t> end;  // of what is known
    for (const Gap& gap : gaps_[actor]) {
      const std::int32_t comm = ranks_.comm_of_life[static_cast<std::size_t>(gap.life)];
      std::size_t begin = gap.begin;
      std::optional<LaunchKey> filled;
      const auto last = launches_.lower_bound({comm, gap.end});
      for (auto launch = launches_.lower_bound({comm, gap.first}); launch != last && !end; ++launch) {
        const auto place = launch->second.agreed ? place_of(row, gap, begin, launch->second, filled) : std::nullopt;
        if (!place) {
          end = gap.at;
          break;
        }
        for (Event call : launch->second.calls) {
          call.comm = gap.life;
          added.emplace_back(*place, std::move(call));
          numbers_.push_back(launch->first.second);
        }
        begin = *place;
        filled = launch->first;
      }
      if (end) break;
    }
    insert(row, added, end.value_or(row.events.size()));
    if (end) lost_.cut.push_back(actor);
    if (!added.empty()) lost_.restored_in.push_back(actor);
    lost_.restored += added.size();
    numbers_.clear();
  }

  // Calls before the places of the row that they are with, in order; what is from `end` on is dropped.
  void insert(LogRow& row, std::vector<std::pair<std::size_t, Event>>& added, std::size_t end) const {
    std::vector<std::size_t> order(added.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return added[a].first < added[b].first; });
    LogRow made;
    const bool timed = !row.times.empty();
    std::vector<std::size_t> shift(row.events.size() + 1);
    std::size_t next = 0;
    for (std::size_t i = 0; i <= end; ++i) {
      for (; next < order.size() && added[order[next]].first == i; ++next) {
        made.events.push_back(std::move(added[order[next]].second));
        made.op_counts.push_back(numbers_[order[next]]);
        if (timed) made.times.push_back(std::numeric_limits<double>::quiet_NaN());
      }
      shift[i] = next;
      if (i == end) break;
      made.events.push_back(std::move(row.events[i]));
      made.op_counts.push_back(row.op_counts[i]);
      if (timed) made.times.push_back(i < row.times.size() ? row.times[i] : std::numeric_limits<double>::quiet_NaN());
    }
    std::fill(shift.begin() + static_cast<long>(end), shift.end(), next);
    for (auto* const errors : {&row.errors, &row.consequences})
      for (LoggedError& error : *errors)
        error.before += static_cast<std::uint32_t>(shift[std::min<std::size_t>(error.before, shift.size() - 1)]);
    row.events = std::move(made.events);
    row.op_counts = std::move(made.op_counts);
    row.times = std::move(made.times);
  }

  std::vector<LogRow>& rows_;
  const LogJob& job_;
  const LogRanks& ranks_;
  std::vector<bool> has_messages_;          // by communicator
  std::vector<std::vector<Gap>> gaps_;      // by actor, in the order of the row
  std::map<std::int32_t, Numbers> wanted_;  // by communicator
  std::map<LaunchKey, Launch> launches_;
  std::vector<std::uint32_t> numbers_;  // of the calls that are added to a row
  LostCalls lost_;
};

}  // namespace

LostCalls restore_lost(std::vector<LogRow>& rows, const LogJob& job, const LogRanks& ranks) {
  return Restoring(rows, job, ranks).run();
}

}  // namespace petri
