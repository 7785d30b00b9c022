#include "harness/diagnose/buffering.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/model/explore.hpp"
#include "harness/model/op_rules.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

namespace {

constexpr std::uint64_t kMostOrders = 50;  // looked at for each limit

class Limits {
 public:
  Limits(const Scenario& scenario, bool follow_record, const std::vector<MutualWaits>& deadlocks)
      : scenario_(scenario), follow_record_(follow_record), deadlocks_(deadlocks) {}

  BufferingLimit of(std::size_t deadlock) {
    const auto hides = [&](std::int64_t limit) { return held_under(limit)[deadlock] == 0; };
    if (!hides(model::kUnlimited)) return {true, std::nullopt};
    const bool others_hang = stuck_under_all_;
    if (hides(0)) return {false, 0, others_hang};  // no message is in it: the other sizes need not be asked for
    // More buffering never blocks anybody: the limits that hide it are an upper part of the sizes.
    const std::vector<std::int64_t>& sizes = sizes_of_messages();
    const auto first =
        std::partition_point(sizes.begin(), sizes.end(), [&](std::int64_t limit) { return !hides(limit); });
    if (first == sizes.end()) return {false, std::nullopt, others_hang};  // a message of unknown size is in it
    return {false, *first, others_hang};
  }

 private:
  // By deadlock: is it in one of the orders?
  const std::vector<std::uint8_t>& held_under(std::int64_t limit) {
    const auto [place, is_new] = held_.try_emplace(limit, deadlocks_.size(), std::uint8_t{0});
    std::vector<std::uint8_t>& held = place->second;
    if (!is_new) return held;
    model::explore(scenario_, {limit, follow_record_}, kMostOrders, [&](const model::Run& run) {
      if (limit == model::kUnlimited && run.stuck.empty()) stuck_under_all_ = false;
      if (run.stuck.empty()) return true;
      const WaitGraph graph(scenario_, run);
      for (std::size_t i = 0; i < held.size(); ++i)
        if (holds_in(graph, deadlocks_[i])) held[i] = 1;
      return std::count(held.begin(), held.end(), 0) > 0;
    });
    return held;
  }

  const std::vector<std::int64_t>& sizes_of_messages() {
    if (!sizes_.empty()) return sizes_;
    std::set<std::int64_t> sizes;
    for (const RankTrace& rank : scenario_.ranks)
      for (const Event& event : rank.events)
        if (kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::sendrecv)
          if (const std::int64_t bytes = model::bytes_of(model::send_half(event)); bytes >= 0) sizes.insert(bytes);
    sizes_.assign(sizes.begin(), sizes.end());
    return sizes_;
  }

  const Scenario& scenario_;
  bool follow_record_;
  const std::vector<MutualWaits>& deadlocks_;
  std::map<std::int64_t, std::vector<std::uint8_t>> held_;  // by limit
  bool stuck_under_all_ = true;      // with all messages buffered, in each order that was looked at
  std::vector<std::int64_t> sizes_;  // ascending
};

// Does it wait for what no buffering gives? For a message, or for all members of a collective.
bool is_unconditional(const Scenario& scenario, const model::Atom& atom) {
  if (atom.kind == model::Atom::message || atom.kind == model::Atom::finalize) return true;
  if (atom.kind != model::Atom::gathering) return false;
  const Event& event = at(scenario, atom.posted);
  return form_of(event.op) != OpForm::persistent && !scenario.comms[static_cast<std::size_t>(atom.comm)].is_inter() &&
         model::needs_of(event, true) == model::Needs::all && model::needs_of(event, false) == model::Needs::all;
}

// Calls whose outcome may be another one where others return earlier, although all of them return.
bool may_turn_out_otherwise(const Event& event) {
  const OpKind kind = kind_of(event.op);
  return kind == OpKind::window || kind == OpKind::rma || event.op == Op::cancel || model::any_suffices(event);
}

}  // namespace

// Buffering only lets calls return earlier: where nothing depends on the order of things, a run gets at least as far.
// It gets no further if nobody who waits at its end is let go.
bool ends_so_however_buffered(const Scenario& scenario, const model::Run& run) {
  const bool one_order = run.choices.empty() && run.wildcards.empty() && !run.leaned_on_record &&
                         run.lanes.size() == scenario.ranks.size();
  if (!one_order) return false;
  for (const model::Wait& wait : run.waits)
    if (!std::all_of(wait.atoms.begin(), wait.atoms.end(),
                     [&](const model::Atom& atom) { return is_unconditional(scenario, atom); }))
      return false;
  return std::none_of(scenario.ranks.begin(), scenario.ranks.end(), [](const RankTrace& rank) {
    return std::any_of(rank.events.begin(), rank.events.end(), may_turn_out_otherwise);
  });
}

std::vector<BufferingLimit> buffering_limits(const Scenario& scenario, const model::Run& run, bool follow_record,
                                             const std::vector<MutualWaits>& deadlocks) {
  if (ends_so_however_buffered(scenario, run))
    return std::vector<BufferingLimit>(deadlocks.size(), {true, std::nullopt, false});
  Limits limits(scenario, follow_record, deadlocks);
  std::vector<BufferingLimit> found;
  for (std::size_t i = 0; i < deadlocks.size(); ++i) found.push_back(limits.of(i));
  return found;
}

}  // namespace petri::diagnosis
