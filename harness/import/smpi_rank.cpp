#include "harness/import/smpi_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/trace/printable.hpp"

namespace petri {
namespace {

// SMPI's MPI_UNDEFINED, MPI_ANY_TAG, MPI_ANY_SOURCE and MPI_PROC_NULL (include/smpi/smpi.h). A receive from any source
// stands in traces as the rank of that source in the world, which is undefined.
constexpr std::int64_t kUndefined = -333, kAnyTag = -444, kAnySource = -555, kProcNull = -666;

}  // namespace

// The arguments of a line, one after the other; the first thing that is wrong stays.
class SmpiRank::Arguments {
 public:
  Arguments(const SmpiLine& line, const SmpiTrace& trace) : line_(line), trace_(trace) {}

  std::size_t left() const { return line_.arguments.size() - next_; }
  const std::string& problem() const { return problem_; }
  std::string_view word() { return next_ < line_.arguments.size() ? line_.arguments[next_++] : std::string_view(); }

  std::int64_t number(const char* what) {
    if (next_ == line_.arguments.size()) {
      fail(fmt::format("{} needs {}, which is missing", line_.action, what));
      return 0;
    }
    const std::string_view text = word();
    const std::optional<std::int64_t> value = smpi_number(text);
    if (!value) fail(fmt::format("{} must be a whole number, got '{}'", what, printable_line(text.substr(0, 40))));
    return value.value_or(0);
  }

  std::int64_t count(const char* what) {
    const std::int64_t value = number(what);
    if (value < 0) fail(fmt::format("{} must not be negative, got {}", what, value));
    return value;
  }

  std::vector<std::int64_t> counts(const char* what) {
    std::vector<std::int64_t> list;
    if (left() < static_cast<std::size_t>(trace_.world)) {
      fail(fmt::format("{} needs {} {}, one for each rank, got {}", line_.action, trace_.world, what, left()));
      return list;
    }
    for (std::int32_t i = 0; i < trace_.world; ++i) list.push_back(count(what));
    return list;
  }

  std::int32_t rank(const char* what) {
    const std::int64_t value = number(what);
    if (value < 0 || value >= trace_.world)
      fail(fmt::format("{} must be a rank of the {} that there are, got {}", what, trace_.world, value));
    return static_cast<std::int32_t>(value);
  }

  std::int32_t peer(bool receives) {
    const std::size_t before = next_;
    const std::int64_t value = number("its peer");
    if (value == kProcNull) return kNull;
    if (receives && (value == kUndefined || value == kAnySource)) return kAny;
    next_ = before;
    return rank("its peer");
  }

  std::int32_t tag(bool receives) {
    const std::int64_t value = number("its tag");
    if (receives && (value == kAnyTag || value == -1)) return kAny;
    if (value < 0 || value > 0x7fffffff) fail(fmt::format("its tag must be a tag, got {}", value));
    return static_cast<std::int32_t>(value);
  }

  ElementType type() { return left() == 0 ? trace_.type : smpi_type(number("its type")); }
  std::int32_t root() { return left() == 0 ? 0 : rank("its root"); }

 private:
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  const SmpiLine& line_;
  const SmpiTrace& trace_;
  std::size_t next_ = 0;
  std::string problem_;
};

std::string SmpiRank::take(const SmpiLine& line) {
  if (finalized_) return fmt::format("nothing can follow finalize of rank {}, got {}", rank_, line.action);
  const SmpiAction* const action = smpi_action_named(line.action);
  if (action == nullptr) {
    ++trace_.left_out[line.action];
    return "";
  }
  Arguments arguments(line, trace_);
  return take(*action, arguments);
}

std::string SmpiRank::take(const SmpiAction& action, Arguments& arguments) {
  Event event;
  event.op = action.op;
  switch (action.shape) {
    case SmpiShape::world:
      finalized_ = action.op == Op::finalize;
      push(std::move(event));
      return "";
    case SmpiShape::message: message(event, arguments); break;
    case SmpiShape::both: both(event, arguments); break;
    case SmpiShape::completion: complete(event, arguments); return arguments.problem();
    case SmpiShape::completions: complete_some(event, arguments); return arguments.problem();
    case SmpiShape::location: {
      const std::string file = printable_line(arguments.word());
      const std::int64_t number = arguments.count("its line");
      site_ = symbols_.intern(fmt::format("{}:{}", file, number));
      return arguments.problem();
    }
    case SmpiShape::local: left_last_ = true; return "";
    default: collective(event, action.shape, arguments);
  }
  if (arguments.problem().empty()) push(std::move(event));
  return arguments.problem();
}

void SmpiRank::push(Event event) {
  left_last_ = false;
  event.site = std::exchange(site_, kNoSymbol);
  event.seq = static_cast<std::uint32_t>(events.size());
  events.push_back(std::move(event));
}

void SmpiRank::open(Event& event, Open request) {
  event.request = request.number = next_++;
  open_.push_back(request);
}

void SmpiRank::message(Event& event, Arguments& arguments) {
  const bool receives = kind_of(event.op) == OpKind::recv;
  event.peer = arguments.peer(receives);
  event.tag = trace_.has_tags ? arguments.tag(receives) : 0;
  const std::int64_t count = receives ? arguments.number("its count") : arguments.count("its count");
  event.count = receives && count <= 0 ? kUnknownCount : count;  // a receive of 0 takes what comes
  event.dtype = arguments.type();
  if (form_of(event.op) != OpForm::nonblocking || !arguments.problem().empty()) return;
  if (receives)
    open(event, {0, event.peer, rank_, event.tag, false, {}});
  else
    open(event, {0, rank_, event.peer, event.tag, false, {}});
}

// Its tags are not written.
void SmpiRank::both(Event& event, Arguments& arguments) {
  EventExtras& extras = event.extras;
  extras.set_sendcount(arguments.count("what it sends"));
  extras.set_sendpeer(arguments.peer(false));
  extras.set_recvcount(arguments.count("what it receives"));
  extras.set_recvpeer(arguments.peer(true));
  extras.set_sendtag(0);
  extras.set_recvtag(kAny);
  extras.set_sendtype(arguments.type());
  extras.set_recvtype(arguments.type());
}

// The oldest that fits: a receive from any source by its tag; what SMPI numbers by itself is a collective.
std::deque<SmpiRank::Open>::iterator SmpiRank::find(Arguments& arguments) {
  if (arguments.left() == 0) return open_.empty() ? open_.end() : open_.end() - 1;  // before 3.20: the last one
  const std::int64_t source = arguments.number("its source"), destination = arguments.number("its destination");
  const std::int64_t tag = arguments.number("its tag");
  const auto fits = [](std::int32_t mine, std::int64_t named) { return mine == kAny || mine == named; };
  const auto exact = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return !open.collective && open.source == source && open.destination == destination && open.tag == tag;
  });
  if (exact != open_.end()) return exact;
  const auto any = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return !open.collective && fits(open.source, source < 0 ? kAny : source) && open.destination == destination &&
           fits(open.tag, tag) && (open.source == kAny || open.tag == kAny);
  });
  if (any != open_.end()) return any;
  return std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return open.collective ? tag < 0 : open.source == kAny && (source < 0 || destination < 0) && fits(open.tag, tag);
  });
}

void SmpiRank::complete(Event& event, Arguments& arguments) {
  const auto found = find(arguments);
  if (!arguments.problem().empty() || found == open_.end()) return;  // a test before may have completed it
  event.request = found->number;
  if (found->tested) events[*found->tested].flag = 0;  // or it would not be open
  if (event.op == Op::wait) {
    push(std::move(event));
    open_.erase(found);
    return;
  }
  // Polls in vain of one request are one event.
  if (found->tested && *found->tested + 1 == events.size() && events.size() > 1) {
    Event& before = events[events.size() - 2];
    const Event& last = events.back();
    if (before.op == Op::test && before.request == last.request && before.flag == 0) {
      before.extras.set_polls(std::max<std::uint64_t>(1, before.extras.polls()) + 1);
      events.back().flag = -1;
      return;
    }
  }
  found->tested = events.size();
  push(std::move(event));
}

void SmpiRank::complete_some(Event& event, Arguments& arguments) {
  std::size_t number = open_.size();
  if (arguments.left() > 0) {
    const std::int64_t named = arguments.count("the number of its requests");
    if (static_cast<std::uint64_t>(named) < number) {
      number = static_cast<std::size_t>(named);
      ++trace_.guessed_waits;
    }
  }
  if (!arguments.problem().empty() || number == 0) return;
  std::vector<std::uint32_t> requests;
  for (auto at = open_.end() - static_cast<std::ptrdiff_t>(number); at != open_.end(); ++at) {
    requests.push_back(at->number);
    if (at->tested) events[*at->tested].flag = 0;
  }
  event.extras.set_requests(requests);
  if (event.op == Op::waitall) open_.erase(open_.end() - static_cast<std::ptrdiff_t>(number), open_.end());
  push(std::move(event));
}

void SmpiRank::collective(Event& event, SmpiShape shape, Arguments& arguments) {
  EventExtras& extras = event.extras;
  const bool is_scatter = std::string_view(info(event.op).family) == "scatter";
  const auto take_types = [&](std::int64_t sent, std::int64_t received, bool sends, bool receives) {
    const ElementType first = arguments.type(), second = arguments.left() == 0 ? first : arguments.type();
    if (sends && receives && sent == received && first == second) {
      event.count = sent;
      event.dtype = first;
      return;
    }
    if (sends) extras.set_sendcount(sent), extras.set_sendtype(first);
    if (receives) extras.set_recvcount(received), extras.set_recvtype(second);
  };
  switch (shape) {
    case SmpiShape::bcast:
      event.count = arguments.count("its count");
      event.root = arguments.root();
      event.dtype = arguments.type();
      break;
    case SmpiShape::reduce:
    case SmpiShape::folded:
      event.count = arguments.count("its count");
      arguments.word();  // the cost of the reduction
      if (shape == SmpiShape::reduce) event.root = arguments.root();
      event.dtype = arguments.type();
      break;
    case SmpiShape::pairs:
    case SmpiShape::rooted: {
      const std::int64_t sent = arguments.count("what it sends"), received = arguments.count("what it receives");
      if (shape == SmpiShape::rooted) event.root = arguments.root();
      const bool away = shape == SmpiShape::rooted && event.root != rank_;
      take_types(sent, received, !(away && is_scatter), !(away && !is_scatter));
      break;
    }
    default: counts_by_rank(event, shape, arguments);
  }
  if (form_of(event.op) == OpForm::nonblocking && arguments.problem().empty())
    open(event, {0, kUnset, kUnset, kUnset, true, {}});
}

// Those whose counts differ by member.
void SmpiRank::counts_by_rank(Event& event, SmpiShape shape, Arguments& arguments) {
  EventExtras& extras = event.extras;
  switch (shape) {
    case SmpiShape::gatherv:
    case SmpiShape::allgatherv: {
      extras.set_sendcount(arguments.count("what it sends"));
      const std::vector<std::int64_t> counts = arguments.counts("counts to receive");
      if (shape == SmpiShape::gatherv) event.root = arguments.root();
      const bool only_displacements = shape == SmpiShape::allgatherv && arguments.left() > 2 &&
                                      arguments.left() <= static_cast<std::size_t>(trace_.world);
      const ElementType type = only_displacements ? trace_.type : arguments.type();
      extras.set_sendtype(type);
      if (shape == SmpiShape::gatherv && event.root != rank_) break;
      extras.set_recvcounts(counts);
      extras.set_recvtype(shape == SmpiShape::gatherv && arguments.left() > 0 ? arguments.type() : type);
      break;
    }
    case SmpiShape::scatterv: {
      const std::vector<std::int64_t> counts = arguments.counts("counts to send");
      extras.set_recvcount(arguments.count("what it receives"));
      event.root = arguments.root();
      const ElementType sent = arguments.type(), received = arguments.left() == 0 ? sent : arguments.type();
      extras.set_recvtype(received);
      if (event.root == rank_) extras.set_sendcounts(counts), extras.set_sendtype(sent);
      break;
    }
    case SmpiShape::scattered:
      extras.set_counts(arguments.counts("counts"));
      arguments.word();
      event.dtype = arguments.type();
      break;
    case SmpiShape::alltoallv: {
      arguments.word();  // the size of the buffer
      extras.set_sendcounts(arguments.counts("counts to send"));
      arguments.word();
      extras.set_recvcounts(arguments.counts("counts to receive"));
      const ElementType sent = arguments.type();
      extras.set_sendtype(sent);
      extras.set_recvtype(arguments.left() == 0 ? sent : arguments.type());
      break;
    }
    default: break;
  }
}

void SmpiRank::finish(bool cut) {
  end.stated = true;
  end.kind = cut ? EndKind::cut : finalized_ ? EndKind::finalized : EndKind::running;
  if (finalized_) {  // who finalizes and has waited for a request by tests only has seen it complete
    for (const Open& request : open_)
      if (request.tested) events[*request.tested].flag = 1;
    return;
  }
  // Actions are written when they begin (SimGrid, TRACE_smpi_comm_in), so the last one did not end; what the rank does
  // by itself behind a call, as computing, it does once it has returned.
  if (!cut && !events.empty() && !left_last_ && form_of(events.back().op) == OpForm::blocking &&
      kind_of(events.back().op) != OpKind::world)
    events.back().state = EventState::started;
}

}  // namespace petri
