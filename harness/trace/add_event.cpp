// An event takes its place behind those of the lines before it.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "harness/trace/nearest.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {

class EventAdder {
 public:
  EventAdder(LineReader& lines, EventParser& parser, ReadEvent& read, const LineText& line)
      : lines_(lines), scenario_(lines.scenario_), parser_(parser), read_(read), event_(read.event), line_(line) {}

  void add() {
    check_rank();
    check_keys(read_, line_);
    resolve_comm();
    check_arguments(read_, scenario_, line_);
    RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(read_.rank)];
    resolve_seq(trace.events);
    event_.site = parser_.symbol(event_.site, scenario_.symbols);
    if (read_.has(Key::new_)) {
      event_.extras.set_new_comm(comm_named_or_new());
      parser_.share(event_.extras);
    }
    lines_.history_.add(read_, static_cast<std::uint32_t>(trace.events.size()), line_);
    if (read_.has(Key::time_)) trace.set_time(trace.events.size(), read_.time);
    trace.events.push_back(std::move(event_));
  }

 private:
  void check_rank() const {
    if (read_.rank >= scenario_.world())
      line_.fail(read_.at(Key::rank_),
                 fmt::format("\"rank\" must be less than the world of {}, got {}", scenario_.world(), read_.rank));
    if (lines_.ended_[static_cast<std::size_t>(read_.rank)])
      line_.fail(read_.at(Key::rank_), fmt::format("rank {} has ended: no event of it may follow", read_.rank));
  }

  // A window or file stays with the communicator over which it was made.
  void resolve_comm() {
    const EventExtras& extras = event_.extras;
    const bool window = !extras.win().empty();
    if (!window && extras.file().empty()) {  // as with most
      if (read_.has(Key::comm_)) find_comm();
      return;
    }
    const std::pair made{read_.rank, window ? "win " + extras.win() : "file " + extras.file()};
    const bool on_it = !creates(event_.op);
    const auto over = on_it ? lines_.made_over_.find(made) : lines_.made_over_.end();
    if (!read_.has(Key::comm_)) {
      if (over != lines_.made_over_.end()) event_.comm = over->second;
    } else {
      find_comm();
    }
    if (over != lines_.made_over_.end() && over->second != event_.comm)
      line_.fail(read_.at(Key::comm_),
                 fmt::format("\"{}\" was made over the communicator \"{}\"", window ? extras.win() : extras.file(),
                             scenario_.comms[static_cast<std::size_t>(over->second)].name));
    if (creates(event_.op)) lines_.made_over_[made] = event_.comm;
  }

  void find_comm() {
    event_.comm = parser_.comm(read_.comm, scenario_);
    if (event_.comm == kNoComm) fail_unknown_comm();
    if (!lines_.is_member(event_.comm, read_.rank))
      line_.fail(read_.at(Key::comm_),
                 fmt::format("rank {} is no member of the communicator \"{}\"", read_.rank, parser_.text(read_.comm)));
  }

  [[noreturn]] void fail_unknown_comm() const {
    const std::string& name = parser_.text(read_.comm);
    std::vector<std::string_view> names;
    for (const Communicator& comm : scenario_.comms) names.push_back(comm.name);
    const auto meant = nearest(name, names);
    line_.fail(read_.at(Key::comm_), fmt::format("no communicator is called \"{}\"{}", name.substr(0, 100),
                                                 meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
  }

  void resolve_seq(const std::vector<Event>& events) {
    constexpr std::size_t kMostEvents = std::numeric_limits<std::uint32_t>::max();
    if (events.size() > kMostEvents) line_.fail_at_start("expected fewer events of one rank");
    const bool said = read_.has(Key::seq_);
    if (!said) event_.seq = static_cast<std::uint32_t>(events.size());
    if (events.empty() || event_.seq > events.back().seq) return;
    line_.fail(read_.at(said ? Key::seq_ : Key::rank_),
               fmt::format("\"seq\" must rise within rank {}, got {} after {}{}", read_.rank, event_.seq,
                           events.back().seq, said ? "" : " (without it, an event's position counts)"));
  }

  std::int32_t comm_named_or_new() {
    if (const std::int32_t index = parser_.comm(read_.made, scenario_); index != kNoComm) return index;
    Communicator comm;
    comm.name = parser_.text(read_.made);
    comm.known = false;
    lines_.members_.emplace_back();
    return scenario_.add_comm(std::move(comm));
  }

  LineReader& lines_;
  Scenario& scenario_;
  EventParser& parser_;
  ReadEvent& read_;
  Event& event_;
  const LineText& line_;
};

void LineReader::add(EventParser& parser, ReadEvent& read, const LineText& line) {
  EventAdder(*this, parser, read, line).add();
  ++events_;
  any_ = in_events_ = true;
}

void LineReader::event(JsonLine& line) {
  parser_.parse(line, read_);
  add(parser_, read_, line);
}

}  // namespace petri
