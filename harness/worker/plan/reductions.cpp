#include "harness/worker/plan/reductions.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

std::filesystem::path job_file(const std::filesystem::path& folder) {
  return folder / "reductions";
}

std::filesystem::path report_file(const std::filesystem::path& folder) {
  return folder / "report";
}

std::string_view first_clause(std::string_view text) {
  return text.substr(0, text.find_first_of(",\n"));
}

// One line of a report; false for one that no worker writes.
bool take(const std::string& line, ReductionReport& report) {
  std::istringstream words(line);
  std::string what;
  words >> what;
  if (what == "library") {
    words >> std::ws;
    return static_cast<bool>(std::getline(words, report.library));
  }
  std::size_t call = 0;
  if (!(words >> call) || call >= report.outcomes.size()) return false;
  ReductionReport::Outcome& outcome = report.outcomes[call];
  if (what == "refused") {
    words >> std::ws;
    return static_cast<bool>(std::getline(words, outcome.refusal));
  }
  if (what != "run") return false;
  auto& digests = outcome.runs.emplace_back();
  for (std::string digest; words >> digest;) digests.push_back(digest);
  return !digests.empty();
}

}  // namespace

void write_reductions(const ReductionJob& job, const std::filesystem::path& folder) {
  std::ofstream out(job_file(folder));
  out << name_of(job.op) << ' ' << job.count << ' ' << job.runs << '\n';
  for (const ReductionCall& call : job.calls)
    out << call.order << ' ' << call.ranks << ' ' << name_of(call.type) << '\n';
  if (!out.flush()) throw EnvironmentError("cannot write " + job_file(folder).string());
}

ReductionJob read_reductions(const std::filesystem::path& folder) {
  const std::string name = job_file(folder).string();
  std::ifstream in(job_file(folder));
  ReductionJob job;
  std::string op, type;
  const bool begins = static_cast<bool>(in >> op >> job.count >> job.runs);
  const auto known = reduce_op_named(op);
  if (!begins || !known) throw InputError(name, 1, 0, "expected an operation, a count and a number of runs");
  job.op = *known;
  for (ReductionCall call; in >> call.order >> call.ranks >> type; job.calls.push_back(call)) {
    const auto element = element_type_named(type);
    if (!element || call.ranks < 1)
      throw InputError(name, job.calls.size() + 2, 0, "expected an order, a number of ranks and a type");
    call.type = *element;
  }
  if (!in.eof()) throw InputError(name, job.calls.size() + 2, 0, "expected an order, a number of ranks and a type");
  return job;
}

std::filesystem::path contributions_file(const std::filesystem::path& folder, std::int32_t ranks, ElementType type) {
  return folder / ("contributions-" + std::to_string(ranks) + "-" + std::string(name_of(type)));
}

std::filesystem::path result_file(const std::filesystem::path& folder, std::string_view digest) {
  std::string name = "result-" + std::string(digest);
  std::replace(name.begin(), name.end(), ':', '-');
  return folder / name;
}

ReductionReportWriter::ReductionReportWriter(const std::filesystem::path& folder) : out_(report_file(folder)) {}

void ReductionReportWriter::library(std::string_view version) {
  out_ << "library " << first_clause(version) << std::endl;
}

void ReductionReportWriter::refused(std::size_t call, std::string_view reason) {
  out_ << "refused " << call << ' ' << reason << std::endl;
}

void ReductionReportWriter::run(std::size_t call, const std::vector<std::string>& digests) {
  out_ << "run " << call;
  for (const std::string& digest : digests) out_ << ' ' << digest;
  out_ << std::endl;
}

ReductionReport read_reduction_report(const std::filesystem::path& folder, std::size_t calls) {
  ReductionReport report;
  report.outcomes.resize(calls);
  std::ifstream in(report_file(folder));
  std::size_t number = 0;
  for (std::string line; std::getline(in, line) && !in.eof();)
    if (++number; !take(line, report))
      throw InputError(report_file(folder).string(), number, 0, "no line that petri-worker writes");
  return report;
}

}  // namespace petri
