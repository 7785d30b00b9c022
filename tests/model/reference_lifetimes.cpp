// Is a call made on an object that the calls before it leave in no state for it? From each call one looks back to the
// latest call on its object that tells.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "tests/model/reference.hpp"

namespace petri::test {
namespace {

class RankReader {
 public:
  explicit RankReader(const std::vector<Event>& events) : events_(events) {}

  bool uses_wrongly() const {
    for (std::size_t at = 0; at < events_.size(); ++at)
      if (is_wrong(at)) return true;
    return leaves_split_open();
  }

 private:
  using Test = std::function<bool(const Event&)>;

  // The latest event before `at` that passes.
  const Event* latest(std::size_t at, const Test& test) const {
    while (at-- > 0)
      if (test(events_[at])) return &events_[at];
    return nullptr;
  }

  bool is_wrong(std::size_t at) const {
    const Event& event = events_[at];
    switch (kind_of(event.op)) {
      case OpKind::start: {
        const auto all = event.request == kNoRequest ? event.extras.requests() : std::vector{event.request};
        return std::any_of(all.begin(), all.end(), [&](std::uint32_t one) { return is_wrong_start(at, one); });
      }
      case OpKind::partition: return is_wrong_mark(at);
      case OpKind::request: return is_wrong_end(at);
      case OpKind::recv:
        if (event.op == Op::mrecv || event.op == Op::imrecv) return is_wrong_fetch(at);
        return is_gone(at);
      case OpKind::send:
      case OpKind::sendrecv:
      case OpKind::probe:
      case OpKind::collective:
      case OpKind::comm_create:
      case OpKind::comm_free: return is_gone(at);
      case OpKind::file: return is_wrong_on_file(at);
      case OpKind::window: return creates(event.op) ? is_gone(at) : is_wrong_on_window(at);
      case OpKind::rma: return is_wrong_on_window(at);
      default: return false;
    }
  }

  // On a window or file that this rank makes only later.
  bool is_before_its_creation(std::size_t at) const {
    const auto makes = [&](const Event& other) {
      return creates(other.op) && other.extras.win() == events_[at].extras.win() &&
             other.extras.file() == events_[at].extras.file();
    };
    return latest(at, makes) == nullptr && std::any_of(events_.begin(), events_.end(), makes);
  }

  bool is_wrong_on_window(std::size_t at) const {
    const Event* last = latest(at, [&](const Event& one) {
      return one.extras.win() == events_[at].extras.win() && (creates(one.op) || one.op == Op::win_free);
    });
    return last != nullptr ? last->op == Op::win_free : is_before_its_creation(at);
  }

  // --- Requests ---

  static bool names(const Event& event, std::uint32_t request) {
    const auto& all = event.extras.requests();
    return event.request == request || std::find(all.begin(), all.end(), request) != all.end();
  }

  static bool makes(const Event& event, std::uint32_t request) {
    const OpKind kind = kind_of(event.op);
    const bool other = kind == OpKind::test || kind == OpKind::partition || kind == OpKind::start ||
                       kind == OpKind::wait || kind == OpKind::request;
    return event.request == request && !other;
  }

  // Whether a wait or test completes the request: nothing where the record does not say so.
  static std::optional<bool> completes(const Event& event, std::uint32_t request) {
    const bool test = kind_of(event.op) == OpKind::test;
    if ((!test && kind_of(event.op) != OpKind::wait) || !names(event, request)) return false;
    if (event.op == Op::request_get_status) return false;
    const EventExtras& extras = event.extras;
    const auto is_it = [&](std::int64_t index) {
      return index >= 0 && static_cast<std::size_t>(index) < extras.requests().size() &&
             extras.requests()[static_cast<std::size_t>(index)] == request;
    };
    if (extras.index()) return is_it(*extras.index());
    if (!extras.indices().empty()) return std::any_of(extras.indices().begin(), extras.indices().end(), is_it);
    if (test && event.flag == 0) return false;
    const bool some =
        event.op == Op::waitany || event.op == Op::waitsome || event.op == Op::testany || event.op == Op::testsome;
    if (some || (test && event.flag < 0)) return std::nullopt;
    return true;
  }

  enum class Standing : std::uint8_t { none, idle, active, gone, unclear };

  bool has_threads() const {
    return std::any_of(events_.begin(), events_.end(),
                       [](const Event& event) { return event.extras.thread().value_or(0) != 0; });
  }

  Standing standing(std::size_t at, std::uint32_t request) const {
    const Event* made = latest(at, [&](const Event& event) { return makes(event, request); });
    if (made == nullptr) return Standing::none;
    const bool persistent = form_of(made->op) == OpForm::persistent;
    const Event* last = latest(at, [&](const Event& event) {
      const bool starts = kind_of(event.op) == OpKind::start && names(event, request);
      const bool frees = event.op == Op::request_free && event.request == request;
      return &event == made || starts || frees || completes(event, request) != std::optional(false);
    });
    if (last == made) return persistent ? Standing::idle : Standing::active;
    if (kind_of(last->op) == OpKind::start) return Standing::active;
    if (last->op == Op::request_free) return Standing::gone;
    if (!completes(*last, request) || has_threads()) return Standing::unclear;
    return persistent ? Standing::idle : Standing::gone;
  }

  bool is_wrong_start(std::size_t at, std::uint32_t request) const {
    const Standing now = standing(at, request);
    return now != Standing::idle && now != Standing::unclear;
  }

  bool is_wrong_end(std::size_t at) const {
    const Event& event = events_[at];
    const Event* made = latest(at, [&](const Event& one) { return makes(one, event.request); });
    const Standing now = standing(at, event.request);
    if (event.op == Op::request_free && (now == Standing::none || now == Standing::gone)) return true;
    if (made == nullptr || now != Standing::active) return false;
    const bool partitioned = made->op == Op::psend_init || made->op == Op::precv_init;
    return partitioned || kind_of(made->op) == OpKind::collective || kind_of(made->op) == OpKind::rma;
  }

  bool is_wrong_mark(std::size_t at) const {
    const Event& event = events_[at];
    const Event* made = latest(at, [&](const Event& one) { return makes(one, event.request); });
    const Standing now = standing(at, event.request);
    if (now == Standing::unclear) return false;
    const bool marks = event.op != Op::parrived;
    if (made == nullptr || now == Standing::gone) return marks;
    if (made->op != (marks ? Op::psend_init : Op::precv_init)) return true;
    if (now == Standing::idle) return marks;
    std::vector<std::int64_t> partitions(event.extras.indices().begin(), event.extras.indices().end());
    if (event.extras.index()) partitions.push_back(*event.extras.index());
    return std::any_of(partitions.begin(), partitions.end(), [&](std::int64_t partition) {
      return partition < 0 || partition >= *made->extras.partitions() || (marks && is_marked(at, partition));
    });
  }

  bool is_marked(std::size_t at, std::int64_t partition) const {
    const std::uint32_t request = events_[at].request;
    const Event* last = latest(at, [&](const Event& event) {
      const auto& all = event.extras.indices();
      const bool marks =
          kind_of(event.op) == OpKind::partition && event.op != Op::parrived && event.request == request &&
          (event.extras.index() == partition || std::find(all.begin(), all.end(), partition) != all.end());
      return marks || (kind_of(event.op) == OpKind::start && names(event, request));
    });
    return last != nullptr && kind_of(last->op) == OpKind::partition;
  }

  // --- Messages ---

  bool is_wrong_fetch(std::size_t at) const {
    const auto message = events_[at].extras.message();
    if (!message) return false;
    const Event* last = latest(at, [&](const Event& event) {
      const bool failed = event.op == Op::improbe && event.flag == 0;
      return event.extras.message() == message && !failed;
    });
    return last == nullptr || kind_of(last->op) == OpKind::recv;
  }

  // --- Communicators ---

  bool is_gone(std::size_t at) const {
    const Event& event = events_[at];
    if (event.comm == 0) return event.op == Op::comm_free || event.op == Op::comm_disconnect;
    const Event* last = latest(at, [&](const Event& one) {
      return one.extras.new_comm() == event.comm || (kind_of(one.op) == OpKind::comm_free && one.comm == event.comm);
    });
    if (last == nullptr) return false;
    if (kind_of(last->op) == OpKind::comm_free) {  // a call that does not say what it made may have made it again
      const Event* made = latest(at, [](const Event& one) {
        return kind_of(one.op) == OpKind::comm_create && one.extras.new_comm() == kNoComm;
      });
      return made == nullptr || made < last;
    }
    return form_of(last->op) == OpForm::nonblocking && standing(at, last->request) == Standing::active;
  }

  // --- Files ---

  bool is_wrong_on_file(std::size_t at) const {
    const Event& event = events_[at];
    const std::string& file = event.extras.file();
    if (creates(event.op)) return is_gone(at);
    const Event* last = latest(at, [&](const Event& one) {
      return one.extras.file() == file && (creates(one.op) || one.op == Op::file_close);
    });
    if (last != nullptr ? last->op == Op::file_close : is_before_its_creation(at)) return true;
    const bool rests = event.op == Op::file_close || event.op == Op::file_set_view || event.op == Op::file_set_size ||
                       event.op == Op::file_preallocate || event.op == Op::file_sync;
    return is_wrong_split(at) || (rests && is_busy(at, file));
  }

  static bool ends(const Event& event, const char* part) { return name_of(event.op).ends_with(part); }

  const Event* open_split(std::size_t at, const std::string& file) const {
    const Event* last = latest(
        at, [&](const Event& one) { return one.extras.file() == file && (ends(one, "_begin") || ends(one, "_end")); });
    return last != nullptr && ends(*last, "_begin") ? last : nullptr;
  }

  bool is_wrong_split(std::size_t at) const {
    const Event& event = events_[at];
    const Event* open = open_split(at, event.extras.file());
    if (!ends(event, "_end")) {
      const bool beside =
          event.op == Op::file_set_info || event.op == Op::file_set_atomicity || event.op == Op::file_seek_shared;
      return open != nullptr && !beside;
    }
    if (open == nullptr) return true;
    const std::string end(name_of(event.op));
    return std::string(name_of(open->op)) != end.substr(0, end.size() - 3) + "begin";
  }

  bool is_busy(std::size_t at, const std::string& file) const {
    for (std::size_t i = 0; i < at; ++i) {
      const Event& event = events_[i];
      const bool begun = kind_of(event.op) == OpKind::file && form_of(event.op) == OpForm::nonblocking;
      if (begun && event.extras.file() == file && standing(at, event.request) == Standing::active) return true;
    }
    return false;
  }

  bool leaves_split_open() const {
    return std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
      return creates(event.op) && !event.extras.file().empty() && open_split(events_.size(), event.extras.file());
    });
  }

  const std::vector<Event>& events_;
};

}  // namespace

bool uses_wrongly(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(),
                     [](const RankTrace& rank) { return RankReader(rank.events).uses_wrongly(); });
}

}  // namespace petri::test
