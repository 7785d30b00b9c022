#include "harness/import/kineto_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "harness/import/contains.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

static_assert(kRoomBehindPiece >= simdjson::SIMDJSON_PADDING);

std::string_view text_in(simdjson::dom::object object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// Also one that is written as a text.
std::optional<std::int64_t> whole_in(simdjson::dom::object object, std::string_view key) {
  std::int64_t number = 0;
  if (object[key].get(number) == simdjson::SUCCESS) return number;
  const std::string_view text = text_in(object, key);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

double number_in(simdjson::dom::object object, std::string_view key, double none) {
  double number = 0;
  if (object[key].get(number) == simdjson::SUCCESS) return number;
  return none;
}

bool is_kernel(std::string_view category) {
  return category == "kernel" || category == "Kernel";
}

bool is_of_host(std::string_view category) {
  return category == "cpu_op" || category == "user_annotation" || category == "Operator";
}

TextList list_in(simdjson::dom::object object, std::string_view key) {
  const std::string_view text = text_in(object, key);
  if (text.empty()) return {};
  if (auto list = read_text_list(text)) return *std::move(list);
  return {{}, {}, false};
}

}  // namespace

KinetoEvents::KinetoEvents(std::string file, std::string leaf) : file_(file), rank_(std::move(file), std::move(leaf)) {}

bool KinetoEvents::may_matter(std::string_view text) {
  return contains(text, "\"nccl") || contains(text, "\"gloo:") || contains(text, "Collective name") ||
         contains(text, kTorchCallName);
}

void KinetoEvents::take(const JsonPiece& piece) {
  if (!piece.key.empty()) return take_member(piece);
  simdjson::dom::element element;
  const auto error = parser_.parse(piece.text.data(), piece.text.size(), false).get(element);
  simdjson::dom::object event;
  if (error != simdjson::SUCCESS || element.get(event) != simdjson::SUCCESS)
    throw InputError(file_, piece.line, 0,
                     fmt::format("an event was expected, a JSON object: {}",
                                 error != simdjson::SUCCESS ? simdjson::error_message(error) : "it is none"));
  take_event(event);
}

// What the profiler writes beside its events was at times no JSON: then it is done without.
void KinetoEvents::take_member(const JsonPiece& piece) {
  simdjson::dom::element element;
  if (parser_.parse(piece.text.data(), piece.text.size(), false).get(element) != simdjson::SUCCESS) {
    problem_ = fmt::format("\"{}\" is no JSON, and is left out", piece.key);
    return;
  }
  std::int64_t base = 0;
  simdjson::dom::object info;
  if (piece.key == "baseTimeNanoseconds" && element.get(base) == simdjson::SUCCESS)
    base_ = static_cast<double>(base) * 1e-9;
  if (piece.key == "distributedInfo" && element.get(info) == simdjson::SUCCESS) take_distributed(info);
}

void KinetoEvents::take_distributed(simdjson::dom::object info) {
  const auto own = whole_in(info, "rank"), world = whole_in(info, "world_size");
  if (own && *own >= 0 && *own < kMaxWorld) rank_.traced().rank = static_cast<std::int32_t>(*own);
  if (world && *world > 0 && *world <= kMaxWorld) rank_.traced().world = static_cast<std::int32_t>(*world);
  simdjson::dom::element groups;
  if (info["pg_config"].get(groups) != simdjson::SUCCESS) return;
  for (TracedGroup& group : read_torch_groups(groups)) {
    if (group.everyone) group.size = std::max(group.size, rank_.traced().world);
    configured_.push_back(group);
    rank_.group(group);
  }
}

void KinetoEvents::take_event(simdjson::dom::object event) {
  const std::string_view name = text_in(event, "name"), category = text_in(event, "cat"), phase = text_in(event, "ph");
  Times times;
  times.start = number_in(event, "ts", std::nan(""));
  times.ended = number_in(event, "dur", -1) >= 0;
  if (std::isnan(times.start)) return;
  simdjson::dom::object args;
  const bool has_args = event["args"].get(args) == simdjson::SUCCESS;
  if (is_kernel(category) && name.starts_with("nccl")) {
    last_kernel_ = std::max(last_kernel_, times.start);
    if (has_args && !text_in(args, "Collective name").empty())
      take_kernel(args, times);
    else
      ++bare_kernels_;
  } else if (name == kTorchCallName && has_args && phase != "E") {
    take_call(args, phase, times);
  } else if (name == kTorchCallName && phase == "E") {
    if (!open_.empty()) {
      rank_.at(open_.back()).event.state = EventState::completed;
      open_.pop_back();
    }
  } else if (is_of_host(category)) {
    rank_.annotate(name, times.start);
  }
}

// By the file's list of groups, or by what the call itself says.
TracedGroup KinetoEvents::group_of(simdjson::dom::object args) const {
  TracedGroup group;
  group.name = text_in(args, "Process Group Name");
  group.description = text_in(args, "Process Group Description");
  const auto size = whole_in(args, "Group size");
  if (size && *size > 0 && *size <= kMaxWorld) group.size = static_cast<std::int32_t>(*size);
  set_members(group, list_in(args, "Process Group Ranks"), false);
  for (const TracedGroup& known : configured_) {
    const bool fits =
        known.name == group.name && (known.size == 0 || group.size == 0 || known.size == group.size) &&
        (known.description.empty() || group.description.empty() || known.description == group.description);
    if (group.name.empty() || !fits) continue;
    if (!group.whole && (known.whole || known.everyone)) return known;
    group.backend = known.backend;
    break;
  }
  return group;
}

bool KinetoEvents::read_arguments(simdjson::dom::object args, TorchCall& call) {
  call.name = text_in(args, "Collective name");
  if (call.name.empty()) return false;
  call.dtype = text_in(args, "dtype");
  call.counts.in = whole_in(args, "In msg nelems").value_or(-1);
  call.counts.out = whole_in(args, "Out msg nelems").value_or(-1);
  call.counts.in_split = list_in(args, "In split size");
  call.counts.out_split = list_in(args, "Out split size");
  call.rank = whole_in(args, "Rank").value_or(-1);
  const std::optional<Op> op = torch_op(call.name);
  if (op == Op::send) call.global_peer = whole_in(args, "Dst Rank").value_or(-1);
  if (op == Op::recv) call.global_peer = whole_in(args, "Src Rank").value_or(-1);
  call.seq = whole_in(args, "Seq").value_or(-1);
  call.group = op ? rank_.group(group_of(args)) : 0;
  return true;
}

void KinetoEvents::take_call(simdjson::dom::object args, std::string_view phase, const Times& times) {
  TorchCall call;
  if (!read_arguments(args, call)) return;
  call.time = seconds(times.start);
  const std::int64_t place = rank_.add(call, times.start);
  if (place < 0) return;
  rank_.at(place).event.state = times.ended ? EventState::completed : EventState::started;
  if (phase == "B") open_.push_back(place);
  if (const auto external = whole_in(args, "External id")) by_external_.emplace(*external, place);
}

void KinetoEvents::take_kernel(simdjson::dom::object args, const Times& times) {
  Kernel kernel;
  if (!read_arguments(args, kernel.call)) return;
  kernel.name = kernel.call.name;
  kernel.dtype = kernel.call.dtype;
  kernel.external = whole_in(args, "External id").value_or(0);
  if (kernel.external == 0) kernel.external = -1 - whole_in(args, "correlation").value_or(0);
  kernel.start = times.start;
  kernels_.push_back(std::move(kernel));
}

void KinetoEvents::add_kernel(const Kernel& kernel) {
  TorchCall call = kernel.call;
  call.name = kernel.name;
  call.dtype = kernel.dtype;
  call.time = seconds(kernel.start);
  const std::int64_t place = rank_.add(call, kernel.start);
  if (place < 0) return;
  rank_.at(place).event.state = EventState::completed;
  by_external_.emplace(kernel.external, place);
  ran_.resize(static_cast<std::size_t>(rank_.size()));
  ran_[static_cast<std::size_t>(place)] = true;
}

// A call is one event, whatever the number of its kernels. One that was launched before the window has kernels only;
// it is counted where its number tells which one it is.
void KinetoEvents::match_kernels() {
  const bool host_tells = rank_.size() > 0;
  std::set<std::pair<std::int32_t, std::int64_t>> numbers;  // of calls of the host: group and number
  for (std::int64_t i = 0; i < rank_.size(); ++i)
    if (const TracedCall& call = rank_.at(i); call.launch != TracedLaunch::closes && call.group_seq >= 0)
      numbers.emplace(call.event.comm, call.group_seq);
  ran_.resize(static_cast<std::size_t>(rank_.size()));
  for (const Kernel& kernel : kernels_) {
    const auto call = by_external_.find(kernel.external);
    if (call != by_external_.end())
      ran_[static_cast<std::size_t>(call->second)] = true;
    else if (!host_tells || (kernel.call.seq >= 0 && numbers.count({kernel.call.group, kernel.call.seq}) == 0))
      add_kernel(kernel);
    else
      ++bare_kernels_;
  }
  kernels_ = {};
}

// Calls behind the last one of their group that ran, with no kernel of any kind after them, were only enqueued.
void KinetoEvents::note_unrun() {
  std::unordered_map<std::int32_t, double> last_ran;  // by group
  for (std::int64_t i = 0; i < rank_.size(); ++i) {
    if (!ran_[static_cast<std::size_t>(i)]) continue;
    const auto [place, fresh] = last_ran.try_emplace(rank_.at(i).event.comm, rank_.order_of(i));
    if (!fresh) place->second = std::max(place->second, rank_.order_of(i));
  }
  for (std::int64_t i = 0; i < rank_.size(); ++i) {
    TracedCall& call = rank_.at(i);
    if (call.launch == TracedLaunch::closes || call.event.state != EventState::completed) continue;
    const auto last = last_ran.find(call.event.comm);
    const double order = rank_.order_of(i);
    if (last != last_ran.end() && order > last->second && order > last_kernel_)
      call.event.state = EventState::scheduled;
  }
}

void KinetoEvents::finish() {
  match_kernels();
  ran_.resize(static_cast<std::size_t>(rank_.size()));
  note_unrun();
}

}  // namespace petri
