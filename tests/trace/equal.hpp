// Whether two scenarios say the same: indices of communicators and symbols may differ, names may not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::test {

inline std::string comm_name(const Scenario& scenario, std::int32_t comm) {
  return comm == kNoComm ? "" : scenario.comms.at(static_cast<std::size_t>(comm)).name;
}

// NaN equals NaN here.
inline EventExtras comparable(EventExtras extras) {
  const auto clean = [](double& value) {
    if (std::isnan(value)) value = 0;
  };
  std::vector<double> values = extras.values();
  std::for_each(values.begin(), values.end(), clean);
  extras.set_values(values);
  const auto cleaned = [&](std::optional<Summary> summary) {
    if (summary)
      for (auto* value : {&summary->min, &summary->max, &summary->sum, &summary->norm})
        if (*value) clean(**value);
    return summary;
  };
  extras.set_in(cleaned(extras.in()));
  extras.set_out(cleaned(extras.out()));
  std::optional<Fill> fill = extras.fill();
  if (fill) clean(fill->scale);
  extras.set_fill(fill);
  // Communicators are compared by their names.
  extras.set_new_comm(kNoComm);
  return extras;
}

inline bool equal(const Scenario& a, const Event& x, const Scenario& b, const Event& y) {
  return x.op == y.op && x.state == y.state && x.dtype == y.dtype && x.reduce == y.reduce && x.peer == y.peer &&
         x.tag == y.tag && x.root == y.root && x.count == y.count && x.seq == y.seq && x.step == y.step &&
         x.microbatch == y.microbatch && x.request == y.request && x.extras.coll_seq() == y.extras.coll_seq() &&
         x.flag == y.flag && a.site_of(x) == b.site_of(y) && comm_name(a, x.comm) == comm_name(b, y.comm) &&
         comm_name(a, x.extras.new_comm()) == comm_name(b, y.extras.new_comm()) &&
         comparable(x.extras) == comparable(y.extras);
}

inline bool equal(const Communicator& x, const Communicator& y) {
  return x.name == y.name && x.ranks == y.ranks && x.known == y.known && x.parent == y.parent &&
         x.backend == y.backend && x.label == y.label && x.free_keys == y.free_keys;
}

inline bool equal(const Header& x, const Header& y) {
  return x.job == y.job && x.world == y.world && x.backend == y.backend && x.hosts == y.hosts &&
         x.devices == y.devices && x.environment == y.environment && x.origin == y.origin && x.observed == y.observed &&
         x.expect == y.expect && x.free_keys == y.free_keys;
}

inline bool equal(const RankEnd& x, const RankEnd& y) {
  return x.kind == y.kind && x.stated == y.stated && x.dropped == y.dropped && x.signal == y.signal &&
         x.status == y.status && x.free_keys == y.free_keys;
}

inline bool equal(const Scenario& a, const Scenario& b) {
  if (!equal(a.header, b.header) || a.cut != b.cut || a.comms.size() != b.comms.size()) return false;
  for (const Communicator& comm : a.comms) {
    const std::int32_t other = b.find_comm(comm.name);
    if (other == kNoComm || !equal(comm, b.comms[static_cast<std::size_t>(other)])) return false;
  }
  const auto same_times = [](const RankTrace& x, const RankTrace& y) {
    for (std::size_t i = 0; i < x.events.size() && i < y.events.size(); ++i) {
      const double one = x.time_of(i), other = y.time_of(i);
      if (one != other && !(std::isnan(one) && std::isnan(other))) return false;
    }
    return true;
  };
  const auto same_rank = [&](const RankTrace& x, const RankTrace& y) {
    return equal(x.end, y.end) && same_times(x, y) &&
           std::equal(x.events.begin(), x.events.end(), y.events.begin(), y.events.end(),
                      [&](const Event& e, const Event& f) { return equal(a, e, b, f); });
  };
  return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(), same_rank);
}

}  // namespace petri::test
