// Windows, their synchronization, and accesses to other ranks' memory (MPI 4.1, chapter 12).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"
#include "harness/trace/event_words.hpp"
#include "harness/worker/plan/words.hpp"

namespace petri::c {
namespace {

std::string assertions_of(const Event& event) {
  std::vector<std::string> modes;
  for (const std::string& word : words_of(event.extras.assertions())) {
    for (const std::string_view known : kAssertionWords)
      if (word == known) modes.push_back(mode_name(word));
  }
  return modes.empty() ? "0" : join(modes, " | ");
}

}  // namespace

// All members give the window as much memory as the busiest of them needs, and so share a function.
std::uint64_t bytes_of(const WindowPlan& plan) {
  return plan.bytes.empty() ? 0 : *std::max_element(plan.bytes.begin(), plan.bytes.end());
}

std::string RankWriter::window_of(const Event& event) const {
  if (event.extras.win().empty()) reject("names no window");
  return window_name(program_.windows, event.extras.win());
}

std::string RankWriter::target_rank(const Event& event) const {
  if (!event.extras.target()) reject("names no target");
  return peer(*event.extras.target(), "target");
}

// A recorded displacement; in a dynamic window it is an address, and the program's memory lies elsewhere.
std::string RankWriter::displacement(const Event& event) const {
  const std::int64_t at = event.extras.disp().value_or(0);
  if (at < 0) reject("has a displacement below the window");
  const WindowPlan& plan = program_.windows.at(event.extras.win());
  const std::int32_t target = event.extras.target().value_or(kNull);
  if (!plan.dynamic || target < 0) return std::to_string(at);
  const auto& members = scenario_.comms[static_cast<std::size_t>(plan.comm)].ranks;
  const auto member = static_cast<std::size_t>(target);
  if (member >= members.size()) reject("has a target outside the window");
  return fmt::format("{}_at[{}] + {}", window_of(event), members[member], at - plan.first[member]);
}

void RankWriter::write_window_creation(const Event& event) {
  const std::string window = window_of(event), comm = comm_of(event);
  const std::uint64_t bytes = bytes_of(program_.windows.at(event.extras.win()));
  switch (event.op) {
    case Op::win_create:
      program_.helpers.insert(Helper::room);
      return put(
          fmt::format("MPI_Win_create(room({0}, MPI_BYTE), {0}, 1, MPI_INFO_NULL, {1}, &{2});", bytes, comm, window));
    case Op::win_create_dynamic:
      put(fmt::format("MPI_Win_create_dynamic(MPI_INFO_NULL, {}, &{});", comm, window));
      if (bytes > 0) put(fmt::format("MPI_Win_attach({0}, {0}_memory, {1});", window, bytes));
      return;
    default:
      put("{");
      put("  void *base;");
      put(fmt::format("  {}({}, 1, MPI_INFO_NULL, {}, &base, &{});", function_name(event.op), bytes, comm, window));
      put("}");
  }
}

void RankWriter::write_window(const Event& event) {
  const std::string window = window_of(event), function = function_name(event.op);
  switch (event.op) {
    case Op::win_create:
    case Op::win_create_dynamic:
    case Op::win_allocate:
    case Op::win_allocate_shared: return write_window_creation(event);
    case Op::win_free: return put(fmt::format("MPI_Win_free(&{});", window));
    case Op::win_fence:
    case Op::win_lock_all: return put(fmt::format("{}({}, {});", function, assertions_of(event), window));
    case Op::win_post:
    case Op::win_start:
      return put_with_group(function + "(", comm_of(event), {event.extras.ranks().begin(), event.extras.ranks().end()},
                            fmt::format(", {}, {});", assertions_of(event), window));
    case Op::win_lock:
      return put(fmt::format("MPI_Win_lock({}, {}, {}, {});",
                             event.extras.lock() == "exclusive" ? "MPI_LOCK_EXCLUSIVE" : "MPI_LOCK_SHARED",
                             target_rank(event), assertions_of(event), window));
    case Op::win_unlock:
    case Op::win_flush:
    case Op::win_flush_local: return put(fmt::format("{}({}, {});", function, target_rank(event), window));
    case Op::win_test:
      body_->scalars.insert("flag");
      return put_loop(polls_until_success(event), "!flag", fmt::format("MPI_Win_test({}, &flag);", window));
    default: return put(fmt::format("{}({});", function, window));
  }
}

// What an access reads or fills is busy until the rank synchronizes: it has room of its own.
void RankWriter::write_access(const Event& event) {
  const std::string window = window_of(event);
  const std::string place = fmt::format("{}, {}", target_rank(event), displacement(event));
  const std::string_view family = info(event.op).family;
  const bool single = family == "fetch_and_op" || family == "compare_and_swap";
  const Amount what = amount({single ? 1 : event.count, event.dtype}, false);
  const std::string elements = fmt::format("{}, {}", what.count_text, what.type_text);
  program_.helpers.insert(Helper::room);
  const std::string memory = fmt::format("room({})", elements);
  std::string arguments;
  if (family == "fetch_and_op")
    arguments = fmt::format("{0}, {0}, {1}, {2}, {3}", memory, what.type_text, place, reduction(event));
  else if (family == "compare_and_swap")
    arguments = fmt::format("{0}, {0}, {0}, {1}, {2}", memory, what.type_text, place);
  else if (family == "get_accumulate")
    arguments = fmt::format("{0}, {1}, {0}, {1}, {2}, {1}, {3}", memory, elements, place, reduction(event));
  else
    arguments = fmt::format("{}, {}, {}, {}", memory, elements, place, elements);
  if (family == "accumulate") arguments += ", " + reduction(event);
  arguments += ", " + window;
  if (form_of(event.op) == OpForm::nonblocking) arguments += ", " + request_of(event);
  put(fmt::format("{}({});", function_name(event.op), arguments));
}

}  // namespace petri::c
