#include "tests/cli/round_trip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/plan.hpp"
#include "harness/worker/plan/words.hpp"

namespace petri::cli::testing {
namespace {

bool leaves_a_trace(const Event& event) {
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::host) return false;
  return kind != OpKind::world || event.op == Op::abort;
}

bool has_both_sides(const Event& event) {
  return kind_of(event.op) == OpKind::sendrecv || kind_of(event.op) == OpKind::collective;
}

std::int32_t or_else(std::int32_t one, std::int32_t other) {
  return one != kUnset ? one : other;
}

std::int64_t known(std::int64_t one, std::int64_t other) {
  return one != kUnknownCount ? one : other;
}

ElementType known(ElementType one, ElementType other) {
  return one != ElementType::unknown ? one : other;
}

std::vector<std::int64_t> known(const std::vector<std::int64_t>& one, const std::vector<std::int64_t>& other) {
  return one.empty() ? other : one;
}

std::vector<std::string> sorted_words(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  std::sort(words.begin(), words.end());
  return words;
}

std::vector<std::uint32_t> requests_of(const Event& event) {
  if (event.request != kNoRequest) return {event.request};
  return event.extras.requests();
}

}  // namespace

RoundTrip::RoundTrip(const Scenario& scenario, const Scenario& recording, const ReplayState& state)
    : scenario_(scenario), recording_(recording), state_(state), comms_{{0, 0}}, comms_back_{{0, 0}} {
  for (std::size_t rank = 0; rank < scenario.ranks.size() && rank < recording.ranks.size(); ++rank) compare_rank(rank);
}

void RoundTrip::differ(const char* what, std::string said, std::string seen) {
  differences_.push_back({at_, op_, what, std::move(said), std::move(seen)});
}

template <class Value>
void RoundTrip::same(const char* what, const Value& said, const Value& seen) {
  if (said == seen) return;
  if constexpr (std::is_same_v<Value, ElementType> || std::is_same_v<Value, ReduceOp>)
    differ(what, std::string(name_of(said)), std::string(name_of(seen)));
  else
    differ(what, fmt::format("{}", said), fmt::format("{}", seen));
}

void RoundTrip::compare_rank(std::size_t rank) {
  const RankTrace& original = scenario_.ranks[rank];
  const std::vector<const Event*> traces = traces_of(original, recording_.ranks[rank], state_.logs[rank]);
  const std::vector<Lane> lanes = lanes_of(original);
  requests_.clear();
  active_.clear();
  for (std::size_t i = 0; i < original.events.size(); ++i) {
    const Event& said = original.events[i];
    const bool begun = i < state_.logs[rank].size() && state_.logs[rank][i].begun();
    if (!begun || !leaves_a_trace(said)) continue;
    at_ = {static_cast<std::int32_t>(rank), static_cast<std::uint32_t>(i)};
    op_ = said.op;
    const bool merged = i + 1 < original.events.size() && is_repeated_by(said, original.events[i + 1]);
    if (merged) continue;
    if (traces[i] == nullptr) {
      // A wait for nothing that is active makes no event; nor does a cancel that the worker leaves out.
      const std::vector<std::uint32_t> named = requests_of(said);
      const bool nothing =
          std::none_of(named.begin(), named.end(), [&](std::uint32_t one) { return active_.contains(one); });
      const bool about_requests = kind_of(said.op) == OpKind::wait || kind_of(said.op) == OpKind::test;
      if (!(about_requests && nothing)) differ("event", "is begun", "left no trace");
      continue;
    }
    ++compared_;
    if (lanes.size() > 1) {
      const auto lane = std::find_if(lanes.begin(), lanes.end(),
                                     [&](const Lane& one) { return one.thread == said.extras.thread().value_or(0); });
      same("thread", static_cast<std::int32_t>(lane - lanes.begin()), traces[i]->extras.thread().value_or(0));
    }
    compare(said, *traces[i]);
  }
}

void RoundTrip::comm(const char* what, std::int32_t said, std::int32_t seen) {
  if (said == kNoComm || seen == kNoComm) {
    if (said != kNoComm) differ(what, scenario_.comms[static_cast<std::size_t>(said)].name, "none");
    return;
  }
  const Communicator& one = scenario_.comms[static_cast<std::size_t>(said)];
  const Communicator& other = recording_.comms[static_cast<std::size_t>(seen)];
  const auto there = comms_.try_emplace(said, seen).first, back = comms_back_.try_emplace(seen, said).first;
  if (there->second != seen || back->second != said) return differ(what, one.name, other.name + ", another one");
  if (!one.known) return;
  const bool members = (one.ranks == other.ranks && one.remote == other.remote) ||
                       (one.ranks == other.remote && one.remote == other.ranks);
  if (!members)
    differ(what, fmt::format("{} of {}-{}", one.name, one.ranks, one.remote),
           fmt::format("{} of {}-{}", other.name, other.ranks, other.remote));
}

void RoundTrip::name(const char* what, const std::string& said, const std::string& seen,
                     std::map<std::string, std::string>& names) {
  if (said.empty() && seen.empty()) return;
  const auto place = names.try_emplace(said, seen).first;
  if (place->second != seen || said.empty() || seen.empty()) differ(what, said, seen);
}

void RoundTrip::compare(const Event& said, const Event& seen) {
  if (said.op != seen.op) differ("op", std::string(name_of(said.op)), std::string(name_of(seen.op)));
  const OpKind kind = kind_of(said.op);
  const bool on_requests = kind == OpKind::wait || kind == OpKind::test || kind == OpKind::request ||
                           kind == OpKind::start || kind == OpKind::partition;
  const bool fetches = said.op == Op::mrecv || said.op == Op::imrecv;
  if (!on_requests && !fetches) comm("comm", said.comm, seen.comm);
  compare_messages(said, seen);
  compare_requests(said, seen);
  if (kind == OpKind::comm_create) compare_creation(said, seen);
  compare_one_sided(said, seen);
}

// Peers, tags, roots, counts and types, where the scenario has them.
void RoundTrip::compare_messages(const Event& said, const Event& seen) {
  const EventExtras &one = said.extras, &other = seen.extras;
  const auto rank = [&](const char* what, std::int32_t theirs, std::int32_t recorded) {
    const bool forced = theirs == kAny && said.extras.matched() == recorded;
    if (theirs != kUnset && !forced) same(what, theirs, recorded);
  };
  const OpKind kind = kind_of(said.op);
  if (kind == OpKind::sendrecv) {
    rank("sendpeer", or_else(one.sendpeer(), said.peer), or_else(other.sendpeer(), seen.peer));
    rank("recvpeer", or_else(one.recvpeer(), said.peer), or_else(other.recvpeer(), seen.peer));
    same("sendtag", or_else(one.sendtag(), tag_of(said)), or_else(other.sendtag(), tag_of(seen)));
    same("recvtag", or_else(one.recvtag(), tag_of(said)), or_else(other.recvtag(), tag_of(seen)));
  } else if (said.op != Op::intercomm_create) {
    rank("peer", said.peer, seen.peer);
  }
  const bool matched_by_tag = kind == OpKind::send || kind == OpKind::recv || kind == OpKind::probe;
  const bool fetches = said.op == Op::mrecv || said.op == Op::imrecv;
  if (matched_by_tag && !fetches) same("tag", tag_of(said), tag_of(seen));
  rank("root", said.root, seen.root);
  // On an intercommunicator the rest of the root's group has no part in it (MPI 4.1, section 6.3.3).
  if (said.root == kNull) return;
  if (said.reduce != ReduceOp::unknown) same("reduce", said.reduce, seen.reduce);
  const auto count = [&](const char* what, std::int64_t theirs, std::int64_t recorded) {
    if (theirs != kUnknownCount) same(what, theirs, recorded);
  };
  const auto type = [&](const char* what, ElementType theirs, ElementType recorded) {
    if (theirs != ElementType::unknown) same(what, theirs, recorded);
  };
  const auto counts = [&](const char* what, const std::vector<std::int64_t>& theirs,
                          const std::vector<std::int64_t>& recorded) {
    if (!theirs.empty()) same(what, theirs, recorded);
  };
  const std::string_view family = info(said.op).family;
  const Communicator& comm = scenario_.comm_of(said);
  const bool at_root = said.root == kRootHere || (!comm.is_inter() && said.root == comm.group_rank_of(at_.rank));
  // Significant at the root only (MPI 4.1, sections 6.5 and 6.6).
  const bool other_ranks_counts = (family == "gatherv" || family == "scatterv") && !at_root;
  // The root of an intercommunicator only gives or only takes, the other way than its own group (section 6.3.3).
  if (said.root == kRootHere && (family == "gatherv" || family == "scatterv"))
    return counts("counts", one.counts(), known(other.counts(), known(other.recvcounts(), other.sendcounts())));
  if (has_both_sides(said)) {
    count("sendcount", one.sendcount(), known(other.sendcount(), seen.count));
    count("recvcount", one.recvcount(), known(other.recvcount(), seen.count));
    type("sendtype", known(one.sendtype(), said.dtype), known(other.sendtype(), seen.dtype));
    type("recvtype", known(one.recvtype(), said.dtype), known(other.recvtype(), seen.dtype));
    counts("sendcounts", one.sendcounts(), known(other.sendcounts(), other.counts()));
    counts("recvcounts", one.recvcounts(), known(other.recvcounts(), other.counts()));
    if (!other_ranks_counts)
      counts("counts", one.counts(), known(other.counts(), known(other.recvcounts(), other.sendcounts())));
    count("count", said.count, known(seen.count, known(other.sendcount(), other.recvcount())));
    return;
  }
  count("count", said.count, seen.count);
  type("dtype", said.dtype, seen.dtype);
}

void RoundTrip::compare_requests(const Event& said, const Event& seen) {
  const EventExtras &one = said.extras, &other = seen.extras;
  const OpKind kind = kind_of(said.op);
  if (kind == OpKind::wait || kind == OpKind::test) {
    // The recorder leaves out what is not active.
    std::vector<std::uint32_t> theirs, recorded;
    for (const std::uint32_t number : requests_of(said))
      if (active_.contains(number)) theirs.push_back(number);
    for (const std::uint32_t number : requests_of(seen))
      recorded.push_back(requests_.contains(number) ? requests_.at(number) : kNoRequest);
    same("requests", theirs, recorded);
  } else if (said.request != kNoRequest && seen.request != kNoRequest) {
    const bool makes = form_of(said.op) != OpForm::blocking && kind != OpKind::partition;
    if (makes) requests_[seen.request] = said.request;
    const auto found = requests_.find(seen.request);
    same("request", said.request, found != requests_.end() ? found->second : kNoRequest);
  } else if (said.request != kNoRequest) {
    differ("request", fmt::format("{}", said.request), "none");
  }
  if (one.partitions()) same("partitions", *one.partitions(), other.partitions().value_or(-1));
  if (kind == OpKind::partition) {
    if (one.index()) same("index", *one.index(), other.index().value_or(-1));
    if (!one.indices().empty()) same("indices", one.indices(), other.indices());
  }
  if (one.message()) same("message", true, other.message().has_value());
  follow_requests(said, seen);
}

void RoundTrip::follow_requests(const Event& said, const Event& seen) {
  const OpKind kind = kind_of(said.op);
  if (kind == OpKind::start) {
    for (const std::uint32_t number : requests_of(said)) active_.insert(number);
  } else if (kind == OpKind::wait || kind == OpKind::test) {
    if (seen.flag == 0 || said.op == Op::request_get_status || seen.state != EventState::completed) return;
    const std::vector<std::uint32_t> all = requests_of(seen);
    const auto done = [&](std::size_t index) {
      if (index < all.size() && requests_.contains(all[index])) active_.erase(requests_.at(all[index]));
    };
    const bool some = seen.extras.index() || !seen.extras.indices().empty();
    if (seen.extras.index()) done(static_cast<std::size_t>(*seen.extras.index()));
    for (const std::uint32_t index : seen.extras.indices()) done(index);
    for (std::size_t i = 0; !some && i < all.size(); ++i) done(i);
  } else if (said.op == Op::request_free) {
    active_.erase(said.request);
  } else if (form_of(said.op) == OpForm::nonblocking && kind != OpKind::partition && said.request != kNoRequest) {
    active_.insert(said.request);
  }
}

void RoundTrip::compare_creation(const Event& said, const Event& seen) {
  const EventExtras &one = said.extras, &other = seen.extras;
  if (seen.state == EventState::completed) comm("new", said.extras.new_comm(), seen.extras.new_comm());
  if (one.color()) same("color", *one.color(), other.color().value_or(kUnset));
  if (one.key()) same("key", *one.key(), other.key().value_or(kUnset));
  if (!one.ranks().empty()) same("ranks", one.ranks(), other.ranks());
  // Where the other group's leader is counts at this one's only (MPI 4.1, section 7.6.2).
  const bool leads = said.op == Op::intercomm_create &&
                     scenario_.comm_of(said).group_rank_of(at_.rank) == (said.root == kUnset ? 0 : said.root);
  if (leads) {
    same("peer", said.peer, seen.peer);
    comm("remote", scenario_.find_comm(one.remote()), recording_.find_comm(other.remote()));
  }
  if (said.op == Op::comm_create_group || said.op == Op::intercomm_create) same("tag", tag_of(said), tag_of(seen));
  if (said.op == Op::comm_create_from_group) same("value", one.value(), other.value());
  if (seen.state != EventState::completed) return;
  if (!one.sources().empty()) same("sources", one.sources(), other.sources());
  if (!one.destinations().empty()) same("destinations", one.destinations(), other.destinations());
  if (!one.dims().empty()) same("dims", one.dims(), other.dims());
  if (!one.periods().empty()) same("periods", one.periods(), other.periods());
}

void RoundTrip::compare_one_sided(const Event& said, const Event& seen) {
  const EventExtras &one = said.extras, &other = seen.extras;
  name("win", one.win(), other.win(), windows_);
  name("file", one.file(), other.file(), files_);
  if (one.target()) same("target", *one.target(), other.target().value_or(kUnset));
  if (!one.lock().empty()) same("lock", one.lock(), other.lock());
  if (one.disp()) same("disp", *one.disp(), other.disp().value_or(seen.count));  // the size of a file is a count
  same("assert", sorted_words(one.assertions()), sorted_words(other.assertions()));
  if (!one.mode().empty()) same("mode", sorted_words(one.mode()), sorted_words(other.mode()));
  if (kind_of(said.op) == OpKind::window && !one.ranks().empty()) same("ranks", one.ranks(), other.ranks());
}

}  // namespace petri::cli::testing
