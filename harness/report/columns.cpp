#include "harness/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/report/place_of_failure.hpp"
#include "harness/report/text.hpp"

namespace petri {
namespace {

constexpr std::size_t kNarrowest = 14;  // a column
constexpr std::size_t kGutter = 7;      // the column of sequence numbers
constexpr std::size_t kGap = 2;
constexpr std::string_view kMark = "▶ ";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

struct Cell {
  std::string text;
  std::int64_t seq = -1;  // none: no event here
  bool blocked = false;
  bool operator==(const Cell&) const = default;
};

// What one or several ranks did, row by row.
struct Column {
  std::vector<std::int32_t> ranks;
  std::vector<Cell> cells;
  std::size_t width = kNarrowest;
  bool culprit = false;
  bool blocked = false;
};

std::string end_text(const RankEnd& end) {
  switch (end.kind) {
    case EndKind::finalized: return end.stated ? "finalized" : "(end)";
    case EndKind::exited: return "exited without finalize";
    case EndKind::aborted: return "aborted";
    case EndKind::signal: return end.signal != 0 ? fmt::format("killed by signal {}", end.signal) : "killed";
    case EndKind::running: return "still running";
    case EndKind::cut: return "record is cut here";
    case EndKind::missing: return "no record of this rank";
  }
  return "";
}

// The site's last part: paths are long and columns narrow.
std::string_view short_site(std::string_view site) {
  return site.substr(site.find_last_of('/') + 1);
}

std::string cell_text(const Scenario& scenario, const Event& event, std::int32_t rank) {
  std::string text = printable_line(describe(scenario, event, rank));
  if (event.site != kNoSymbol) text += fmt::format(" {}", printable_line(short_site(scenario.site_of(event))));
  return text;
}

class Table {
 public:
  Table(const Scenario& scenario, const Diagnosis& diagnosis, const ColumnOptions& options)
      : scenario_(scenario), diagnosis_(diagnosis), options_(options), place_(place_of_failure(scenario, diagnosis)) {
    choose_rows();
    choose_columns();
  }

  std::string render() {
    const std::size_t shown = fit();
    std::string out = title(shown);
    for (std::size_t row = 0; row < rows(); ++row) out += line(row, shown);
    if (shown < columns_.size()) out += rest(shown);
    return out;
  }

 private:
  std::size_t rows() const { return before_ + 1 + after_; }

  std::vector<std::int32_t> wanted() const {
    if (!options_.ranks.empty()) return options_.ranks;
    std::vector<std::int32_t> ranks(scenario_.ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int32_t>(i);
    return ranks;
  }

  // Rows before and after the place of failure, no more than some rank has events for.
  void choose_rows() {
    std::size_t most_before = 0;
    std::size_t most_after = 0;
    for (const std::int32_t rank : wanted()) {
      const auto r = static_cast<std::size_t>(rank);
      const std::size_t size = scenario_.ranks[r].events.size();
      most_before = std::max(most_before, place_[r]);
      most_after = std::max(most_after, size - std::min(size, place_[r]));  // one more than events: the end
    }
    before_ = options_.all ? most_before : std::min(most_before, options_.around);
    after_ = options_.all ? most_after : std::min(most_after, options_.around);
  }

  Cell cell(std::int32_t rank, std::size_t row) const {
    const auto r = static_cast<std::size_t>(rank);
    const RankTrace& trace = scenario_.ranks[r];
    if (place_[r] + row < before_) return {};
    const std::size_t index = place_[r] + row - before_;
    if (index == trace.events.size()) return {at_end(r), -1, is_blocked_in(r, index)};
    if (index > trace.events.size()) return {};
    const Event& event = trace.events[index];
    return {cell_text(scenario_, event, rank), event.seq, is_blocked_in(r, index)};
  }

  std::string at_end(std::size_t rank) const {
    const RankTrace& trace = scenario_.ranks[rank];
    return is_blocked_in(rank, trace.events.size()) ? "finalize" : end_text(trace.end);
  }

  bool is_blocked_in(std::size_t rank, std::size_t index) const {
    return rank < diagnosis_.blocked.size() && diagnosis_.blocked[rank] == static_cast<std::uint32_t>(index);
  }

  // A rank that is blocked far behind the place of failure says so in its last row.
  void add_far_block(std::int32_t rank, Column& column) const {
    const auto r = static_cast<std::size_t>(rank);
    if (r >= diagnosis_.blocked.size() || !diagnosis_.blocked[r]) return;
    const std::size_t index = *diagnosis_.blocked[r];
    column.blocked = true;
    if (index <= place_[r] + after_) return;
    const Event* event = event_of(scenario_, {rank, static_cast<std::uint32_t>(index)});
    column.cells.back() = {"… " + (event != nullptr ? cell_text(scenario_, *event, rank) : at_end(r)),
                           event != nullptr ? event->seq : -1, true};
  }

  void choose_columns() {
    const auto& findings = diagnosis_.findings;
    std::vector<std::int32_t> culprits = findings.empty() ? std::vector<std::int32_t>{} : findings.front().culprits;
    std::sort(culprits.begin(), culprits.end());
    std::map<std::string, std::size_t> index;
    for (const std::int32_t rank : wanted()) {
      Column column;
      column.culprit = std::binary_search(culprits.begin(), culprits.end(), rank);
      for (std::size_t row = 0; row < rows(); ++row) column.cells.push_back(cell(rank, row));
      add_far_block(rank, column);
      std::string form = column.culprit ? "culprit" : "";
      for (const Cell& c : column.cells) form += fmt::format("\n{} {} {}", c.seq, c.blocked, c.text);
      const auto [place, fresh] = index.try_emplace(form, columns_.size());
      if (fresh) columns_.push_back(std::move(column));
      columns_[place->second].ranks.push_back(rank);
    }
    std::stable_sort(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) {
      return std::tuple(!a.culprit, !a.blocked) < std::tuple(!b.culprit, !b.blocked);
    });
  }

  // How many columns fit; sets their widths. Sequence numbers move into the gutter where all columns agree.
  std::size_t fit() {
    same_seq_ = true;
    for (const Column& column : columns_)
      for (std::size_t row = 0; row < rows(); ++row) same_seq_ = same_seq_ && seq_fits(column, row);
    for (Column& column : columns_) {
      column.width = std::max(kNarrowest, columns_of(heading(column)));
      for (const Cell& c : column.cells) column.width = std::max(column.width, columns_of(shown_text(c)));
    }
    if (options_.all || !options_.ranks.empty()) return columns_.size();
    const std::size_t room = options_.width > kGutter ? options_.width - kGutter : 0;
    const std::size_t at_narrowest = std::max<std::size_t>(1, room / (kNarrowest + 8 + kGap));
    const std::size_t shown = std::min(columns_.size(), at_narrowest);
    share(room > shown * kGap ? room - shown * kGap : 0, shown);
    return shown;
  }

  // Columns that need less than an equal share of the room leave the rest to the others.
  void share(std::size_t room, std::size_t shown) {
    std::vector<Column*> by_width;
    for (std::size_t i = 0; i < shown; ++i) by_width.push_back(&columns_[i]);
    std::stable_sort(by_width.begin(), by_width.end(),
                     [](const Column* a, const Column* b) { return a->width < b->width; });
    for (std::size_t i = 0; i < shown; ++i) {
      by_width[i]->width = std::min(by_width[i]->width, std::max(kNarrowest, room / (shown - i)));
      room -= std::min(room, by_width[i]->width);
    }
  }

  bool seq_fits(const Column& column, std::size_t row) {
    const std::int64_t seq = column.cells[row].seq;
    if (seq < 0) return true;
    const auto [known, fresh] = row_seq_.try_emplace(row, seq);
    return fresh || known->second == seq;
  }

  static std::string heading(const Column& column) {
    return fmt::format("{}{}{}", column.ranks.size() == 1 ? "rank " : "ranks ", rank_ranges(column.ranks),
                       column.culprit ? " (culprit)" : "");
  }

  std::string shown_text(const Cell& cell) const {
    if (cell.text.empty()) return "";
    const std::string_view mark = cell.blocked ? kMark : "  ";
    if (cell.seq < 0) return fmt::format("{}— {} —", mark, cell.text);
    return same_seq_ ? fmt::format("{}{}", mark, cell.text) : fmt::format("{}#{} {}", mark, cell.seq, cell.text);
  }

  // Exactly the column's width: cut with an ellipsis or filled up.
  static std::string fitted(const std::string& text, std::size_t width) {
    const std::size_t size = columns_of(text);
    if (size <= width) return text + std::string(width - size, ' ');
    std::string out;
    std::size_t taken = 0;
    for (const char c : text) {
      if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U && ++taken == width) break;
      out += c;
    }
    return out + "…";
  }

  std::string coloured(const std::string& text, std::string_view colour) const {
    return options_.colour ? fmt::format("{}{}{}", colour, text, kPlain) : text;
  }

  static std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  }

  std::string title(std::size_t shown) const {
    std::string out(kGutter, ' ');
    for (std::size_t i = 0; i < shown; ++i)
      out += coloured(fitted(heading(columns_[i]), columns_[i].width), columns_[i].culprit ? kRed : kBold) +
             std::string(kGap, ' ');
    return trimmed(out);
  }

  std::string line(std::size_t row, std::size_t shown) const {
    std::string gutter;
    if (const auto seq = row_seq_.find(row); same_seq_ && seq != row_seq_.end()) gutter = std::to_string(seq->second);
    std::string out = fmt::format("{:>{}}  ", gutter, kGutter - 2);
    for (std::size_t i = 0; i < shown; ++i) {
      const Cell& c = columns_[i].cells[row];
      const std::string text = fitted(shown_text(c), columns_[i].width);
      out += (c.blocked ? coloured(text, kRed) : text) + std::string(kGap, ' ');
    }
    return trimmed(out);
  }

  std::string rest(std::size_t shown) const {
    std::vector<std::int32_t> hidden;
    for (std::size_t i = shown; i < columns_.size(); ++i)
      hidden.insert(hidden.end(), columns_[i].ranks.begin(), columns_[i].ranks.end());
    std::sort(hidden.begin(), hidden.end());
    const std::size_t more = columns_.size() - shown;
    return fmt::format(
        "\nNot shown: {} more column{}, rank{} {}. Choose with --ranks, or show everything with --all.\n", more,
        more == 1 ? "" : "s", hidden.size() == 1 ? "" : "s", rank_ranges(hidden));
  }

  const Scenario& scenario_;
  const Diagnosis& diagnosis_;
  const ColumnOptions& options_;
  std::vector<std::size_t> place_;  // by rank
  std::size_t before_ = 0, after_ = 0;
  std::vector<Column> columns_;
  std::map<std::size_t, std::int64_t> row_seq_;
  bool same_seq_ = true;
};

}  // namespace

std::string render_columns(const Scenario& scenario, const Diagnosis& diagnosis, const ColumnOptions& options) {
  return Table(scenario, diagnosis, options).render();
}

}  // namespace petri
