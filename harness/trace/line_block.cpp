#include "harness/trace/line_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "harness/trace/counted.hpp"

namespace petri {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

// The rank of a line that begins as events do when Petri writes them; nothing where it begins otherwise.
std::optional<std::size_t> rank_at_first_sight(std::string_view text) {
  constexpr std::string_view kHead = R"({"rank":)";
  std::size_t rank = 0;
  if (!text.starts_with(kHead)) return std::nullopt;
  text.remove_prefix(kHead.size());
  const auto end = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (end.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return text.starts_with(R"(,"op":)") || text.starts_with(R"(,"seq":)") ? std::optional(rank) : std::nullopt;
}

template <class Visit>
void each_line(const LineBlock& block, Visit&& visit) {
  for (std::string_view rest = block.text(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    visit(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

void LinesInOrder::read(std::string_view text, std::size_t number, bool terminated) {
  if (is_blank(text)) return;
  if (whole_) throw InputError(line_.file(), number, 1, "expected nothing after the end line");
  // A writer that was stopped leaves half a line; a line with its newline was meant as it stands.
  if (!terminated && syntax_error_of(text)) return;
  line_.load(text, number);
  read_loaded();
}

// Which kind of line this is follows from its keys, in any order.
void LinesInOrder::read_loaded() {
  if (line_.has(Key::petri_)) line_.fail_at_start("expected no second header");
  if (line_.has(Key::end_) && line_.has(Key::rank_)) {
    lines_.rank_end(line_);
  } else if (line_.has(Key::end_)) {
    lines_.file_end(line_);
    whole_ = true;
  } else if (line_.has(Key::rank_) || line_.has(Key::op_)) {
    lines_.event(line_);
  } else if (line_.has(Key::comm_)) {
    lines_.communicator(line_);
  } else {
    line_.fail_at_start(
        R"(expected an event ("rank" and "op"), a communicator ("comm" and "ranks") or an end line ("end"))");
  }
}

bool LinesInOrder::add(EventParser& parser, ReadEvent& read, const LineText& line) {
  if (whole_) return false;
  try {
    lines_.add(parser, read, line);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void LinesInOrder::finish(std::size_t number) {
  if (!whole_ && !lines_.any())
    throw InputError(line_.file(), number, 0,
                     fmt::format("the file has a header for {} and nothing else: expected events and an end line",
                                 counted(static_cast<std::uint64_t>(scenario_.world()), "rank")));
  scenario_.cut = !whole_;
  for (RankTrace& rank : scenario_.ranks)
    if (scenario_.cut && !rank.end.stated) rank.end.kind = EndKind::cut;
  lines_.finish();
}

void BlockReader::work() {
  lines_.clear();
  std::size_t parsed = 0;
  each_line(block_, [&](std::string_view text) {
    if (parsed == events_.size()) events_.emplace_back();
    lines_.push_back({text, rank_at_first_sight(text) && parse(text, events_[parsed])});
    if (lines_.back().parsed) ++parsed;
  });
}

bool BlockReader::parse(std::string_view text, ReadEvent& event) {
  try {
    line_.look_at(text, 0);
    parser_.parse(line_, event);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void BlockReader::deliver() {
  std::size_t number = block_.first();
  auto event = events_.begin();
  for (const Line& line : lines_) {
    const bool terminated = block_.terminated() || &line != &lines_.back();
    line_.stand_at(line.text, number);
    if (!terminated || !line.parsed || !all_->add(parser_, *event++, line_)) all_->read(line.text, number, terminated);
    ++number;
  }
}

void EventCounter::work() {
  ranks_.clear();
  each_line(block_, [&](std::string_view text) {
    if (const auto rank = rank_at_first_sight(text)) ranks_.push_back(*rank);
  });
}

void EventCounter::deliver() {
  for (const std::size_t rank : ranks_)
    if (rank < events_->size()) ++(*events_)[rank];
}

}  // namespace petri
