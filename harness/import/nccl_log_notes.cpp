#include "harness/import/nccl_log_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/trace/counted.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {
namespace {

constexpr std::size_t kShown = 3;  // ranks with consequences, in messages of their own

std::string lines(std::uint64_t number) {
  return number == 1 ? "1 line is" : fmt::format("{} lines are", number);
}

}  // namespace

void LogNotes::of_job(const LogJob& job) {
  notes_.facts.push_back(
      "a log shows which calls were made, not which of them ended: each rank is taken to wait in its oldest call that "
      "is "
      "not over, on whatever stream");
  notes_.facts.push_back(
      "groups are seen where calls of one communicator share a launch (opCount), not across communicators");
  for (const auto& [name, times] : job.foreign_calls)
    notes_.facts.push_back(fmt::format("left out: {} of {}", counted(times, "call"), name));
  of_advice(job);
  if (job.unreadable > 0)
    notes_.warnings.push_back(
        fmt::format("{} left out: the lines are cut where they name their process", counted(job.unreadable, "call")));
  of_repeated(job);
}

void LogNotes::of_torn(std::uint64_t calls, const std::vector<std::int32_t>& cut) {
  if (calls > 0)
    notes_.warnings.push_back(
        fmt::format("{} cut by other output: of the calls in them, only operation and number of the launch are used",
                    lines(calls)));
  if (!cut.empty())
    notes_.warnings.push_back(
        fmt::format("the log of {} is used up to such a line only: of which communicator the call was cannot be known",
                    ranks_in_words(cut)));
}

void LogNotes::of_lost(std::uint64_t calls, const std::vector<std::int32_t>& ranks,
                       const std::vector<std::int32_t>& cut) {
  if (calls > 0)
    notes_.warnings.push_back(
        fmt::format("lines of {} of {} are lost, as the numbers of launches show: they are taken for what the other "
                    "ranks called there",
                    counted(calls, "call"), ranks_in_words(ranks)));
  if (!cut.empty())
    notes_.warnings.push_back(fmt::format(
        "the log of {} is used up to a lost line only: which call it was cannot be known", ranks_in_words(cut)));
}

void LogNotes::of_errors(std::int32_t rank, const std::string& text) {
  notes_.warnings.push_back(fmt::format("rank {} reported \"{}\" before its first call", rank, text));
}

void LogNotes::of_consequences(std::int32_t rank, const LogRow& row) {
  if (row.consequences.empty() || ++consequences_ > kShown) return;
  notes_.warnings.push_back(
      fmt::format("rank {} noticed the end of others or gave up waiting, which is no cause: \"{}\"", rank,
                  row.consequences.front().text));
}

void LogNotes::of_absent(const std::string& comm, const std::vector<std::int32_t>& began, std::size_t size) {
  notes_.warnings.push_back(fmt::format("the creation of {}, of {} ranks, is not over: {} began it, the others did not",
                                        comm, size, ranks_in_words(began)));
}

void LogNotes::of_late_logs() {
  notes_.warnings.push_back(
      "the log begins after the job did: its calls are placed by the numbers of their launches, where those tell it");
}

void LogNotes::of_unknown_members(const std::vector<std::string>& comms) {
  if (comms.empty()) return;
  notes_.warnings.push_back(
      fmt::format("which ranks are in {} cannot be known without the logs of all of them: {} not judged",
                  fmt::join(comms, ", "), comms.size() == 1 ? "its calls are" : "their calls are"));
}

void LogNotes::of_repeated(const LogJob& job) {
  if (job.repeated_calls == 0) return;
  notes_.warnings.push_back(
      fmt::format("{} taken once, as the same lines of a process stand there twice or more: {}",
                  job.repeated_calls == 1 ? "1 call is" : fmt::format("{} calls are", job.repeated_calls),
                  some_of(job.repeating_files)));
}

void LogNotes::of_advice(const LogJob& job) {
  if (job.advice.empty()) return;
  std::uint64_t times = 0;
  for (const auto& [text, number] : job.advice) times += number;
  notes_.facts.push_back(fmt::format("{} taken for advice, not for {}, as \"{}\"",
                                     times == 1 ? "1 warning is" : fmt::format("{} warnings are", times),
                                     times == 1 ? "an error" : "errors", job.advice.begin()->first));
}

}  // namespace petri
