#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/import/nccl_ras.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

using Value = simdjson::ondemand::value;
using Object = simdjson::ondemand::object;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;
constexpr std::size_t kDeepest = 64;  // of brackets within brackets

// NCCL 2.28 leaves out one comma, behind a member of what it says of a missing rank (jsonWriteMissingRank): a value, a
// newline and another key. Puts it there; returns how often.
std::size_t mend(std::string& text) {
  std::size_t mended = 0, begin = 0;
  std::string whole;
  const auto missing = text.find("\"missing_ranks\"");
  for (std::size_t at = missing == std::string::npos ? text.size() : text.find('\n', missing); at < text.size();
       at = text.find('\n', at + 1)) {
    std::size_t last = at;
    while (last > begin && (text[last - 1] == ' ' || text[last - 1] == '\r')) --last;
    const char ends = last > begin ? text[last - 1] : ',';
    const std::size_t next = text.find_first_not_of(" \r\n\t", at);
    const bool value = ends == '"' || ends == '}' || (ends >= '0' && ends <= '9') || ends == 'e';
    if (!value || next == std::string::npos || text[next] != '"') continue;
    whole.append(text, begin, last - begin);
    whole += ',';
    begin = last;
    ++mended;
  }
  if (mended == 0) return 0;
  whole.append(text, begin, text.size() - begin);
  text = std::move(whole);
  return mended;
}

// Of a report that breaks off, keeps what stands before the end of the last whole rank, or communicator, and closes
// what is open there. False where it does not break off, or before the first rank's end.
bool close_where_it_breaks_off(std::string& text) {
  constexpr std::size_t kAroundComm = 2, kAroundRank = 4;  // brackets that are open behind one
  std::string open, open_there;                            // the brackets that will close them
  std::size_t kept = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      in_text = c != '"';
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '{' || c == '[') open += c == '{' ? '}' : ']';
    if (open.size() > kDeepest) return false;
    if (c != '}' && c != ']') continue;
    if (open.empty() || open.back() != c) return false;
    open.pop_back();
    if (c == '}' && (open.size() == kAroundComm || open.size() == kAroundRank)) {
      kept = at + 1;
      open_there = open;
    }
  }
  if (kept == 0 || (open.empty() && !in_text)) return false;
  text.resize(kept);
  text.append(open_there.rbegin(), open_there.rend());
  return true;
}

class Reader {
 public:
  Reader(const std::string& file, std::string text) : file_(file), text_(std::move(text)) {}

  RasReport read() {
    if (walks()) return std::move(report_);
    std::string as_it_was = text_;
    const bool mended = mend(text_) > 0;
    const bool whole = mended && walks();
    report_.cut = !whole && close_where_it_breaks_off(text_) && walks();
    if (!whole && !report_.cut) {
      text_ = std::move(as_it_was);
      fail_where_it_stops();
    }
    if (mended)
      report_.facts.push_back("a comma is missing in the JSON, as NCCL 2.28 writes it: read as if it were there");
    if (report_.cut) report_.warnings.push_back(file_ + ": breaks off; the ranks of which it tells all are used");
    return std::move(report_);
  }

 private:
  bool walks() {
    report_ = {};
    try {
      walk();
    } catch (const simdjson::simdjson_error&) {
      return false;
    }
    return true;
  }

  [[noreturn]] void fail_where_it_stops() {
    simdjson::error_code error = simdjson::TAPE_ERROR;
    try {
      walk();
    } catch (const simdjson::simdjson_error& problem) {
      error = problem.error();
    }
    fail(error);
  }

  [[noreturn]] void fail(simdjson::error_code error) {
    const char* place = nullptr;
    if (!begun_ || document_.current_location().get(place) != simdjson::SUCCESS) place = nullptr;
    reject(place, fmt::format("cannot be parsed: {}", simdjson::error_message(error)));
  }

  [[noreturn]] void reject(const char* place, const std::string& reason) const {
    std::size_t line = 0, column = 0;
    const char* const begin = text_.data();
    if (place != nullptr && place >= begin && place <= begin + text_.size()) {
      const std::string_view before(begin, static_cast<std::size_t>(place - begin));
      line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
      column = before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
    }
    throw InputError(file_, line, column, reason);
  }

  void walk() {
    text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
    begun_ = false;
    document_ = parser_.iterate(text_.data(), text_.size(), text_.capacity());
    begun_ = true;
    for (auto field : document_.get_object()) {
      const std::string_view key = field.unescaped_key();
      if (key == "nccl_version" || key == "rccl_version")
        report_.version = std::string_view(field.value().get_string());
      if (key == "timestamp") report_.time = std::string_view(field.value().get_string());
      if (key != "communicators") continue;
      for (auto comm : field.value().get_array()) take_comm(comm.get_object());
    }
    if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS)
      throw simdjson::simdjson_error(simdjson::TAPE_ERROR);
  }

  std::int32_t small(Value value) {
    const char* const place = value.raw_json_token().data();
    std::int64_t number = 0;
    if (value.get_int64().get(number) != simdjson::SUCCESS || number != static_cast<std::int32_t>(number))
      reject(place, "a whole number of 32 bits was expected");
    return static_cast<std::int32_t>(number);
  }

  void take_comm(Object object) {
    RasComm& comm = report_.comms.emplace_back();
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "hash") take_hash(field.value(), comm);
      if (key == "size") comm.size = small(field.value());
      if (key != "ranks" && key != "missing_ranks") continue;
      const bool missing = key == "missing_ranks";
      for (auto rank : field.value().get_array()) take_rank(rank.get_object(), missing, comm);
    }
    for (const RasRank& rank : comm.ranks)
      if (rank.rank < 0 || rank.rank >= comm.size)
        reject(nullptr, fmt::format("communicator {}: no rank {} is in a size of {}", comm.hash, rank.rank, comm.size));
  }

  void take_hash(Value value, RasComm& comm) {
    const char* const place = value.raw_json_token().data();
    comm.hash = std::string_view(value.get_string());
    const std::string_view digits = std::string_view(comm.hash).substr(comm.hash.starts_with("0x") ? 2 : 0);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), comm.number, 16);
    if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
      reject(place, "a hash in hexadecimal was expected");
  }

  void take_rank(Object object, bool missing, RasComm& comm) {
    RasRank& rank = comm.ranks.emplace_back();
    rank.missing = missing;
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "rank") rank.rank = small(field.value());
      if (key == "host") rank.host = std::string_view(field.value().get_string());
      if (key == "pid") rank.pid = small(field.value());
      if (key == "cuda_dev") rank.device = small(field.value());
      if (key == "status") take_status(field.value().get_object(), rank);
      if (key != "collective_counts") continue;
      for (auto count : field.value().get_object()) {
        const std::string_view kind = count.unescaped_key();
        rank.counts[std::string(kind)] = count.value().get_uint64();
      }
    }
  }

  void take_status(Object object, RasRank& rank) {
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "init_state") rank.init_state = small(field.value());
      if (key == "async_error") rank.async_error = small(field.value());
      if (key == "abort_flag") rank.aborted = field.value().get_bool();
      if (key == "finalize_called" || key == "destroy_flag")
        rank.finalized = rank.finalized || field.value().get_bool();
      if (key != "unresponsive" && key != "considered_dead") continue;
      const bool is_it = field.value().get_bool();
      rank.silent = rank.silent || is_it;
      rank.dead = rank.dead || (is_it && key == "considered_dead");
    }
  }

  const std::string& file_;
  std::string text_;
  RasReport report_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  bool begun_ = false;  // the document knows a place: its bytes are text in UTF-8
};

}  // namespace

bool is_ras_json(const TraceFile& file) {
  const std::string_view head(file.head);
  return head.starts_with('{') && head.find("ccl_version\"") != std::string_view::npos &&
         head.find("\"communicators\"") != std::string_view::npos;
}

RasReport read_ras_json(const TraceFile& file) {
  return Reader(file.name, read_whole(file, kMostBytes)).read();
}

}  // namespace petri
