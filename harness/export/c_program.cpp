#include "harness/export/c_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"
#include "harness/export/common_beginning.hpp"
#include "harness/export/program_head.hpp"
#include "harness/export/roles.hpp"
#include "harness/trace/counted.hpp"

namespace petri {
namespace {

using namespace c;

constexpr int kSetupTag = 32000;  // below the smallest bound on tags that MPI allows (MPI 4.1, section 9.1.2)

using CRole = Role<std::vector<Body>>;  // the main thread's first

// What is not known to have members is not known to lack one.
bool is_member(const Scenario& scenario, std::int32_t index, std::int32_t rank) {
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(index)];
  const auto holds = [&](const auto& ranks) { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); };
  return !comm.known || holds(comm.ranks) || holds(comm.remote);
}

// Those that a member needs for a call: the one it is made on, and the one in which an intercommunicator's leaders
// meet.
std::vector<std::int32_t> comms_used_by(const Scenario& scenario, const Event& event, std::int32_t rank) {
  std::vector<std::int32_t> used;
  for (const std::int32_t comm : {event.comm, scenario.find_comm(event.extras.remote())})
    if (comm > 0 && is_member(scenario, comm, rank)) used.push_back(comm);
  return used;
}

std::set<std::int32_t> used_comms(const Scenario& scenario) {
  std::set<std::int32_t> comms;
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      for (const std::int32_t comm : {event.comm, event.extras.new_comm(), scenario.find_comm(event.extras.remote())})
        if (comm > 0) comms.insert(comm);
  return comms;
}

std::string head_comment(const Scenario& scenario, const ProgramOptions& options, const Program& program) {
  const Header& header = scenario.header;
  const CaseOutcome outcome = case_outcome(scenario, options.verdict, options.signature);
  std::string out = fmt::format("/* {}\n *\n", title_line(scenario, options.source, "MPI job"));
  out += outcome_lines(" *", outcome);
  if (outcome.verdict == name_of(Verdict::divergence))
    out += " *            (not shown by this program: it reduces zeroes, in the one order that its library chooses)\n";
  out += original_line(" *", header);
  out += beginning_lines(" *", scenario, program.left_out.size());
  if (!program.files.empty())
    out += " * Files:     petri-file-0 and so on in the current folder, deleted when closed\n";
  if (program.needs_mpi_4) out += " * Needs:     an MPI library with the calls of MPI 4.0, such as Open MPI 5.0\n";
  out += fmt::format(
      " *\n * Compile:   mpicc{} case.c -o case\n * Run:       timeout 60 mpirun -n {} ./case\n"
      " *            (exit status 124: it hung)\n */\n",
      program.threads ? " -pthread" : "", scenario.world());
  return out;
}

// Persistent collectives came with MPI 4.0.
std::string older_names(const Program& program) {
  if (program.persistent_collectives.empty()) return "";
  std::string out =
      "#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5 /* has them as extensions */\n#include <mpi-ext.h>\n";
  for (const std::string& name : program.persistent_collectives)
    out += fmt::format("#define {0} MPIX_{1}\n", name, name.substr(4));
  return out + "#endif\n\n";
}

std::string declarations(const Scenario& scenario, const Program& program, bool unused_comm) {
  std::string out;
  for (const std::int32_t comm : used_comms(scenario))
    out += fmt::format("static MPI_Comm {} = MPI_COMM_NULL;\n", comm_name(scenario, comm));
  for (const auto& [name, plan] : program.windows) {
    const std::string window = window_name(program.windows, name);
    out += fmt::format("static MPI_Win {} = MPI_WIN_NULL;\n", window);
    // Where every rank's memory of the window lies, and its own.
    if (plan.dynamic)
      out += fmt::format("static MPI_Aint {0}_at[{1}];\nstatic void *{0}_memory;\n", window, scenario.world());
  }
  for (const auto& [name, plan] : program.files) {
    const std::string file = file_name(program.files, name);
    out += fmt::format("static MPI_File {} = MPI_FILE_NULL;\n", file);
    if (program.split_files.count(name) != 0) out += fmt::format("static void *{}_split;\n", file);
  }
  if (program.threads) {
    if (program.requests > 0) out += fmt::format("static MPI_Request request[{}];\n", program.requests);
    if (program.messages > 0) out += fmt::format("static MPI_Message message[{}];\n", program.messages);
    if (program.marks > 0) out += fmt::format("static int told[{}];\n", program.marks);
  }
  if (unused_comm) out += "static MPI_Comm unused_comm = MPI_COMM_NULL;\n";
  if (!out.empty()) out += '\n';
  out += helper_functions(program.helpers);
  return out;
}

std::string make_comms(const Scenario& scenario, const Program& program) {
  std::string out =
      "/* Communicators whose creation is not part of the case. */\nstatic void make_communicators(void) {\n";
  int tag = kSetupTag;
  for (const std::int32_t comm : program.at_start) {
    const Communicator& made = scenario.comms[static_cast<std::size_t>(comm)];
    const std::string name = comm_name(scenario, comm);
    out += fmt::format("  static const int {}_ranks[] = {{{}}};\n", name, fmt::join(made.ranks, ", "));
    if (made.is_inter())
      out += fmt::format("  static const int {}_remote[] = {{{}}};\n", name, fmt::join(made.remote, ", "));
  }
  for (const std::int32_t comm : program.at_start) {
    const std::string name = comm_name(scenario, comm);
    const Communicator& made = scenario.comms[static_cast<std::size_t>(comm)];
    out += made.is_inter() ? fmt::format("  {0} = between({1}, {0}_ranks, {2}, {0}_remote, {3});\n", name,
                                         made.ranks.size(), made.remote.size(), tag++)
                           : fmt::format("  {0} = made_of({1}, {0}_ranks, {2});\n", name, made.ranks.size(), tag++);
  }
  return out + "}\n\n";
}

bool has_preparations(const Program& program) {
  const auto& windows = program.windows;
  return !program.files.empty() || std::any_of(windows.begin(), windows.end(), [](const auto& window) {
    return window.second.dynamic || !window.second.created;
  });
}

// Windows and files that are there before the first event, and the memory of dynamic windows.
std::string prepare(const Scenario& scenario, const Program& program) {
  std::string out = "/* What must be there before the first call of the case. */\nstatic void prepare(int rank) {\n";
  const auto only_members = [&](std::int32_t comm) {
    return comm == 0 ? "  " : fmt::format("  if ({} != MPI_COMM_NULL)\n    ", comm_name(scenario, comm));
  };
  std::set<std::string> paths;
  for (const auto& [name, plan] : program.files) paths.insert(path_literal(program.files, name));
  for (const std::string& path : paths) out += fmt::format("  if (rank == 0) remove({});\n", path);
  if (paths.empty()) out += "  (void)rank;\n";
  if (!paths.empty()) out += "  MPI_Barrier(MPI_COMM_WORLD);\n";
  for (const auto& [name, plan] : program.windows) {
    const std::string window = window_name(program.windows, name);
    if (plan.dynamic) {
      out += fmt::format(
          "  {{\n    MPI_Aint here;\n    {0}_memory = room({1}, MPI_BYTE);\n"
          "    MPI_Get_address({0}_memory, &here);\n"
          "    MPI_Allgather(&here, 1, MPI_AINT, {0}_at, 1, MPI_AINT, MPI_COMM_WORLD);\n  }}\n",
          window, bytes_of(plan));
    } else if (!plan.created) {
      out +=
          fmt::format("{}MPI_Win_create(room({}, MPI_BYTE), {}, 1, MPI_INFO_NULL, {}, &{});\n", only_members(plan.comm),
                      bytes_of(plan), bytes_of(plan), comm_name(scenario, plan.comm), window);
    }
  }
  for (const auto& [name, plan] : program.files)
    if (!plan.opened)
      out += fmt::format(
          "{}MPI_File_open({}, {}, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,\n"
          "                MPI_INFO_NULL, &{});\n",
          only_members(plan.comm), comm_name(scenario, plan.comm), path_literal(program.files, name),
          file_name(program.files, name));
  return out + "}\n\n";
}

std::string function_of(const Scenario& scenario, const CRole& role, std::size_t number) {
  const std::string name = fmt::format("role_{}", number);
  std::string out = fmt::format("/* {} */\n", ranks_line(scenario, role.ranks));
  std::string starts;
  for (std::size_t i = 1; i < role.body.size(); ++i) {
    const Body& body = role.body[i];
    out += fmt::format("static void *{}_thread_{}(void *unused) {{\n{}  (void)unused;\n{}  return NULL;\n}}\n\n", name,
                       body.thread, body.head, body.text);
    starts += fmt::format("  pthread_create(&thread[{}], NULL, {}_thread_{}, NULL);\n", i - 1, name, body.thread);
  }
  if (!starts.empty()) starts = fmt::format("  pthread_t thread[{}];\n", role.body.size() - 1) + starts;
  const Body& main = role.body.front();
  return out + fmt::format("static void {}(void) {{\n{}{}{}}}\n\n", name, main.head, starts, main.text);
}

std::string dispatch(const std::vector<CRole>& roles, std::size_t main) {
  if (roles.size() == 1) return "  role_0();\n";
  constexpr std::size_t kCasesPerLine = 8;
  std::string out = "  switch (rank) {\n";
  for (std::size_t number = 0; number < roles.size(); ++number) {
    const CRole& role = roles[number];
    if (number == main) continue;
    for (std::size_t i = 0; i < role.ranks.size(); ++i)
      out += fmt::format("{}case {}:{}", i % kCasesPerLine == 0 ? "    " : " ", role.ranks[i],
                         (i + 1) % kCasesPerLine == 0 || i + 1 == role.ranks.size() ? "\n" : "");
    out += fmt::format("      role_{}();\n      break;\n", number);
  }
  return out + fmt::format("    default:\n      role_{}();\n  }}\n", main);
}

std::string main_function(const Scenario& scenario, const Program& program, const Roles<std::vector<Body>>& roles,
                          std::uint64_t bsend_bytes) {
  const char* const start =
      program.threads
          ? "  int rank, size, provided;\n  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);\n"
            "  if (provided != MPI_THREAD_MULTIPLE) {\n"
            "    fprintf(stderr, \"this program needs MPI_THREAD_MULTIPLE\\n\");\n"
            "    MPI_Abort(MPI_COMM_WORLD, 3);\n  }\n"
          : "  int rank, size;\n  MPI_Init(&argc, &argv);\n";
  std::string out = fmt::format(
      "int main(int argc, char **argv) {{\n{1}"
      "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n  if (size != {0}) {{\n"
      "    if (rank == 0) fprintf(stderr, \"this program needs exactly {2}: mpirun -n {0}\\n\");\n"
      "    MPI_Finalize();\n    return 2;\n  }}\n",
      scenario.world(), start, counted(static_cast<std::uint64_t>(scenario.world()), "rank"));
  if (!program.at_start.empty()) out += "  make_communicators();\n";
  if (has_preparations(program)) out += "  prepare(rank);\n";
  if (program.helpers.count(Helper::user_operation) != 0) out += "  MPI_Op_create(keep, 1, &user_operation);\n";
  if (bsend_bytes > 0) out += fmt::format("  MPI_Buffer_attach(malloc({0}), {0});\n", bsend_bytes);
  return out + dispatch(roles.all(), roles.largest()) + "  return 0;\n}\n";
}

}  // namespace

std::string c_program(const Scenario& scenario, const ProgramOptions& options) {
  LeftOut left_out = before_common_beginning(scenario);
  std::set<std::int32_t> at_start = made_at_start(
      scenario, left_out, [&](const Event& event, std::int32_t rank) { return comms_used_by(scenario, event, rank); });
  Program program{{scenario, options.source, std::move(left_out)}, std::move(at_start)};
  for (const std::int32_t comm : program.at_start) {
    const Communicator& used = scenario.comms[static_cast<std::size_t>(comm)];
    if (!used.known)
      throw InputError(options.source, 0, 0,
                       fmt::format("the members of the communicator \"{}\" are not known, and no event makes it: "
                                   "such a program cannot be written",
                                   comment_text(used.name)));
    program.helpers.insert(used.is_inter() ? Helper::between : Helper::made_of);
  }
  for (const auto& refusal : {reason_against_windows(scenario), reason_against_files(scenario)})
    if (refusal) throw InputError(options.source, 0, 0, refusal->reason + ": such a program cannot be written");
  program.threads = uses_threads(scenario);
  program.windows = windows_of(scenario);
  program.files = files_of(scenario);
  for (const auto& [name, plan] : program.windows)
    if (plan.dynamic || !plan.created) program.helpers.insert(Helper::room);
  Roles<std::vector<Body>> roles;
  std::uint64_t bsend_bytes = 0;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    RankWriter writer(program, rank);
    writer.write();
    bsend_bytes = std::max(bsend_bytes, writer.bsend_bytes());
    roles.add(rank, writer.code(), writer.bodies());
  }
  std::string functions;
  for (std::size_t i = 0; i < roles.all().size(); ++i) functions += function_of(scenario, roles.all()[i], i);
  const bool unused_comm = functions.find("&unused_comm") != std::string::npos;

  std::string out = head_comment(scenario, options, program);
  out += "#define _POSIX_C_SOURCE 200809L\n#include <mpi.h>\n";
  if (program.threads) out += "#include <pthread.h>\n";
  out +=
      "#include <signal.h>\n#include <stdio.h>\n"
      "#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n\n";
  out += older_names(program);
  out += declarations(scenario, program, unused_comm);
  if (!program.at_start.empty()) out += make_comms(scenario, program);
  if (has_preparations(program)) out += prepare(scenario, program);
  return out + functions + main_function(scenario, program, roles, bsend_bytes);
}

}  // namespace petri
