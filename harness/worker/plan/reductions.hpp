// Reductions that petri has the worker make on a real job, and what the worker tells of them: files in a folder that
// both can reach. Free of MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/types/element_type.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri {

// The order of a call that is none of the MPI library's: petri::reproducible_allreduce.
inline constexpr std::string_view kReproducibleCall = "reproducible";

struct ReductionCall {
  std::string order;       // LIBRARY-VERSION/WHAT as in the catalogue of orders, or kReproducibleCall
  std::int32_t ranks = 1;  // the first ones of the job
  ElementType type = ElementType::float32;
  bool operator==(const ReductionCall&) const = default;
};

struct ReductionJob {
  ReduceOp op = ReduceOp::sum;
  std::uint64_t count = 1;  // elements of each vector
  std::size_t runs = 1;     // of each call, one after the other
  std::vector<ReductionCall> calls = {};
};

// Orders are single words. The second throws InputError.
void write_reductions(const ReductionJob& job, const std::filesystem::path& folder);
ReductionJob read_reductions(const std::filesystem::path& folder);

// What ranks contribute, one vector after the other: put there by petri.
std::filesystem::path contributions_file(const std::filesystem::path& folder, std::int32_t ranks, ElementType type);
// A result as a whole vector, by its digest (harness/trace/digest.hpp): put there by whichever rank has it first.
std::filesystem::path result_file(const std::filesystem::path& folder, std::string_view digest);

// What the worker tells: each line as soon as it is true, so that a job that hangs has told all that was before.
class ReductionReportWriter {
 public:
  explicit ReductionReportWriter(const std::filesystem::path& folder);
  void library(std::string_view version);  // MPI_Get_library_version
  void refused(std::size_t call, std::string_view reason);
  // Digests of the results of one run: by rank, or one where the job has one result.
  void run(std::size_t call, const std::vector<std::string>& digests);

 private:
  std::ofstream out_;
};

struct ReductionReport {
  struct Outcome {
    std::string refusal;                         // why the call was not made
    std::vector<std::vector<std::string>> runs;  // digests, as they were told
  };
  std::string library;            // up to its first comma or line; empty: no rank got as far as to tell
  std::vector<Outcome> outcomes;  // by call
};

// As far as it was told: a last line without an end does not count. Throws InputError for lines that no worker writes.
ReductionReport read_reduction_report(const std::filesystem::path& folder, std::size_t calls);

}  // namespace petri
