#include "harness/import/flight_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {

namespace {

using W = FlightWord;

// What is longer is walked once, and what came of it noted.
constexpr std::size_t kShort = 16;

constexpr unsigned kWalkedBits = 4;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr auto kTopKeys = static_cast<std::size_t>(W::entries) + 1;

}  // namespace

FlightPickle::FlightPickle()
    : pickle_([](std::string_view text) { return static_cast<std::uint8_t>(flight_word(text)); }) {}

void FlightPickle::read(const std::string& file, std::string_view bytes, FlightDump& dump) {
  const PickleValue root = pickle_.read(file, bytes);
  if (root.kind != PickleKind::dict)
    throw InputError(file, 0, 0, "a dict was expected, as the Flight Recorder writes it");
  dump_ = &dump;
  dump.cut = pickle_.cut();
  parts_.begin(dump);
  frames_.assign(1, Frame());
  sides_.assign(1, FlightSide());
  products_.assign(1, -1);
  rank_lists_.clear();
  std::array<PickleValue, kTopKeys> values{};  // by key; of one key the last value holds
  const auto items = pickle_.items(root);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (const auto key = static_cast<std::size_t>(word(items[i])); key < kTopKeys) values[key] = items[i + 1];
  const auto value = [&](W key) { return values[static_cast<std::size_t>(key)]; };
  if (value(W::pg_config).kind != PickleKind::dict && value(W::pg_status).kind != PickleKind::dict &&
      !value(W::entries).is_sequence())
    throw InputError(file, 0, 0, no_flight_dump("pickle", dump.cut));
  const W library = value(W::comm_lib_version).kind == PickleKind::text ? W::comm_lib_version : W::nccl_version;
  dump.version = dump.text(text(value(W::version)));
  dump.comm_lib_version = dump.text(text(value(library)));
  config(value(W::pg_config));
  status(value(W::pg_status));
  entries(value(W::entries));
  parts_.end();
}

void FlightPickle::remember(PickleValue container, Walked as, std::size_t result) {
  pickle_.note(container) = static_cast<std::uint32_t>(result << kWalkedBits) | static_cast<std::uint32_t>(as);
}

std::uint32_t FlightPickle::recall(PickleValue container, Walked as, std::uint32_t other) {
  const std::uint32_t note = pickle_.note(container);
  return (note & ((1U << kWalkedBits) - 1)) == static_cast<std::uint32_t>(as) ? note >> kWalkedBits : other;
}

std::int32_t FlightPickle::small(PickleValue value) {
  const std::int64_t number = whole(value);
  return number == static_cast<std::int32_t>(number) ? static_cast<std::int32_t>(number) : -1;
}

std::int64_t FlightPickle::written_number(PickleValue value) const {
  return value.kind == PickleKind::text ? number_or(pickle_.text(value), -1) : whole(value);
}

bool FlightPickle::truth(PickleValue value) {
  return (value.kind == PickleKind::boolean || value.kind == PickleKind::whole) && value.number != 0;
}

std::string_view FlightPickle::characters(PickleValue value) const {
  return value.kind == PickleKind::text ? pickle_.text(value) : std::string_view();
}

FlightText FlightPickle::text(PickleValue value) {
  if (value.kind == PickleKind::whole) return parts_.text(fmt::format_int(value.number).c_str());
  if (value.kind != PickleKind::text) return 0;
  std::uint32_t& note = pickle_.note(value);  // the number, one higher
  if (note == 0) note = parts_.text(pickle_.text(value)) + 1;
  return note - 1;
}

template <class Filled>
void FlightPickle::fill(PickleValue dict, Filled& filled) {
  const auto items = pickle_.items(dict);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) FlightFields::take(*this, word(items[i]), items[i + 1], filled);
}

void FlightPickle::config(PickleValue groups) {
  if (groups.kind != PickleKind::dict) return;
  const auto named = pickle_.items(groups);
  for (std::size_t i = 0; i + 1 < named.size(); i += 2) {
    if (named[i + 1].kind != PickleKind::dict || !is_new(named[i + 1])) continue;
    remember(named[i + 1], Walked::group, 0);
    FlightGroup group;
    group.name = text(named[i]);
    fill(named[i + 1], group);
    parts_.configure(group);
  }
}

std::uint32_t FlightPickle::ranks(PickleValue value) {
  if (value.kind != PickleKind::text && !value.is_sequence()) return 0;
  const auto [known, is_new] =
      rank_lists_.try_emplace(std::uint64_t{value.kind == PickleKind::text} << 32 | value.index, 0);
  if (!is_new) return known->second;
  if (value.kind == PickleKind::text) return known->second = parts_.ranks(pickle_.text(value));
  std::vector<std::int32_t> list;
  for (const PickleValue rank : pickle_.items(value)) {
    list.push_back(small(rank));
    if (list.back() < 0) break;
  }
  return known->second = parts_.ranks(std::move(list));
}

void FlightPickle::status(PickleValue groups) {
  if (groups.kind != PickleKind::dict) return;
  const auto named = pickle_.items(groups);
  for (std::size_t i = 0; i + 1 < named.size(); i += 2) {
    const PickleValue dict = named[i + 1];
    if (dict.kind != PickleKind::dict || !is_new(dict)) continue;
    remember(dict, Walked::status, 0);
    const std::int64_t id = written_number(named[i]);
    if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) continue;
    FlightStatus status;
    fill(dict, status);
    parts_.status(static_cast<std::int32_t>(id), status);
  }
}

void FlightPickle::entries(PickleValue list) {
  if (!list.is_sequence()) return;
  const auto items = pickle_.items(list);
  dump_->entries.reserve(items.size());
  for (const PickleValue item : items) {
    if (item.kind != PickleKind::dict) continue;
    if (!is_new(item)) {
      const std::uint32_t known = recall(item, Walked::entry, kNone);
      if (known != kNone) dump_->entries.push_back(dump_->entries[known]);
      continue;
    }
    remember(item, Walked::entry, dump_->entries.size());
    fill(item, dump_->entries.emplace_back());
  }
}

// (name, description), or the name alone.
std::uint32_t FlightPickle::group(PickleValue pair) {
  if (!pair.is_sequence()) return parts_.group(text(pair), 0);
  const auto items = pickle_.items(pair);
  return parts_.group(items.empty() ? 0 : text(items[0]), items.size() < 2 ? 0 : text(items[1]));
}

FlightText FlightPickle::site(PickleValue frames) {
  if (!frames.is_sequence()) return 0;
  const auto items = pickle_.items(frames);
  if (items.empty()) return 0;
  if (!is_new(frames)) return recall(frames, Walked::frames, 0);
  const auto shown = std::find_if(items.begin(), items.end(), [&](PickleValue item) { return !frame(item).library; });
  Frame& at = frame(shown == items.end() ? items.front() : *shown);
  if (at.site == 0) at.site = parts_.site(at.file, at.line);
  remember(frames, Walked::frames, at.site);
  return at.site;
}

FlightPickle::Frame& FlightPickle::frame(PickleValue dict) {
  if (dict.kind != PickleKind::dict) return frames_.front();
  if (!is_new(dict)) return frames_[recall(dict, Walked::frame, 0)];
  Frame frame;
  fill(dict, static_cast<FlightFrame&>(frame));
  frame.library = is_library_frame(frame.file);
  remember(dict, Walked::frame, frames_.size());
  return frames_.emplace_back(frame);
}

FlightSide FlightPickle::sizes(PickleValue list) {
  if (!list.is_sequence()) return {};
  if (!is_new(list)) return sides_[recall(list, Walked::sizes, 0)];
  const auto tensors = pickle_.items(list);
  FlightTensors sum;
  for (const PickleValue axes : tensors) sum.add(elements_of(axes));
  const FlightSide side = sum.side();
  if (tensors.size() <= kShort) return side;
  remember(list, Walked::sizes, sides_.size());
  return sides_.emplace_back(side);
}

std::int64_t FlightPickle::elements_of(PickleValue axes) {
  if (!axes.is_sequence()) return -1;
  if (!is_new(axes)) return products_[recall(axes, Walked::axes, 0)];
  const auto items = pickle_.items(axes);
  std::int64_t product = 1;
  for (const PickleValue axis : items) product = times_axis(product, whole(axis));
  if (items.size() <= kShort) return product;
  remember(axes, Walked::axes, products_.size());
  return products_.emplace_back(product);
}

ElementType FlightPickle::types(PickleValue list) {
  if (!list.is_sequence()) return ElementType::unknown;
  if (!is_new(list)) return static_cast<ElementType>(recall(list, Walked::types, 0));
  const auto names = pickle_.items(list);
  FlightTensors tensors;
  for (const PickleValue name : names) tensors.type(element_type_of(word(name)));
  if (names.size() > kShort) remember(list, Walked::types, static_cast<std::size_t>(tensors.type()));
  return tensors.type();
}

}  // namespace petri
