#include "harness/import/nccl_log_piece.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace petri {
namespace {

std::int32_t life_of(const Event& event) {
  return event.op == Op::comm_init_rank ? event.extras.new_comm() : event.comm;
}

void set_life(Event& event, std::uint32_t life) {
  const auto number = static_cast<std::int32_t>(life);
  if (event.op == Op::comm_init_rank)
    event.extras.set_new_comm(number);
  else
    event.comm = number;
}

using Matches = std::vector<std::optional<std::uint32_t>>;  // by life of one piece: that of another

std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_pointer(const LogPiece& piece) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> lives;
  for (std::uint32_t life = 0; life < piece.lives.size(); ++life) lives[piece.lives[life].pointer].push_back(life);
  return lives;
}

// Of a life whose creation is not in a piece: what the other one has of that pointer before the first creation that
// both have.
void match_begun(const LogPiece& piece, const std::vector<std::uint32_t>& lives, const LogPiece& other,
                 const std::vector<std::uint32_t>& others, Matches& matches) {
  const CommLife& first = piece.lives[lives.front()];
  if (first.started) return;
  std::size_t end = others.size();
  for (const std::uint32_t life : lives)
    if (matches[life]) {
      end = static_cast<std::size_t>(std::find(others.begin(), others.end(), *matches[life]) - others.begin());
      break;
    }
  if (end == 0) return;
  const CommLife& known = other.lives[others[end - 1]];
  const bool overlaps = first.calls > 0 && known.calls > 0 && first.first_op <= known.last_op;
  if (known.nranks == first.nranks && (!known.destroyed || overlaps)) matches[lives.front()] = others[end - 1];
}

// Which lives of one piece are which of another.
Matches matches_of(const LogPiece& a, const LogPiece& b) {
  Matches from_a(a.lives.size()), from_b(b.lives.size());
  for (std::uint32_t life = 0; life < a.lives.size(); ++life)
    if (a.lives[life].started)
      if (const auto same = b.history.created(a.lives[life])) from_a[life] = *same, from_b[*same] = life;
  const auto of_a = by_pointer(a), of_b = by_pointer(b);
  for (const auto& [pointer, lives] : of_a) {
    const auto others = of_b.find(pointer);
    if (others == of_b.end()) continue;
    match_begun(a, lives, b, others->second, from_a);
    match_begun(b, others->second, a, lives, from_b);
  }
  for (std::uint32_t life = 0; life < from_b.size(); ++life)
    if (from_b[life] && !from_a[*from_b[life]]) from_a[*from_b[life]] = life;
  return from_a;
}

class Appending {
 public:
  Appending(LogPiece& from, LogPiece& to) : from_(from), to_(to) {}

  std::uint64_t append() {
    remember_calls();
    place_ = matches_of(from_, to_);
    for (std::size_t life = 0; life < place_.size(); ++life) {
      known_.push_back(place_[life].has_value());
      if (place_[life] && from_.lives[life].started && to_.lives[*place_[life]].started) to_.history.expect_repeats();
    }
    std::size_t torn = 0, error = 0, consequence = 0;
    for (std::uint32_t at = 0; at <= from_.process.events.size(); ++at) {
      take_errors(from_.process.errors, error, at, to_.process.errors);
      take_errors(from_.process.consequences, consequence, at, to_.process.consequences);
      if (at == from_.process.events.size()) break;
      if (torn < from_.process.torn.size() && from_.process.torn[torn].at == at)
        take_torn(from_.process.torn[torn++], at);
      else
        take_event(at);
    }
    for (std::size_t life = 0; life < from_.lives.size(); ++life) end(life);
    return repeated_;
  }

 private:
  // Of a process that is in one file only, which is most of them, single calls need not be known again.
  void remember_calls() {
    if (to_.has_history) return;
    to_.has_history = true;
    for (std::size_t at = 0; at < to_.process.events.size(); ++at) {
      const Event& event = to_.process.events[at];
      if (event.op != Op::comm_init_rank && event.comm != kNoComm)
        to_.history.append(static_cast<std::uint32_t>(event.comm), to_.process.op_counts[at], to_.process.prints[at]);
    }
  }

  void take_event(std::uint32_t at) {
    Event& event = from_.process.events[at];
    const auto life = static_cast<std::size_t>(life_of(event));
    if (event.op == Op::comm_init_rank) {
      if (known_[life]) return to_.history.create_again(*place_[life]);
      begin(life);
    } else if (place_[life]) {
      const std::uint32_t op_count = from_.process.op_counts[at], print = from_.process.prints[at];
      if (to_.history.knows(*place_[life], op_count, print)) return ++repeated_, void();
      if (to_.history.mends(to_.process, *place_[life], event, op_count, print))
        return ++repeated_, to_.lives[*place_[life]].count(op_count);
      const CommLife& known = to_.lives[*place_[life]];
      if (known_[life] && !known.started && op_count < known.last_op) begin(life);
    } else {
      begin(life);
    }
    put(at, life);
  }

  void begin(std::size_t life) {
    const auto number = static_cast<std::uint32_t>(to_.lives.size());
    CommLife& made = to_.lives.emplace_back(from_.lives[life]);
    made.calls = 0;
    if (made.parent >= 0) {
      const auto parent = place_[static_cast<std::size_t>(made.parent)];
      made.parent = parent ? static_cast<std::int32_t>(*parent) : -1;
    }
    to_.process.lives[made.pointer] = number;
    if (made.started) to_.history.create(made, number);
    place_[life] = number;
    known_[life] = false;
  }

  void put(std::uint32_t at, std::size_t life) {
    Event& event = from_.process.events[at];
    const std::uint32_t op_count = from_.process.op_counts[at];
    set_life(event, *place_[life]);
    if (event.op != Op::comm_init_rank) {
      CommLife& known = to_.lives[*place_[life]];
      known.count(op_count);
      known.has_messages = known.has_messages || from_.lives[life].has_messages;
      to_.history.append(*place_[life], op_count, from_.process.prints[at]);
    }
    put(at);
  }

  void put(std::uint32_t at) {
    LogProcess& known = to_.process;
    if (at < from_.process.times.size()) {
      known.times.resize(known.events.size(), std::numeric_limits<double>::quiet_NaN());
      known.times.push_back(from_.process.times[at]);
    }
    known.events.push_back(std::move(from_.process.events[at]));
    known.op_counts.push_back(from_.process.op_counts[at]);
    known.prints.push_back(from_.process.prints[at]);
  }

  void take_torn(TornCall& call, std::uint32_t at) {
    if (to_.history.is_repeating()) return ++repeated_, void();
    call.at = static_cast<std::uint32_t>(to_.process.events.size());
    to_.process.torn.push_back(call);
    put(at);
  }

  void take_errors(std::vector<LoggedError>& errors, std::size_t& next, std::uint32_t at,
                   std::vector<LoggedError>& kept) {
    for (; next < errors.size() && errors[next].before == at; ++next) {
      if (to_.history.knows_error(errors[next].text)) continue;
      errors[next].before = static_cast<std::uint32_t>(to_.process.events.size());
      kept.push_back(std::move(errors[next]));
    }
  }

  void end(std::size_t life) {
    if (!place_[life]) return;
    CommLife& known = to_.lives[*place_[life]];
    known.complete = known.complete || from_.lives[life].complete;
    known.destroyed = known.destroyed || from_.lives[life].destroyed;
    known.aborted = known.aborted || from_.lives[life].aborted;
  }

  LogPiece& from_;
  LogPiece& to_;
  Matches place_;
  std::vector<bool> known_;  // by life of the piece: the other one had it
  std::uint64_t repeated_ = 0;
};

}  // namespace

std::vector<LogPiece> pieces_of(LogPart part) {
  std::vector<LogPiece> pieces(part.processes.size());
  std::vector<std::uint32_t> place(part.lives.size());
  for (std::size_t number = 0; number < part.lives.size(); ++number) {
    CommLife& life = part.lives[number];
    LogPiece& piece = pieces[life.process];
    place[number] = static_cast<std::uint32_t>(piece.lives.size());
    if (life.parent >= 0) life.parent = static_cast<std::int32_t>(place[static_cast<std::size_t>(life.parent)]);
    if (life.started) piece.history.create(life, place[number]);
    piece.lives.push_back(std::move(life));
  }
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    LogProcess& process = pieces[number].process = std::move(part.processes[number]);
    for (auto& [pointer, life] : process.lives) life = place[life];
    for (Event& event : process.events)
      if (life_of(event) != kNoComm) set_life(event, place[static_cast<std::size_t>(life_of(event))]);
    for (const auto* errors : {&process.errors, &process.consequences})
      for (const LoggedError& error : *errors) pieces[number].history.knows_error(error.text);
  }
  return pieces;
}

LogRelation relation(const LogPiece& a, const LogPiece& b) {
  std::map<std::pair<std::uint64_t, std::int32_t>, std::vector<const CommLife*>> known;
  for (const CommLife& life : b.lives)
    if (life.id && !life.is_split) known[{*life.id, life.device}].push_back(&life);
  for (const CommLife& life : a.lives) {
    if (!life.id || life.is_split) continue;
    const auto found = known.find({*life.id, life.device});
    if (found == known.end()) continue;
    for (const CommLife* const one : found->second)
      if (one->nranks == life.nranks && one->rank != life.rank) return LogRelation::other;
  }
  if (!a.process.begins || !b.process.begins || a.lives.empty() || b.lives.empty()) return LogRelation::same;
  const Matches matches = matches_of(a, b);
  const bool share = std::any_of(matches.begin(), matches.end(), [](const auto& match) { return match.has_value(); });
  return share ? LogRelation::same : LogRelation::other;
}

bool stands_before(const LogPiece& a, const LogPiece& b) {
  bool share = false;  // a time
  const Matches matches = matches_of(a, b);
  for (std::size_t number = 0; number < matches.size(); ++number) {
    if (!matches[number]) continue;
    const CommLife& life = a.lives[number];
    const CommLife& known = b.lives[*matches[number]];
    if (life.started != known.started) return life.started;
    if (life.calls > 0 && known.calls > 0 && life.first_op != known.first_op) return life.first_op < known.first_op;
    share = share || (life.started && known.started) || (life.calls > 0 && known.calls > 0);
  }
  return share && a.process.torn.size() < b.process.torn.size();
}

std::uint64_t append(LogPiece piece, LogPiece& to) {
  return Appending(piece, to).append();
}

}  // namespace petri
