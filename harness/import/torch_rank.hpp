// The communication of one rank as PyTorch's observers record it: each call once as an operation of the host, named
// record_param_comms (torch/csrc/distributed/c10d/ParamCommsUtils.hpp), with annotations beside it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/import/torch_words.hpp"
#include "harness/import/traced_job.hpp"

namespace petri {

inline constexpr std::string_view kTorchCallName = "record_param_comms";

struct TorchCall {
  std::string_view name;  // "allreduce"
  std::string_view dtype;
  TorchCounts counts;
  std::int32_t group = 0;  // of TorchRank::group
  std::int64_t rank = -1;  // in the group: the root, the peer, or else the rank itself
  std::int64_t global_peer = -1;
  std::int64_t seq = -1;
  double time = std::numeric_limits<double>::quiet_NaN();
};

class TorchRank {
 public:
  explicit TorchRank(std::string file, std::string leaf);

  TracedRank& traced() { return traced_; }

  // Index of the group among those of this rank.
  std::int32_t group(const TracedGroup& told);

  // Takes a call, and returns its place for `state_of`; -1 for what is no communication. Calls may come in any order:
  // `order` tells which came first.
  std::int64_t add(const TorchCall& call, double order);
  // An annotation with a name such as "nccl:send 0->1" (within the call, launched by itself) or "nccl:coalesced". Those
  // of Gloo, "gloo:all_reduce", are beside no call: none of its backends says a group (ProcessGroupGloo.cpp).
  void annotate(std::string_view name, double order);

  TracedCall& at(std::int64_t place) { return items_[static_cast<std::size_t>(place)].call; }
  double order_of(std::int64_t place) const { return items_[static_cast<std::size_t>(place)].order; }
  std::int64_t size() const { return static_cast<std::int64_t>(items_.size()); }
  const std::map<std::string, std::uint64_t>& unknown_names() const { return unknown_; }
  std::uint64_t waits() const { return waits_; }
  std::uint64_t calls_of_gloo() const { return calls_of_gloo_; }

  // What was taken, in its order. Then this is empty.
  TracedRank finish();

 private:
  struct Item {
    TracedCall call;
    double order = 0;
    bool alone = false;  // no call: says that the one before it was launched by itself
  };

  void tell_rank(const TorchCall& call);

  TracedRank traced_;
  std::unordered_map<std::string, std::int32_t> groups_;
  std::vector<Item> items_;
  std::map<std::string, std::uint64_t> unknown_;  // names of calls that are not known
  std::uint64_t waits_ = 0;
  std::uint64_t calls_of_gloo_ = 0;
};

// What the ranks' files had that is not in the scenario; counts over all of them.
struct TorchLeftOut {
  std::map<std::string, std::uint64_t> unknown;
  std::uint64_t waits = 0;
  std::uint64_t of_gloo = 0;
  void add(const TorchRank& rank);
  void say(ImportNotes& notes) const;
  // Throws InputError: no file, of which this is the first, has a call. `expected` says what one would look like.
  [[noreturn]] void refuse(const std::string& file, const std::string& expected) const;
};

}  // namespace petri
