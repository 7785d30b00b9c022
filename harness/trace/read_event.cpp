#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/trace/event_words.hpp"
#include "harness/trace/nearest.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {
namespace {

constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostRequest = kNoRequest - 1;
constexpr std::int64_t kMostSeq = std::numeric_limits<std::uint32_t>::max();

const std::vector<std::string_view>& op_names() {
  static const std::vector<std::string_view> names{
#define PETRI_OP(name, kind, family, form, traits) #name,
#include "harness/trace/op.inc"
#undef PETRI_OP
  };
  return names;
}

template <class Enum>
std::vector<std::string_view> names_up_to(Enum last) {
  std::vector<std::string_view> names;
  for (int i = 1; i <= static_cast<int>(last); ++i) names.push_back(name_of(static_cast<Enum>(i)));
  return names;
}

ElementType read_type(JsonValue& value) {
  static const auto names = names_up_to(ElementType::longdouble_int);
  return read_name(value, element_type_named, "element type", names);
}

ReduceOp read_reduce(JsonValue& value) {
  static const auto names = names_up_to(ReduceOp::user);
  return read_name(value, reduce_op_named, "reduction", names);
}

EventState read_state(JsonValue& value) {
  static const std::vector<std::string_view> names{"scheduled", "started", "completed"};
  const auto find = [](std::string_view text) -> std::optional<EventState> {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return std::nullopt;
    return static_cast<EventState>(found - names.begin() + 1);
  };
  return read_name(value, find, "state", names);
}

bool read_flag(JsonValue& value) {
  if (value.at()[0] == 't' || value.at()[0] == 'f') return value.truth();
  return value.whole(0, 1) != 0;
}

std::int32_t read_peer(JsonValue& value) {
  return value.small_or({{"any", kAny}, {"null", kNull}});
}

std::int32_t read_tag(JsonValue& value) {
  return value.small_or({{"any", kAny}});
}

template <class Integer>
std::vector<Integer> read_numbers(JsonValue& value, std::int64_t most) {
  constexpr std::size_t kUsual = 16;
  std::vector<Integer> numbers;
  numbers.reserve(kUsual);
  value.each_element([&](JsonValue number) { numbers.push_back(static_cast<Integer>(number.whole(0, most))); });
  return numbers;
}

Summary read_summary(JsonValue& value) {
  Summary summary;
  value.line().fields(value.object(), kSummary, nullptr, [&](Key key, JsonValue field) {
    switch (key) {
      case Key::digest_: summary.digest = field.text(); break;
      case Key::min_: summary.min = field.number(); break;
      case Key::max_: summary.max = field.number(); break;
      case Key::sum_: summary.sum = field.number(); break;
      case Key::norm_: summary.norm = field.number(); break;
      case Key::nan_: summary.nan = field.natural(); break;
      case Key::inf_: summary.inf = field.natural(); break;
      default: break;
    }
  });
  return summary;
}

std::vector<double> read_values(JsonValue& value) {
  std::vector<double> values;
  value.each_element([&](JsonValue number) { values.push_back(number.number()); });
  return values;
}

Fill read_fill(JsonValue& value) {
  Fill fill;
  value.line().fields(value.object(), kFill, nullptr, [&](Key key, JsonValue field) {
    if (key == Key::generator_)
      fill.generator = field.text();
    else if (key == Key::seed_)
      fill.seed = field.natural();
    else if (key == Key::scale_)
      fill.scale = field.number();
  });
  return fill;
}

// Arguments that few events have, by subject. Each function says whether the key was one of its own.
bool read_sides(Key key, JsonValue& value, EventExtras& extras) {
  constexpr auto kMostCount = std::numeric_limits<std::int64_t>::max();
  switch (key) {
    case Key::counts_: extras.set_counts(read_numbers<std::int64_t>(value, kMostCount)); return true;
    case Key::sendcounts_: extras.set_sendcounts(read_numbers<std::int64_t>(value, kMostCount)); return true;
    case Key::recvcounts_: extras.set_recvcounts(read_numbers<std::int64_t>(value, kMostCount)); return true;
    case Key::sendpeer_: extras.set_sendpeer(read_peer(value)); return true;
    case Key::recvpeer_: extras.set_recvpeer(read_peer(value)); return true;
    case Key::sendtag_: extras.set_sendtag(read_tag(value)); return true;
    case Key::recvtag_: extras.set_recvtag(read_tag(value)); return true;
    case Key::sendcount_: extras.set_sendcount(value.whole()); return true;
    case Key::recvcount_: extras.set_recvcount(value.whole()); return true;
    case Key::sendtype_: extras.set_sendtype(read_type(value)); return true;
    case Key::recvtype_: extras.set_recvtype(read_type(value)); return true;
    default: return false;
  }
}

bool read_completion(Key key, JsonValue& value, EventExtras& extras) {
  switch (key) {
    case Key::requests_: extras.set_requests(read_numbers<std::uint32_t>(value, kMostRequest)); return true;
    case Key::indices_: extras.set_indices(read_numbers<std::uint32_t>(value, kMost32)); return true;
    case Key::index_: extras.set_index(value.small_or({{"null", kNull}})); return true;
    case Key::message_: extras.set_message(value.whole()); return true;
    case Key::polls_: extras.set_polls(value.natural()); return true;
    case Key::partitions_: extras.set_partitions(value.small()); return true;
    default: return false;
  }
}

std::vector<std::int32_t> read_neighbours(JsonValue& value) {
  std::vector<std::int32_t> neighbours;
  value.each_element([&](JsonValue rank) { neighbours.push_back(rank.small_or({{"null", kNull}})); });
  return neighbours;
}

bool read_creation(Key key, JsonValue& value, EventExtras& extras) {
  switch (key) {
    case Key::sources_: extras.set_sources(read_neighbours(value)); return true;
    case Key::destinations_: extras.set_destinations(read_neighbours(value)); return true;
    case Key::dims_: extras.set_dims(read_numbers<std::int32_t>(value, kMost32)); return true;
    case Key::periods_: extras.set_periods(read_numbers<std::int32_t>(value, 1)); return true;
    case Key::ranks_: extras.set_ranks(read_numbers<std::int32_t>(value, kMost32)); return true;
    case Key::color_: extras.set_color(value.small_or({{"null", kNull}})); return true;
    case Key::key_: extras.set_key(value.small(std::numeric_limits<std::int32_t>::min())); return true;
    case Key::remote_: extras.set_remote(std::string(value.text())); return true;
    default: return false;
  }
}

// The name that the ranks have given to something.
std::string read_label(JsonValue& value, const char* what) {
  std::string name(value.text());
  if (name.empty()) value.reject(fmt::format("the name of {}", what));
  return name;
}

// One of `names`, or with several allowed a list of them: "create,wronly".
std::string read_words(JsonValue& value, const char* what, std::span<const std::string_view> names, bool several) {
  const std::string_view text = value.text();
  for (std::string_view rest = text;;) {
    const std::size_t comma = several ? rest.find(',') : std::string_view::npos;
    const std::string_view word = rest.substr(0, comma);
    if (std::find(names.begin(), names.end(), word) == names.end()) fail_unknown_name(value, word, what, names);
    if (comma == std::string_view::npos) return std::string(text);
    rest.remove_prefix(comma + 1);
  }
}

Buffer read_buffer(JsonValue& value) {
  std::vector<std::uint64_t> ends;
  value.each_element([&](JsonValue number) { ends.push_back(number.natural()); });
  if (ends.size() != 2 || ends[0] + ends[1] < ends[0]) value.reject("an address and a number of bytes");
  return {ends[0], ends[1]};
}

bool read_memory(Key key, JsonValue& value, EventExtras& extras) {
  switch (key) {
    case Key::win_: extras.set_win(read_label(value, "a window")); return true;
    case Key::lock_: extras.set_lock(read_words(value, "lock", kLockWords, false)); return true;
    case Key::assert_: extras.set_assertions(read_words(value, "assertion", kAssertionWords, true)); return true;
    case Key::disp_: extras.set_disp(value.whole()); return true;
    case Key::file_: extras.set_file(read_label(value, "a file")); return true;
    case Key::path_: extras.set_path(std::string(value.text())); return true;
    case Key::mode_: extras.set_mode(read_words(value, "access mode", kModeWords, true)); return true;
    case Key::sendbuffer_: extras.set_sendbuffer(read_buffer(value)); return true;
    case Key::recvbuffer_: extras.set_recvbuffer(read_buffer(value)); return true;
    default: return false;
  }
}

bool read_place(Key key, JsonValue& value, EventExtras& extras) {
  switch (key) {
    case Key::target_: extras.set_target(value.small_or({{"null", kNull}})); return true;
    case Key::stream_: extras.set_stream(value.scalar_text()); return true;
    case Key::event_: extras.set_event(value.scalar_text()); return true;
    case Key::thread_: extras.set_thread(value.small()); return true;
    case Key::device_: extras.set_device(value.small()); return true;
    default: return false;
  }
}

bool read_record(Key key, JsonValue& value, EventExtras& extras) {
  switch (key) {
    case Key::category_: extras.set_category(std::string(value.text())); return true;
    case Key::value_: extras.set_value(value.scalar_text()); return true;
    case Key::error_: extras.set_error(value.scalar_text()); return true;
    case Key::in_: extras.set_in(read_summary(value)); return true;
    case Key::out_: extras.set_out(read_summary(value)); return true;
    case Key::values_: extras.set_values(read_values(value)); return true;
    case Key::fill_: extras.set_fill(read_fill(value)); return true;
    case Key::npy_: extras.set_npy(std::string(value.text())); return true;
    default: return false;
  }
}

void read_extra(Key key, JsonValue& value, EventExtras& extras) {
  for (const auto read : {read_sides, read_completion, read_creation, read_memory, read_place, read_record})
    if (read(key, value, extras)) return;
}

}  // namespace

// Reads one event: first every field as it comes, then what fields say about each other.
class EventReader {
 public:
  EventReader(LineReader& lines, JsonLine& line) : lines_(lines), scenario_(lines.scenario_), line_(line) {}

  void read() {
    FreeKeys free;
    line_.fields(kEvent, &free, [&](Key key, JsonValue value) { field(key, value); });
    if (!free.empty()) event_.extras.set_free_keys(std::move(free));
    for (const Key key : {Key::rank_, Key::op_})
      if (!has(key)) line_.fail_at_start(fmt::format("expected an event: \"{}\" is missing", name_of(key)));
    check_rank();
    check_keys(read_, line_);
    resolve_comm();
    check_arguments(read_, scenario_, line_);
    resolve_seq();
    if (has(Key::new_)) event_.extras.set_new_comm(comm_named_or_new(new_));
    lines_.history_.add(read_, line_);
    lines_.extras_.share(event_.extras);
    RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(rank_)];
    if (has(Key::time_)) trace.set_time(trace.events.size(), time_);
    trace.events.push_back(std::move(event_));
  }

 private:
  bool has(Key key) const { return at(key) != nullptr; }
  const char* at(Key key) const { return read_.at(key); }

  void field(Key key, JsonValue& value) {
    read_.places[static_cast<std::size_t>(key)] = value.at();
    read_.present.set(static_cast<std::size_t>(key));
    switch (key) {
      case Key::rank_: rank_ = value.small(); break;
      case Key::op_: event_.op = read_name(value, op_named, "operation", op_names()); break;
      case Key::seq_: event_.seq = static_cast<std::uint32_t>(value.whole(0, kMostSeq)); break;
      case Key::comm_: comm_ = value.text(); break;
      case Key::new_: new_ = read_new(value); break;
      case Key::state_: event_.state = read_state(value); break;
      case Key::dtype_: event_.dtype = read_type(value); break;
      case Key::reduce_: event_.reduce = read_reduce(value); break;
      case Key::peer_: event_.peer = read_peer(value); break;
      case Key::tag_: event_.tag = read_tag(value); break;
      case Key::root_: event_.root = value.small_or({{"root", kRootHere}, {"null", kNull}}); break;
      case Key::matched_: event_.extras.set_matched(value.small_or({{"null", kNull}})); break;
      case Key::count_: event_.count = value.whole(); break;
      case Key::time_: time_ = value.number(); break;
      case Key::step_: event_.step = value.small(); break;
      case Key::microbatch_: event_.microbatch = value.small(); break;
      case Key::site_: event_.site = scenario_.symbols.intern(value.text()); break;
      case Key::request_: event_.request = static_cast<std::uint32_t>(value.whole(0, kMostRequest)); break;
      case Key::coll_seq_: event_.extras.set_coll_seq(value.small()); break;
      case Key::flag_: event_.flag = read_flag(value) ? 1 : 0; break;
      default: read_extra(key, value, event_.extras); break;
    }
  }

  static std::string read_new(JsonValue& value) {
    std::string name(value.text());
    if (name.empty() || name == "world") value.reject("the name of a new communicator");
    return name;
  }

  void check_rank() {
    if (rank_ >= scenario_.world())
      line_.fail(at(Key::rank_),
                 fmt::format("\"rank\" must be less than the world of {}, got {}", scenario_.world(), rank_));
    if (lines_.ended_[static_cast<std::size_t>(rank_)])
      line_.fail(at(Key::rank_), fmt::format("rank {} has ended: no event of it may follow", rank_));
  }

  // A window or file stays with the communicator over which it was made.
  void resolve_comm() {
    const EventExtras& extras = event_.extras;
    const bool window = !extras.win().empty();
    if (!window && extras.file().empty()) {  // as with most
      if (has(Key::comm_)) find_comm();
      return;
    }
    const std::pair made{rank_, window ? "win " + extras.win() : "file " + extras.file()};
    const bool on_it = !creates(event_.op);
    const auto over = on_it ? lines_.made_over_.find(made) : lines_.made_over_.end();
    if (!has(Key::comm_)) {
      if (over != lines_.made_over_.end()) event_.comm = over->second;
    } else {
      find_comm();
    }
    if (over != lines_.made_over_.end() && over->second != event_.comm)
      line_.fail(at(Key::comm_),
                 fmt::format("\"{}\" was made over the communicator \"{}\"", window ? extras.win() : extras.file(),
                             scenario_.comms[static_cast<std::size_t>(over->second)].name));
    if (creates(event_.op)) lines_.made_over_[made] = event_.comm;
  }

  void find_comm() {
    event_.comm = scenario_.find_comm(comm_);
    if (event_.comm == kNoComm) fail_unknown_comm();
    if (!lines_.is_member(event_.comm, rank_))
      line_.fail(at(Key::comm_), fmt::format("rank {} is no member of the communicator \"{}\"", rank_, comm_));
  }

  [[noreturn]] void fail_unknown_comm() {
    std::vector<std::string_view> names;
    for (const Communicator& comm : scenario_.comms) names.push_back(comm.name);
    const auto meant = nearest(comm_, names);
    line_.fail(at(Key::comm_), fmt::format("no communicator is called \"{}\"{}", comm_.substr(0, 100),
                                           meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
  }

  void resolve_seq() {
    const auto& events = scenario_.ranks[static_cast<std::size_t>(rank_)].events;
    if (events.size() > static_cast<std::size_t>(kMostSeq)) line_.fail_at_start("expected fewer events of one rank");
    if (!has(Key::seq_)) event_.seq = static_cast<std::uint32_t>(events.size());
    if (events.empty() || event_.seq > events.back().seq) return;
    const char* place = has(Key::seq_) ? at(Key::seq_) : at(Key::rank_);
    line_.fail(place,
               fmt::format("\"seq\" must rise within rank {}, got {} after {}{}", rank_, event_.seq, events.back().seq,
                           has(Key::seq_) ? "" : " (without it, an event's position counts)"));
  }

  std::int32_t comm_named_or_new(const std::string& name) {
    if (const std::int32_t index = scenario_.find_comm(name); index != kNoComm) return index;
    Communicator comm;
    comm.name = name;
    comm.known = false;
    lines_.members_.emplace_back();
    return scenario_.add_comm(std::move(comm));
  }

  LineReader& lines_;
  Scenario& scenario_;
  JsonLine& line_;
  ReadEvent read_;
  Event& event_ = read_.event;
  std::int32_t& rank_ = read_.rank;
  double time_ = 0;
  std::string comm_, new_;
};

void LineReader::event(JsonLine& line) {
  EventReader(*this, line).read();
  ++events_;
  any_ = in_events_ = true;
}

}  // namespace petri
