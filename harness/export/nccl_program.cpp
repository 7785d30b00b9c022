#include "harness/export/nccl_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/export/c_text.hpp"
#include "harness/export/common_beginning.hpp"
#include "harness/export/nccl_helpers.hpp"
#include "harness/export/nccl_rank.hpp"
#include "harness/export/program_head.hpp"
#include "harness/export/program_limits.hpp"
#include "harness/export/roles.hpp"
#include "harness/trace/counted.hpp"
#include "harness/worker/plan/lanes.hpp"

namespace petri {
namespace {

using namespace nccl;

// What a call needs to be there; what makes a communicator needs none, but for a split.
std::vector<std::int32_t> comms_used_by(const Event& event) {
  const OpKind kind = kind_of(event.op);
  const bool uses = kind == OpKind::collective || kind == OpKind::send || kind == OpKind::recv ||
                    kind == OpKind::comm_free || event.op == Op::comm_split;
  if (!uses) return {};
  return {event.comm};
}

std::string head_comment(const Program& program, const ProgramOptions& options) {
  const Scenario& scenario = program.scenario;
  const Header& header = scenario.header;
  const CaseOutcome outcome = case_outcome(scenario, options.verdict, options.signature);
  const auto world = static_cast<std::uint64_t>(scenario.world());
  std::string out = fmt::format("// {}\n//\n", title_line(scenario, options.source));
  out += outcome_lines("//", outcome);
  out += original_line("//", header);
  out += beginning_lines("//", scenario, program.left_out.size());
  return out +
         fmt::format(
             "//\n// Compile:   nvcc -std=c++17 case.cpp -o case -lnccl\n"
             "// Run:       ./case                                    {}, each with a device of this host\n"
             "//            mpirun -n {} ./case --folder SHARED       on several hosts; SHARED is an empty folder\n"
             "// Status:    0 all ranks came to the end, 10 they hang, 14 a rank failed, 3 something is missing\n",
             counted(world, "rank"), scenario.world());
}

std::string communicators(const Scenario& scenario, const Program& program, bool unused_comm) {
  std::string out;
  for (const std::int32_t index : program.comms) {
    const Communicator& comm = scenario.comms[static_cast<std::size_t>(index)];
    const std::string name = comm_name(scenario, index);
    out += fmt::format("static ncclComm_t {};\n", name);
    if (comm.known)
      out += fmt::format("[[maybe_unused]] static const std::vector<int> {}_ranks{{{}}};\n", name,
                         fmt::join(comm.ranks, ", "));
  }
  if (unused_comm) out += "static ncclComm_t unused_comm;\n";
  out += "\n// Those whose creation is not part of the case.\nstatic void make_communicators() {\n";
  for (const std::int32_t index : program.at_start)
    if (program.comms.count(index) != 0)
      out += fmt::format("  make(&{0}, \"{0}\", {0}_ranks);\n", comm_name(scenario, index));
  return out + "}\n\n";
}

std::string dispatch(const std::vector<Role<std::string>>& roles, std::size_t main) {
  std::string out = "static void perform() {\n";
  if (roles.size() > 1) out += "  switch (rank) {\n";
  for (std::size_t number = 0; number < roles.size(); ++number) {
    if (number == main) continue;
    for (const std::int32_t rank : roles[number].ranks) out += fmt::format("    case {}:\n", rank);
    out += fmt::format("      return role_{}();\n", number);
  }
  return out + (roles.size() > 1 ? fmt::format("    default: return role_{}();\n  }}\n}}\n", main)
                                 : fmt::format("  role_{}();\n}}\n", main));
}

}  // namespace

std::string nccl_program(const Scenario& scenario, const ProgramOptions& options) {
  if (uses_threads(scenario))
    throw InputError(options.source, 0, 0,
                     "ranks make calls from several threads: such a program cannot be written for NCCL");
  LeftOut left_out = before_common_beginning(scenario);
  std::set<std::int32_t> at_start =
      made_at_start(scenario, left_out, [](const Event& event, std::int32_t) { return comms_used_by(event); });
  Program program{{scenario, options.source, std::move(left_out)}, std::move(at_start)};
  Roles<std::string> roles;
  double seconds = 0;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    RankWriter writer(program, rank);
    const Statements& own = writer.write();
    seconds = std::max(seconds, writer.seconds());
    roles.add(rank, own.code, own.text);
  }
  std::string functions;
  for (std::size_t number = 0; number < roles.all().size(); ++number) {
    const auto& [ranks, text] = roles.all()[number];
    functions += fmt::format("// {}\nstatic void role_{}() {{\n{}}}\n\n", ranks_line(scenario, ranks), number, text);
  }
  std::string out = head_comment(program, options);
  out +=
      "#include <cuda_runtime.h>\n#include <nccl.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\n"
      "#include <algorithm>\n#include <atomic>\n#include <cerrno>\n#include <chrono>\n#include <csignal>\n"
      "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <filesystem>\n#include <initializer_list>\n"
      "#include <map>\n#include <string>\n#include <thread>\n#include <vector>\n\n";
  out += fmt::format("static const int kWorld = {};\nstatic const size_t kBytes = {};  // of the largest buffer\n",
                     scenario.world(), program.bytes);
  out += fmt::format("static const double kLimit_s = {}, kStartup_s = {};\n", limit_s(seconds), kStartup_s);
  out += "enum { kHung = 10, kFailed = 14, kMissing = 3 };\n";
  out += helper_functions(program.parts);
  out += '\n';
  out += communicators(scenario, program, functions.find("unused_comm") != std::string::npos);
  out += functions;
  out += dispatch(roles.all(), roles.largest());
  out += runner();
  return out;
}

}  // namespace petri
