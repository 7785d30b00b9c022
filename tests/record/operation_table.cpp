// Prints what Petri does with each operation of MPI, from evidence: whether a program that calls it was recorded with
// it, here and now, in C and in Fortran; whether the model judges it; whether a replay performs it. Where it lacks
// something, operation_gaps.cpp must say why: an unexplained gap is an error, and so is an explanation without one.
//
// Usage: operation_table [--markdown]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>

#include "harness/model/op_rules.hpp"
#include "harness/trace/read.hpp"
#include "tests/record/fortran/chapters.hpp"
#include "tests/record/operation_gaps.hpp"
#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

struct Run {
  int ranks;
  const char* program;
};

constexpr Run kRuns[] = {
    {2, "blocking_messages"},
    {2, "nonblocking_messages"},
    {2, "ready_and_buffered"},
    {2, "some_and_any"},
    {2, "polls"},
    {2, "matched_probes"},
    {2, "persistent_requests"},
    {3, "collectives"},
    {3, "nonblocking_collectives"},
    {4, "communicators"},
    {3, "intercommunicators"},
    {4, "grid"},
    {3, "graphs"},
    {2, "windows"},
    {2, "post_start_complete_wait"},
    {2, "locks"},
    {2, "one_sided"},
    {2, "file_states"},
    {2, "file_access"},
    {2, "split_file_access"},
    {2, "spawns"},
    {2, "spawns_several"},
    {2, "port"},
    {3, "persistent_collectives"},
    {3, "persistent_neighbors"},
    {2, "mpi4_calls"},
    {2, "partitioned_messages"},
    {2, "from_groups"},
    {2, "two_threads"},
    {2, "aborts"},
};

constexpr const char* kColumnNames[kColumns] = {"recorded (C)", "recorded (Fortran)", "modelled", "replayed live"};

#ifdef PETRI_FORTRAN_PROGRAM
constexpr const char* kFortranProgram = PETRI_FORTRAN_PROGRAM;
#else
constexpr const char* kFortranProgram = nullptr;  // no Fortran MPI was found
#endif

#ifdef PETRI_MPI_4
constexpr bool kHasMpi4 = true;
#else
constexpr bool kHasMpi4 = false;
#endif

struct Evidence {
  std::array<std::set<Op>, kColumns> shown;
  std::set<Op> replayed_with_mpi4;  // shown only where MPI is of that version
};

void add_operations(const Scenario& scenario, std::set<Op>& to) {
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events) to.insert(event.op);
}

// The replay's own test performs each of its scenarios, those of MPI 4.0 where there is such an MPI.
void add_replays(Evidence& evidence) {
  for (const auto& file : std::filesystem::directory_iterator(PETRI_REPLAYED)) {
    const bool is_mpi4 = file.path().stem().string().rfind("mpi4_", 0) == 0;
    const Scenario scenario = read_scenario(file.path());
    add_operations(scenario, is_mpi4 && !kHasMpi4 ? evidence.replayed_with_mpi4 : evidence.shown[kReplayed]);
  }
}

Evidence gather() {
  Evidence evidence;
  for (const auto& [ranks, program] : kRuns) add_operations(record(ranks, program), evidence.shown[kInC]);
  if (kFortranProgram != nullptr) {
    for (const char* chapter : kFortranChapters)
      add_operations(record_program(kFortranProgram, 2, chapter), evidence.shown[kInFortran]);
    add_operations(record_program(kFortranProgram, 2, "aborts"), evidence.shown[kInFortran]);
  }
  for (int i = 0; i < kOpCount; ++i)
    if (const auto op = static_cast<Op>(i); model::is_modelled(op)) evidence.shown[kModelled].insert(op);
  add_replays(evidence);
  return evidence;
}

constexpr const char* kChapters[] = {
    "3 Point-to-point communication", "4 Partitioned point-to-point communication",
    "6 Collective communication",     "7 Groups, contexts, communicators",
    "8 Virtual topologies",           "11 Process initialization, creation, and management",
    "12 One-sided communications",    "14 I/O",
};

// The chapter of MPI 4.1 that describes it, as an index of kChapters; -1 for what no call of MPI makes.
int chapter_of(Op op) {
  const std::string_view name = name_of(op);
  const auto is_one_of = [op](std::initializer_list<Op> some) {
    return std::find(some.begin(), some.end(), op) != some.end();
  };
  if (is_one_of({Op::comm_init_rank, Op::comm_init_all, Op::comm_finalize, Op::comm_destroy, Op::comm_abort, Op::exit}))
    return -1;
  if (is_one_of({Op::psend_init, Op::precv_init})) return 1;
  if (is_one_of({Op::comm_spawn, Op::comm_spawn_multiple, Op::comm_accept, Op::comm_connect, Op::comm_disconnect}))
    return 5;
  switch (kind_of(op)) {
    case OpKind::partition: return 1;
    case OpKind::collective: return name.find("neighbor_") != std::string_view::npos ? 4 : 2;
    case OpKind::comm_create: return name.find("cart_") == 0 || name.find("graph_") != std::string_view::npos ? 4 : 3;
    case OpKind::comm_free: return 3;
    case OpKind::world: return 5;
    case OpKind::window:
    case OpKind::rma: return 6;
    case OpKind::file: return 7;
    case OpKind::host:
    case OpKind::device: return -1;
    default: return 0;
  }
}

bool is_filled(Column column) {
  return column != kInFortran || kFortranProgram != nullptr;
}

std::string cell(const Evidence& evidence, Op op, Column column) {
  if (!is_filled(column)) return "";
  if (evidence.shown[column].contains(op)) return "yes";
  return column == kReplayed && evidence.replayed_with_mpi4.contains(op) ? "MPI 4" : "no";
}

// Why the operation lacks what it lacks. Notes in `errors` what is not explained, and what is explained without need.
std::string reasons(const Evidence& evidence, Op op, std::vector<std::string>& errors) {
  static const std::vector<Gap> gaps = known_gaps();
  std::string text;
  std::set<Column> explained;
  for (const Gap& gap : gaps) {
    if (std::find(gap.operations.begin(), gap.operations.end(), op) == gap.operations.end()) continue;
    for (const Column column : gap.columns) {
      explained.insert(column);
      if (cell(evidence, op, column) == "yes")
        errors.push_back(fmt::format("{}: {}: yes, yet \"{}\"", name_of(op), kColumnNames[column], gap.why));
    }
    if (std::any_of(gap.columns.begin(), gap.columns.end(), is_filled))
      text += (text.empty() ? "" : "; ") + std::string(gap.why);
  }
  for (unsigned i = 0; i < kColumns; ++i)
    if (const auto column = static_cast<Column>(i);
        is_filled(column) && cell(evidence, op, column) != "yes" && !explained.contains(column))
      errors.push_back(fmt::format("{}: {}: no, and nothing says why", name_of(op), kColumnNames[column]));
  return text;
}

// One line of the table, in Markdown or for a terminal.
void print_row(bool markdown, std::string_view name, const std::array<std::string, kColumns>& cells,
               std::string_view why) {
  if (markdown) {
    fmt::print("| {} | {} | {} |\n", name, fmt::join(cells, " | "), why);
    return;
  }
  fmt::print("  {:<30}", name);
  for (unsigned i = 0; i < kColumns; ++i) fmt::print("{:<20}", cells[i]);
  fmt::print("{}\n", why);
}

void print_heading(bool markdown, const char* chapter) {
  fmt::print("\n{}{}\n{}", markdown ? "## " : "", chapter, markdown ? "\n" : "");
  std::array<std::string, kColumns> names;
  std::copy(std::begin(kColumnNames), std::end(kColumnNames), names.begin());
  print_row(markdown, "operation", names, "why not");
  if (markdown) fmt::print("|---|---|---|---|---|---|\n");
}

struct Totals {
  int operations = 0;
  std::array<int, kColumns> yes = {};

  void add(const Totals& other) {
    operations += other.operations;
    for (unsigned i = 0; i < kColumns; ++i) yes[i] += other.yes[i];
  }
  void print(bool markdown, std::string_view name) const {
    std::array<std::string, kColumns> cells;
    for (unsigned i = 0; i < kColumns; ++i)
      if (is_filled(static_cast<Column>(i))) cells[i] = fmt::format("{} of {}", yes[i], operations);
    print_row(markdown, name, cells, "");
  }
};

Totals print_chapter(bool markdown, int chapter, const Evidence& evidence, std::vector<std::string>& errors) {
  print_heading(markdown, kChapters[chapter]);
  Totals totals;
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    if (chapter_of(op) != chapter) continue;
    ++totals.operations;
    std::array<std::string, kColumns> cells;
    for (unsigned k = 0; k < kColumns; ++k) {
      cells[k] = cell(evidence, op, static_cast<Column>(k));
      totals.yes[k] += cells[k] == "yes";
    }
    print_row(markdown, name_of(op), cells, reasons(evidence, op, errors));
  }
  totals.print(markdown, "together");
  return totals;
}

int print_table(bool markdown) {
  const Evidence evidence = gather();
  std::vector<std::string> errors;
  Totals all;
  for (int chapter = 0; chapter < static_cast<int>(std::size(kChapters)); ++chapter)
    all.add(print_chapter(markdown, chapter, evidence, errors));
  print_heading(markdown, "All chapters");
  all.print(markdown, "together");
  if (kFortranProgram == nullptr) fmt::print("\nNo Fortran MPI was found: that column is empty.\n");
  for (const std::string& error : errors) fmt::print(stderr, "{}\n", error);
  return errors.empty() ? 0 : 1;
}

}  // namespace
}  // namespace petri::test

int main(int count, char** arguments) {
  const std::string option = count > 1 ? arguments[1] : "";
  if (count > 2 || (count == 2 && option != "--markdown")) {
    fmt::print(stderr, "Usage: operation_table [--markdown]\n");
    return 2;
  }
  return petri::test::print_table(!option.empty());
}
