#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/trace/op_keys.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {
namespace {

std::string quoted(const std::vector<Key>& choice) {
  std::string text;
  for (const Key key : choice) text += fmt::format("{}\"{}\"", text.empty() ? "" : " or ", name_of(key));
  return text;
}

const std::vector<Key>* missing_key(const ReadEvent& read) {
  for (const auto& choice : op_keys(read.event.op).needs)
    if (std::none_of(choice.begin(), choice.end(), [&](Key key) { return read.has(key); })) return &choice;
  return nullptr;
}

// What is needed and not there is likely what was meant: "requests" for "request".
[[noreturn]] void fail_foreign_key(const ReadEvent& read, Key key, const LineText& line) {
  const std::vector<Key>* missing = missing_key(read);
  line.fail(read.at(key), fmt::format("\"{}\" is no argument of {}{}", name_of(key), name_of(read.event.op),
                                      missing != nullptr ? fmt::format(", which needs {}", quoted(*missing)) : ""));
}

// What the arguments of one event say of each other and of its communicator.
class Arguments {
 public:
  Arguments(const ReadEvent& read, const Scenario& scenario, const LineText& line)
      : read_(read), event_(read.event), extras_(read.event.extras), scenario_(scenario), line_(line) {}

  void check() const {
    if (scenario_.comm_of(event_).known) check_group_ranks(scenario_.comm_of(event_));
    // A call can be given a grid that no group fills; then it failed.
    if (!was_observed(event_)) check_new_group();
    check_wildcards();
    check_roots();
    check_indices();
    check_sizes();
    check_values();
  }

 private:
  [[noreturn]] void fail(Key key, const std::string& reason) const { line_.fail(read_.at(key), reason); }

  void check_in(Key key, std::int32_t rank, const Communicator& names, std::size_t size) const {
    if (rank >= static_cast<std::int32_t>(size))
      fail(key, fmt::format("\"{}\" must be a group rank of \"{}\", which has {} rank{}{}, got {}", name_of(key),
                            names.name, size, size == 1 ? "" : "s", names.is_inter() ? " there" : "", rank));
  }

  void check_group_ranks(const Communicator& comm) const {
    const std::size_t peers = comm.peers_of(read_.rank).size();
    const auto check = [&](Key key, std::int32_t rank) { check_in(key, rank, comm, peers); };
    check(Key::root_, event_.root);
    if (extras_.remote().empty()) {
      check(Key::peer_, event_.peer);
    } else if (const std::int32_t remote = scenario_.find_comm(extras_.remote()); remote != kNoComm) {
      const Communicator& bridge = scenario_.comms[static_cast<std::size_t>(remote)];
      if (bridge.known) check_in(Key::peer_, event_.peer, bridge, bridge.peers_of(read_.rank).size());
    }
    check(Key::matched_, extras_.matched());
    check(Key::sendpeer_, extras_.sendpeer());
    check(Key::recvpeer_, extras_.recvpeer());
    if (extras_.target()) check(Key::target_, *extras_.target());
    if (extras_.ranks().empty()) return;
    std::vector<std::int32_t> sorted = extras_.ranks();
    std::sort(sorted.begin(), sorted.end());
    // The members that a creation names are of the caller's own group.
    const std::size_t own = comm.is_inter() ? comm.ranks.size() + comm.remote.size() - peers : peers;
    check_in(Key::ranks_, sorted.back(), comm, own);
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      fail(Key::ranks_, fmt::format("\"ranks\" must name each rank once, got {} twice", *twice));
  }

  // A topology's neighbours are ranks of what it makes, which may have fewer members than the communicator that it is
  // made over (MPI 4.1, section 8.5.1): then some ranks are left out.
  void check_new_group() const {
    if (extras_.sources().empty() && extras_.destinations().empty() && extras_.dims().empty()) return;
    const Communicator& over = scenario_.comm_of(event_);
    const Communicator* made = &over;
    if (event_.extras.new_comm() != kNoComm)
      made = &scenario_.comms[static_cast<std::size_t>(event_.extras.new_comm())];
    if (!made->known) made = &over;
    if (!made->known) return;
    for (const std::int32_t rank : extras_.sources()) check_in(Key::sources_, rank, *made, made->ranks.size());
    for (const std::int32_t rank : extras_.destinations())
      check_in(Key::destinations_, rank, *made, made->ranks.size());
    std::uint64_t places = 1;
    for (const std::int32_t extent : extras_.dims()) {
      places *= static_cast<std::uint64_t>(extent);
      if (places > made->ranks.size())
        fail(Key::dims_, fmt::format("\"dims\" must not have more places than \"{}\" has ranks, which are {}",
                                     made->name, made->ranks.size()));
    }
    if (!extras_.periods().empty() && extras_.periods().size() != extras_.dims().size())
      fail(Key::periods_, fmt::format("\"periods\" must have one entry for each of the {} \"dims\", got {}",
                                      extras_.dims().size(), extras_.periods().size()));
  }

  // Only a receive or a probe may take what comes.
  void check_wildcards() const {
    const auto check = [&](Key key, std::int32_t argument) {
      if (argument == kAny) fail(key, fmt::format("\"{}\" cannot be \"any\" in a send", name_of(key)));
    };
    if (kind_of(event_.op) == OpKind::send) {
      check(Key::peer_, event_.peer);
      check(Key::tag_, event_.tag);
    }
    check(Key::sendpeer_, extras_.sendpeer());
    check(Key::sendtag_, extras_.sendtag());
  }

  // MPI_ROOT and MPI_PROC_NULL are for the group of the root of an intercommunicator (MPI 4.1, section 6.2.3).
  void check_roots() const {
    const Communicator& comm = scenario_.comm_of(event_);
    if (event_.root != kRootHere && event_.root != kNull) return;
    if (event_.op == Op::intercomm_create || (comm.known && !comm.is_inter()))
      fail(Key::root_, fmt::format("\"root\" can be \"{}\" on an intercommunicator only, and \"{}\" is none",
                                   event_.root == kNull ? "null" : "root", comm.name));
  }

  // Which of the requests completed: places in the list.
  void check_indices() const {
    if (kind_of(event_.op) != OpKind::wait && kind_of(event_.op) != OpKind::test) return;
    const auto check = [&](Key key, std::int64_t index) {
      if (index >= static_cast<std::int64_t>(extras_.requests().size()))
        fail(key, fmt::format("\"{}\" must be a place in the list of {} request{}, from 0, got {}", name_of(key),
                              extras_.requests().size(), extras_.requests().size() == 1 ? "" : "s", index));
    };
    if (extras_.index()) check(Key::index_, *extras_.index());
    for (const std::uint32_t index : extras_.indices()) check(Key::indices_, index);
  }

  // No memory has more bytes than a signed number of 64 bits counts: what is larger cannot be meant.
  void check_sizes() const {
    const auto check = [&](Key key, std::int64_t count, ElementType type) {
      const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(size_of(type)));
      if (count > std::numeric_limits<std::int64_t>::max() / size)
        fail(key, fmt::format("\"{}\" must be fewer than 2^63 bytes, got {} of {}", name_of(key), count,
                              type == ElementType::unknown ? "unknown type" : name_of(type)));
    };
    const auto check_all = [&](Key key, const std::vector<std::int64_t>& counts, ElementType type) {
      std::int64_t sum = 0;
      for (const std::int64_t count : counts) {
        if (count > std::numeric_limits<std::int64_t>::max() - sum)
          fail(key, fmt::format("\"{}\" must be fewer than 2^63 elements in all", name_of(key)));
        sum += count;
      }
      check(key, sum, type);
    };
    const ElementType sent = extras_.sendtype() == ElementType::unknown ? event_.dtype : extras_.sendtype();
    const ElementType received = extras_.recvtype() == ElementType::unknown ? event_.dtype : extras_.recvtype();
    check(Key::count_, event_.count, event_.dtype);
    check(Key::sendcount_, extras_.sendcount(), sent);
    check(Key::recvcount_, extras_.recvcount(), received);
    check_all(Key::counts_, extras_.counts(), event_.dtype);
    check_all(Key::sendcounts_, extras_.sendcounts(), sent);
    check_all(Key::recvcounts_, extras_.recvcounts(), received);
  }

  // A number of the file is a double: from 2^53 on it may stand for another whole one. What a type does not hold would
  // be sent as something else.
  void check_values() const {
    if (event_.dtype < ElementType::int8 || event_.dtype > ElementType::uint64 || extras_.values().empty()) return;
    const bool is_signed = event_.dtype == ElementType::int8 || event_.dtype == ElementType::int16 ||
                           event_.dtype == ElementType::int32 || event_.dtype == ElementType::int64;
    const int bits = static_cast<int>(8 * size_of(event_.dtype)) - (is_signed ? 1 : 0);
    const double end = std::ldexp(1.0, std::min(bits, 53));
    const double least = is_signed ? bits < 53 ? -end : 1 - end : 0;
    for (const double value : extras_.values())
      if (!(value >= least && value < end && value == std::trunc(value)))
        fail(Key::values_, fmt::format("\"values\" of {} must be whole numbers from {:.0f} to {:.0f}, got {}",
                                       name_of(event_.dtype), least, end - 1, value));
  }

  const ReadEvent& read_;
  const Event& event_;
  const EventExtras& extras_;
  const Scenario& scenario_;
  const LineText& line_;
};

}  // namespace

void check_keys(const ReadEvent& read, const LineText& line) {
  const OpKeys& keys = op_keys(read.event.op);
  if (const KeySet foreign = read.present & ~keys.takes; foreign.any())
    for (std::size_t i = 0; i < kKeyCount; ++i)
      if (foreign.test(i)) fail_foreign_key(read, static_cast<Key>(i), line);
  if (was_observed(read.event)) return;
  if (const std::vector<Key>* missing = missing_key(read))
    line.fail_at_start(fmt::format("{} needs {}, which is missing", name_of(read.event.op), quoted(*missing)));
}

void check_arguments(const ReadEvent& read, const Scenario& scenario, const LineText& line) {
  Arguments(read, scenario, line).check();
}

}  // namespace petri
