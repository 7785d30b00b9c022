#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/trace/event_parser.hpp"
#include "harness/trace/event_words.hpp"
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

Generator read_generator(JsonValue& value) {
  static const std::vector<std::string_view> names(generator_names().begin(), generator_names().end());
  return read_name(value, generator_named, "generator", names);
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
  const std::vector<std::int64_t> numbers = value.wholes(most);
  return {numbers.begin(), numbers.end()};
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

std::vector<std::string> read_texts(JsonValue& value) {
  std::vector<std::string> texts;
  value.each_element([&](JsonValue text) { texts.emplace_back(text.text()); });
  return texts;
}

std::vector<double> read_values(JsonValue& value) {
  std::vector<double> values;
  value.each_element([&](JsonValue number) { values.push_back(number.number()); });
  return values;
}

// The system would read a name up to a NUL, and be given another file.
std::string read_file_name(JsonValue& value) {
  const std::string_view name = value.text();
  if (name.empty() || name.find('\0') != std::string_view::npos) value.reject("the name of a file, without NUL");
  return std::string(name);
}

Fill read_fill(JsonValue& value) {
  Fill fill;
  value.line().fields(value.object(), kFill, nullptr, [&](Key key, JsonValue field) {
    if (key == Key::generator_)
      fill.generator = read_generator(field);
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
    case Key::counts_: extras.set_counts(value.wholes(kMostCount)); return true;
    case Key::sendcounts_: extras.set_sendcounts(value.wholes(kMostCount)); return true;
    case Key::recvcounts_: extras.set_recvcounts(value.wholes(kMostCount)); return true;
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
    case Key::orders_: extras.set_orders(read_texts(value)); return true;
    case Key::values_: extras.set_values(read_values(value)); return true;
    case Key::fill_: extras.set_fill(read_fill(value)); return true;
    case Key::npy_: extras.set_npy(read_file_name(value)); return true;
    default: return false;
  }
}

std::string_view read_new(JsonValue& value) {
  const std::string_view name = value.text();
  if (name.empty() || name == "world") value.reject("the name of a new communicator");
  return name;
}

void read_extra(Key key, JsonValue& value, EventExtras& extras) {
  for (const auto read : {read_sides, read_completion, read_creation, read_memory, read_place, read_record})
    if (read(key, value, extras)) return;
}

}  // namespace

void EventParser::parse(JsonLine& line, ReadEvent& read) {
  read.event = Event{};
  read.rank = 0;
  read.present.reset();
  read.line = line.start();
  FreeKeys free;
  line.fields(kEvent, &free, [&](Key key, JsonValue value) {
    read.present.set(static_cast<std::size_t>(key));
    read.places[static_cast<std::size_t>(key)] = static_cast<std::uint32_t>(value.at() - line.start());
    field(key, value, read);
  });
  if (!free.empty()) read.event.extras.set_free_keys(std::move(free));
  for (const Key key : {Key::rank_, Key::op_})
    if (!read.has(key)) line.fail_at_start(fmt::format("expected an event: \"{}\" is missing", name_of(key)));
  if (!read.has(Key::new_)) share(read.event.extras);
}

EventParser::Meaning& EventParser::meaning_of(std::uint32_t name) {
  if (name >= meanings_.size()) meanings_.resize(names_.size());
  return meanings_[name];
}

std::uint32_t EventParser::symbol(std::uint32_t name, SymbolTable& symbols) {
  if (name == kNoSymbol) return kNoSymbol;
  Meaning& meaning = meaning_of(name);
  if (meaning.symbol == kNoSymbol) meaning.symbol = symbols.intern(text(name));
  return meaning.symbol;
}

std::int32_t EventParser::comm(std::uint32_t name, const Scenario& scenario) {
  Meaning& meaning = meaning_of(name);
  if (meaning.comm == kNoComm) meaning.comm = scenario.find_comm(text(name));
  return meaning.comm;
}

void EventParser::field(Key key, JsonValue& value, ReadEvent& read) {
  Event& event = read.event;
  switch (key) {
    case Key::rank_: read.rank = value.small(); break;
    case Key::op_: event.op = read_name(value, op_named, "operation", op_names()); break;
    case Key::seq_: event.seq = static_cast<std::uint32_t>(value.whole(0, kMostSeq)); break;
    case Key::comm_: read.comm = names_.intern(value.text()); break;
    case Key::new_: read.made = names_.intern(read_new(value)); break;
    case Key::state_: event.state = read_state(value); break;
    case Key::dtype_: event.dtype = read_type(value); break;
    case Key::reduce_: event.reduce = read_reduce(value); break;
    case Key::peer_: event.peer = read_peer(value); break;
    case Key::tag_: event.tag = read_tag(value); break;
    case Key::root_: event.root = value.small_or({{"root", kRootHere}, {"null", kNull}}); break;
    case Key::matched_: event.extras.set_matched(value.small_or({{"null", kNull}})); break;
    case Key::count_: event.count = value.whole(); break;
    case Key::time_: read.time = value.number(); break;
    case Key::step_: event.step = value.small(); break;
    case Key::microbatch_: event.microbatch = value.small(); break;
    case Key::site_: event.site = names_.intern(value.text()); break;
    case Key::request_: event.request = static_cast<std::uint32_t>(value.whole(0, kMostRequest)); break;
    case Key::coll_seq_: event.extras.set_coll_seq(value.small()); break;
    case Key::flag_: event.flag = read_flag(value) ? 1 : 0; break;
    default: read_extra(key, value, event.extras); break;
  }
}

}  // namespace petri
