// Predefined reduction operations on types that they do not take (MPI 4.1, section 6.9.2).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/in_progress.hpp"

namespace petri::diagnosis {
namespace {

// The standard's groups of types. Its multi-language types (aint, offset, count) count as integers.
enum class Group : std::uint8_t { unknown, integer, floating, complex, logical, byte, pair, character };

Group group_of(ElementType type) {
  using enum ElementType;
  switch (type) {
    case unknown: return Group::unknown;
    case float8_e4m3:
    case float8_e5m2:
    case float16:
    case bfloat16:
    case float32:
    case float64:
    case longdouble: return Group::floating;
    case complex64:
    case complex128:
    case complexlong: return Group::complex;
    case boolean: return Group::logical;
    case byte: return Group::byte;
    case char8:
    case wchar:
    case packed: return Group::character;
    case float_int:
    case double_int:
    case long_int:
    case two_int:
    case short_int:
    case longdouble_int: return Group::pair;
    default: return Group::integer;
  }
}

bool takes(ReduceOp op, Group group) {
  switch (op) {
    case ReduceOp::max:
    case ReduceOp::min: return group == Group::integer || group == Group::floating;
    case ReduceOp::sum:
    case ReduceOp::prod: return group == Group::integer || group == Group::floating || group == Group::complex;
    case ReduceOp::land:
    case ReduceOp::lor:
    case ReduceOp::lxor: return group == Group::integer || group == Group::logical;
    case ReduceOp::band:
    case ReduceOp::bor:
    case ReduceOp::bxor: return group == Group::integer || group == Group::byte;
    case ReduceOp::minloc:
    case ReduceOp::maxloc: return group == Group::pair;
    default: return true;
  }
}

// MPI_REPLACE and MPI_NO_OP are for accumulates alone (section 12.3.4). NCCL has an enumeration of its own types, which
// all its operations take.
bool is_valid(const Scenario& scenario, const Event& event) {
  const Communicator& comm = scenario.comm_of(event);
  const std::string& backend = comm.backend.empty() ? scenario.header.backend : comm.backend;
  const Group group = group_of(event.dtype);
  if (!reduces(event.op) || backend == "nccl" || !event.extras.stream().empty()) return true;
  const bool accumulates = kind_of(event.op) == OpKind::rma;
  if (!accumulates && (event.reduce == ReduceOp::replace || event.reduce == ReduceOp::no_op)) return false;
  return group == Group::unknown || event.count == 0 || takes(event.reduce, group);
}

}  // namespace

std::vector<Fault> find_invalid_reductions(const Scenario& scenario, const model::Run& run) {
  std::map<std::string, Fault> by_form;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const Event& event = events[index];
      const EventRef ref{rank, index};
      if (is_valid(scenario, event) || !reached(scenario, run, ref)) continue;
      const std::string form =
          fmt::format("{}@0 {} of {}", name_of(event.op), name_of(event.reduce), name_of(event.dtype));
      const auto [place, fresh] = by_form.try_emplace(form);
      Fault& fault = place->second;
      if (fresh) {
        fault.form = form;
        Finding finding;
        finding.kind = Verdict::misuse;
        finding.expected = "a predefined operation and a type that it takes";
        finding.text =
            fmt::format("{} ({}) asks for {} of {}, which that operation does not take.", event_text(scenario, event),
                        place_text(event), name_of(event.reduce), name_of(event.dtype));
        fault.findings.push_back(std::move(finding));
      }
      Finding& finding = fault.findings.front();
      fault.misused.push_back(ref);
      if (!finding.culprits.empty() && finding.culprits.back() == rank) continue;
      finding.culprits.push_back(rank);
      finding.events.push_back(ref);
      finding.actual = fmt::format("{}: {}", ranks_text(finding.culprits), event_text(scenario, event));
    }
  }
  std::vector<Fault> faults;
  for (auto& [form, fault] : by_form) faults.push_back(std::move(fault));
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& one, const Fault& other) {
    return one.findings.front().events.front() < other.findings.front().events.front();
  });
  return faults;
}

}  // namespace petri::diagnosis
