#include "harness/import/flight_parts.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "harness/trace/scenario.hpp"

namespace petri {

namespace {

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::uint64_t pair_of(FlightText name, FlightText description) {
  return std::uint64_t{name} << 32 | description;
}

}  // namespace

std::int64_t times_axis(std::int64_t elements, std::int64_t axis) {
  return elements < 0 || axis < 0 || __builtin_mul_overflow(elements, axis, &elements) ? -1 : elements;
}

void FlightTensors::add(std::int64_t elements) {
  if (tensors_ < std::numeric_limits<std::uint16_t>::max()) ++tensors_;
  if (elements < 0 || elements_ < 0 || __builtin_add_overflow(elements_, elements, &elements_)) elements_ = -1;
}

void FlightTensors::type(ElementType type) {
  if (typed_ && type != type_) type = ElementType::unknown;
  type_ = type;
  typed_ = true;
}

std::string no_flight_dump(std::string_view what, bool cut) {
  return fmt::format("a dump of the Flight Recorder was expected; this {} {}", what,
                     cut ? "breaks off before its groups and entries" : "has neither groups nor entries");
}

// Where PyTorch lies: an installed package, a checkout, or its compiled sources (frames of C++, where they are
// captured).
bool is_library_frame(std::string_view file) {
  if (file.empty() || file.front() == '<' || file == "??") return true;
  const auto has = [&](std::string_view part) { return file.find(part) != std::string_view::npos; };
  if (has("-packages/torch/") || has("pytorch/torch/") || file.starts_with("torch/")) return true;
  if (has("/torchinductor_") || has("/torch/csrc/") || has("/aten/src/") || has("/c10/")) return true;
  if (file.ends_with(".so") || has(".so.")) return true;
  const std::size_t python = file.find("/lib/python3");
  return python != std::string_view::npos && !has("-packages/");
}

std::int64_t number_or(std::string_view text, std::int64_t otherwise) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

void FlightParts::begin(FlightDump& dump) {
  dump_ = &dump;
  slots_.assign(1024, 0);
  recent_group_.clear();
  groups_.clear();
}

std::size_t FlightParts::slot_of(std::string_view text) const {
  std::size_t slot = std::hash<std::string_view>()(text) & (slots_.size() - 1);
  while (slots_[slot] != 0 && dump_->texts[slots_[slot]] != text) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

FlightText FlightParts::text(std::string_view text) {
  if (text.empty()) return 0;
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != 0) return slots_[slot];
  if (is_ascii(text) || simdjson::validate_utf8(text.data(), text.size())) return add(text);
  std::string replaced(text);
  for (char& c : replaced)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  const FlightText known = slots_[slot_of(replaced)];
  return known != 0 ? known : add(replaced);
}

FlightText FlightParts::add(std::string_view text) {
  if (dump_->texts.size() * 2 >= slots_.size()) make_room();
  const auto number = static_cast<FlightText>(dump_->texts.size());
  slots_[slot_of(text)] = number;
  dump_->texts.emplace_back(text);
  return number;
}

void FlightParts::make_room() {
  slots_.assign(slots_.size() * 4, 0);
  for (std::size_t i = 1; i < dump_->texts.size(); ++i) slots_[slot_of(dump_->texts[i])] = static_cast<FlightText>(i);
}

FlightText FlightParts::site(std::string_view file, std::int64_t line) {
  if (file.empty()) return 0;
  site_ = file;
  if (line > 0) fmt::format_to(std::back_inserter(site_), ":{}", line);
  return text(site_);
}

std::uint32_t FlightParts::group(FlightText name, FlightText description) {
  if (name == 0 && description == 0) return kNoFlightGroup;
  if (name >= recent_group_.size()) recent_group_.resize(name + std::size_t{1}, kNoFlightGroup);
  std::uint32_t& recent = recent_group_[name];
  if (recent != kNoFlightGroup && (description == 0 || dump_->groups[recent].description == description)) return recent;
  const auto [found, is_new] =
      groups_.try_emplace(pair_of(name, description), static_cast<std::uint32_t>(dump_->groups.size()));
  if (is_new) dump_->groups.push_back({name, description, 0, false});
  return recent = found->second;
}

void FlightParts::configure(const FlightGroup& group) {
  const std::string refusal = std::exchange(refusal_, {});
  const std::uint32_t index = this->group(group.name, group.description);
  if (index == kNoFlightGroup) return;
  dump_->groups[index].ranks = group.ranks;
  dump_->groups[index].configured = true;
  if (!refusal.empty())
    dump_->refused_lists.push_back(
        fmt::format("group {:.40} {}", dump_->text(group.name != 0 ? group.name : group.description), refusal));
}

std::uint32_t FlightParts::ranks(std::string_view list) {
  std::vector<std::int32_t> ranks;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    if (*at == '[' || *at == ']' || *at == ',' || *at == ' ') {
      ++at;
      continue;
    }
    std::int32_t rank = -1;
    const auto [stopped, error] = std::from_chars(at, end, rank);
    ranks.push_back(error == std::errc() ? rank : -1);
    if (error != std::errc()) break;
    at = stopped;
  }
  return this->ranks(std::move(ranks));
}

namespace {

// Why no group can have these members; empty where one can.
std::string refusal_of(const std::vector<std::int32_t>& list) {
  const auto none =
      std::find_if(list.begin(), list.end(), [](std::int32_t rank) { return rank < 0 || rank >= kMaxWorld; });
  if (none != list.end())
    return *none < 0 ? "names what is no rank" : fmt::format("names rank {}, and ranks are below {}", *none, kMaxWorld);
  if (std::is_sorted(list.begin(), list.end(), std::less_equal<>())) return {};
  std::vector<std::int32_t> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  return twice == sorted.end() ? std::string() : fmt::format("names rank {} twice", *twice);
}

}  // namespace

std::uint32_t FlightParts::ranks(std::vector<std::int32_t> list) {
  refusal_ = refusal_of(list);
  if (list.empty() || !refusal_.empty()) return 0;
  dump_->rank_lists.push_back(std::move(list));
  return static_cast<std::uint32_t>(dump_->rank_lists.size() - 1);
}

void FlightParts::status(std::int32_t pg_id, const FlightStatus& status) {
  dump_->status.emplace_back(pg_id, status);
}

void FlightParts::end() {
  // of one id, which the recorder does not write twice, the last one holds
  auto& status = dump_->status;
  std::stable_sort(status.begin(), status.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto last =
      std::unique(status.rbegin(), status.rend(), [](const auto& a, const auto& b) { return a.first == b.first; });
  status.erase(status.begin(), last.base());
}

}  // namespace petri
