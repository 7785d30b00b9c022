#include "harness/export/pytorch_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/export/c_text.hpp"
#include "harness/export/common_beginning.hpp"
#include "harness/export/program_head.hpp"
#include "harness/export/program_limits.hpp"
#include "harness/export/pytorch_rank.hpp"
#include "harness/export/pytorch_text.hpp"
#include "harness/export/roles.hpp"
#include "harness/trace/counted.hpp"
#include "harness/worker/plan/lanes.hpp"

namespace petri {
namespace {

using namespace pytorch;

std::string head_comment(const Program& program, const ProgramOptions& options) {
  const Scenario& scenario = program.scenario;
  const Header& header = scenario.header;
  const CaseOutcome outcome = case_outcome(scenario, options.verdict, options.signature);
  const auto world = static_cast<std::uint64_t>(scenario.world());
  std::string out = fmt::format("#!/usr/bin/env python3\n# {}\n#\n", title_line(scenario, options.source));
  out += outcome_lines("#", outcome);
  if (outcome.verdict == name_of(Verdict::divergence))
    out += "#            (not shown by this script: it reduces zeroes, in the one order that its library chooses)\n";
  out += original_line("#", header);
  out += beginning_lines("#", scenario, program.left_out.size());
  if (program.helpers.count(Helper::enqueue) != 0)
    out += "# Streams:   of the device with NCCL; with Gloo threads stand for them, which run side by side\n";
  return out + fmt::format(
                   "#\n# Needs:     PyTorch\n"
                   "# Run:       python case.py                   starts its {0} itself, with Gloo\n"
                   "#            python case.py --backend nccl    with NCCL, where each rank has a GPU\n"
                   "#            torchrun --nproc-per-node {1} case.py\n"
                   "# Status:    0 all ranks came to the end, 10 they hang, 14 a rank failed, 3 something is missing\n",
                   counted(world, "rank"), scenario.world());
}

std::string make_groups(const Scenario& scenario, const Program& program) {
  std::string out =
      "def make_groups(long):\n    \"\"\"All ranks make all groups in the same order, as torch demands.\"\"\"\n";
  for (const std::int32_t comm : program.groups) out += fmt::format("    global {}\n", group_name(scenario, comm));
  for (const std::int32_t comm : program.groups) {
    std::vector<std::int32_t> ranks = scenario.comms[static_cast<std::size_t>(comm)].ranks;
    std::sort(ranks.begin(), ranks.end());
    out += fmt::format("    {} = dist.new_group({}, timeout=long)\n", group_name(scenario, comm), rank_list(ranks));
  }
  return out + "\n\n";
}

void require_known_groups(const Program& program) {
  for (const std::int32_t index : program.groups) {
    const Communicator& comm = program.scenario.comms[static_cast<std::size_t>(index)];
    if (!comm.known)
      throw InputError(program.source, 0, 0,
                       fmt::format("the members of the communicator \"{}\" are not known: such a script cannot be "
                                   "written",
                                   c::comment_text(comm.name)));
  }
}

std::string table_of(const std::vector<Role<std::string>>& roles) {
  std::string out = "ROLES = {}\n";
  for (std::size_t number = 0; number < roles.size(); ++number)
    out += fmt::format("ROLES.update(dict.fromkeys({}, role_{}))\n", rank_list(roles[number].ranks), number);
  return out;
}

}  // namespace

std::string pytorch_program(const Scenario& scenario, const ProgramOptions& options) {
  if (uses_threads(scenario))
    throw InputError(options.source, 0, 0,
                     "ranks make calls from several threads, and torch.distributed takes them from one: such a script "
                     "cannot be written");
  Program program{{scenario, options.source, before_common_beginning(scenario)}};
  Roles<std::string> roles;
  double seconds = 0;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    RankWriter writer(program, rank);
    const Statements& own = writer.write();
    seconds = std::max(seconds, writer.seconds());
    roles.add(rank, own.code, own.text);
  }
  require_known_groups(program);

  std::string out = head_comment(program, options);
  out += "import argparse\nimport datetime\nimport linecache\nimport multiprocessing\nimport os\n";
  if (program.helpers.count(Helper::enqueue) != 0 || program.helpers.count(Helper::events) != 0)
    out += "import queue\n";
  out +=
      "import sys\nimport tempfile\nimport threading\nimport time\nimport traceback\n\n"
      "try:\n    import torch\n    import torch.distributed as dist\n"
      "except ImportError as error:\n    print(\"PyTorch is missing: %s\" % error, file=sys.stderr)\n    "
      "sys.exit(3)\n\n";
  out += fmt::format("WORLD = {}\nTIMEOUT = {}  # seconds until the ranks count as hanging\n", scenario.world(),
                     limit_s(seconds));
  out += fmt::format(
      "STARTUP = {}  # seconds until all ranks are there\nHUNG, FAILED, MISSING = 10, 14, 3\n"
      "HERE = {{}}  # what this rank has: its device, the group of all, the end of its time\n\n",
      kStartup_s);
  out += helper_functions(program.helpers);
  if (program.groups.empty())
    out += "\ndef make_groups(long):\n    \"\"\"The case has no groups but the one of all ranks.\"\"\"\n\n\n";
  else
    out += '\n' + make_groups(scenario, program);
  for (std::size_t number = 0; number < roles.all().size(); ++number) {
    const auto& [ranks, text] = roles.all()[number];
    out += fmt::format("# {}\ndef role_{}():\n{}\n\n", ranks_line(scenario, ranks), number,
                       text.empty() ? "    pass\n" : text);
  }
  out += table_of(roles.all());
  out += '\n';
  out += runner();
  return out;
}

}  // namespace petri
