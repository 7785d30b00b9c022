#include "harness/import/torch_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

// Of the hostile: what is said of names that no release has.
constexpr std::size_t kMostNames = 16;
constexpr std::size_t kMostNameBytes = 64;

std::string shortened(std::string_view name) {
  return std::string(name.substr(0, kMostNameBytes));
}

}  // namespace

TorchRank::TorchRank(std::string file, std::string leaf) {
  traced_.file = std::move(file);
  traced_.leaf = std::move(leaf);
}

std::int32_t TorchRank::group(const TracedGroup& told) {
  std::string identity = fmt::format("{}\n{}\n{} {} {}{} ", told.name, told.description, told.last, told.size,
                                     told.whole ? 'w' : '-', told.everyone ? 'e' : '-');
  identity.append(reinterpret_cast<const char*>(told.ranks.data()), told.ranks.size() * sizeof(std::int32_t));
  const auto [place, fresh] =
      groups_.try_emplace(std::move(identity), static_cast<std::int32_t>(traced_.groups.size()));
  if (fresh) traced_.groups.push_back(told);
  return place->second;
}

// A collective without a root names the rank's own place in the group.
void TorchRank::tell_rank(const TorchCall& call) {
  const TracedGroup& group = traced_.groups[static_cast<std::size_t>(call.group)];
  if (traced_.rank >= 0 || call.rank < 0 || call.rank >= kMaxWorld) return;
  if (group.everyone)
    traced_.rank = static_cast<std::int32_t>(call.rank);
  else if (group.whole && static_cast<std::size_t>(call.rank) < group.ranks.size())
    traced_.rank = group.ranks[static_cast<std::size_t>(call.rank)];
}

std::int64_t TorchRank::add(const TorchCall& call, double order) {
  const std::optional<Op> op = torch_op(call.name);
  if (!op) {
    if (is_no_torch_call(call.name))
      waits_ += call.name == "wait" ? 1 : 0;
    else if (unknown_.size() < kMostNames)
      ++unknown_[shortened(call.name)];
    return -1;
  }
  Item item{{}, order, false};
  Event& event = item.call.event;
  event.op = *op;
  event.comm = call.group;
  event.dtype = torch_type(call.dtype);
  const bool fits = call.rank >= 0 && call.rank < kMaxWorld;
  if (kind_of(*op) == OpKind::send || kind_of(*op) == OpKind::recv) {
    item.call.peer_is_global = call.global_peer >= 0 && call.global_peer < kMaxWorld;
    event.peer = item.call.peer_is_global ? static_cast<std::int32_t>(call.global_peer)
                 : fits                   ? static_cast<std::int32_t>(call.rank)
                                          : kUnset;
  } else {
    item.call.group_seq = call.seq;
    if (!is_rooted(*op))
      tell_rank(call);
    else if (fits)
      event.root = static_cast<std::int32_t>(call.rank);
  }
  set_torch_counts(event, call.counts, traced_.groups[static_cast<std::size_t>(call.group)].size);
  item.call.time = call.time;
  items_.push_back(std::move(item));
  return size() - 1;
}

void TorchRank::annotate(std::string_view name, double order) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return;
  if (name.substr(0, colon) == "gloo") return ++calls_of_gloo_, void();
  const std::string_view what = name.substr(colon + 1);
  const bool message = what.starts_with("send ") || what.starts_with("recv ");
  if (!message && what != "coalesced") return;
  Item item{{}, order, message};
  item.call.launch = TracedLaunch::closes;
  items_.push_back(std::move(item));
}

TracedRank TorchRank::finish() {
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.order < b.order; });
  for (Item& item : items_) {
    if (!item.alone) {
      traced_.calls.push_back(std::move(item.call));
    } else if (!traced_.calls.empty() && traced_.calls.back().launch == TracedLaunch::unknown) {
      traced_.calls.back().launch = TracedLaunch::alone;
    }
  }
  items_ = {};
  return std::move(traced_);
}

void TorchLeftOut::add(const TorchRank& rank) {
  waits += rank.waits();
  of_gloo += rank.calls_of_gloo();
  for (const auto& [name, count] : rank.unknown_names())
    if (unknown.size() < kMostNames || unknown.contains(name)) unknown[name] += count;
}

void TorchLeftOut::say(ImportNotes& notes) const {
  if (waits > 0) notes.facts.push_back(fmt::format("left out: {} for work that calls began", counted(waits, "wait")));
  if (of_gloo > 0)
    notes.warnings.push_back(
        fmt::format("left out: {} of Gloo, of which PyTorch writes no group to such traces", counted(of_gloo, "call")));
  for (const auto& [name, count] : unknown)
    notes.warnings.push_back(
        fmt::format("left out: {} of a kind that is not known, \"{}\"", counted(count, "call"), name));
}

void TorchLeftOut::refuse(const std::string& file, const std::string& expected) const {
  if (of_gloo == 0) throw InputError(file, 0, 0, "no call of a collective is there: " + expected);
  throw InputError(file, 0, 0,
                   fmt::format("{} of Gloo, of which PyTorch writes no group to such traces; its Flight Recorder does "
                               "(TORCH_FR_BUFFER_SIZE, torch._C._distributed_c10d._dump_fr_trace)",
                               counted(of_gloo, "call")));
}

}  // namespace petri
