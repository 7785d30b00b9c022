// The files by which petri and the worker speak of reductions.
#include "harness/worker/plan/reductions.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Reductions : public testing::Test {
 protected:
  Reductions() { std::filesystem::create_directory(folder_); }
  ~Reductions() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  const std::filesystem::path folder_ = testing::TempDir() + "petri-reductions-" + std::to_string(getpid());
};

TEST_F(Reductions, AreReadAsTheyWereWritten) {
  const ReductionJob job{ReduceOp::max,
                         1'000'000,
                         5,
                         {{"openmpi-4.1/reduce:5+root=1", 4, ElementType::bfloat16},
                          {std::string(kReproducibleCall), 2, ElementType::float64}}};
  write_reductions(job, folder_);
  const ReductionJob read = read_reductions(folder_);
  EXPECT_EQ(read.op, job.op);
  EXPECT_EQ(read.count, job.count);
  EXPECT_EQ(read.runs, job.runs);
  EXPECT_EQ(read.calls, job.calls);
}

TEST_F(Reductions, OfABrokenFileAreRefused) {
  for (const std::string text : {"", "sum", "sum 1", "some 1 1\n", "sum 1 1\nring 0 float32\n",
                                 "sum 1 1\nring 4 float31\n", "sum 1 1\nring x\n"}) {
    write("reductions", text);
    EXPECT_THROW(read_reductions(folder_), InputError) << text;
  }
}

TEST_F(Reductions, AreToldCallByCall) {
  {
    ReductionReportWriter writer(folder_);
    writer.library("Open MPI v4.1.4, package: Debian OpenMPI");
    writer.run(0, {"xxh3-128:aa", "xxh3-128:ab"});
    writer.refused(1, "the library here is another");
    writer.run(0, {"xxh3-128:aa", "xxh3-128:aa"});
  }
  const ReductionReport report = read_reduction_report(folder_, 3);
  EXPECT_EQ(report.library, "Open MPI v4.1.4");
  EXPECT_THAT(report.outcomes[0].runs,
              ElementsAre(ElementsAre("xxh3-128:aa", "xxh3-128:ab"), ElementsAre("xxh3-128:aa", "xxh3-128:aa")));
  EXPECT_EQ(report.outcomes[1].refusal, "the library here is another");
  EXPECT_THAT(report.outcomes[2].runs, IsEmpty());
}

TEST_F(Reductions, OfAJobThatWasStoppedAreThoseBefore) {
  EXPECT_THAT(read_reduction_report(folder_, 1).library, IsEmpty());
  write("report", "library Open MPI v4.1.4\nrun 0 a a\nrun 0 a");
  EXPECT_THAT(read_reduction_report(folder_, 1).outcomes[0].runs, ElementsAre(ElementsAre("a", "a")));
  for (const std::string text : {"run 1 a\n", "run 0\n", "run x a\n", "ran 0 a\n", "refused 0\n", "\n"}) {
    write("report", text);
    EXPECT_THROW(read_reduction_report(folder_, 1), InputError) << text;
  }
}

TEST_F(Reductions, HaveAFileForEachDistinctResult) {
  EXPECT_NE(result_file(folder_, "xxh3-128:aa"), result_file(folder_, "xxh3-128:ab"));
  EXPECT_EQ(result_file(folder_, "xxh3-128:aa").filename(), "result-xxh3-128-aa");
  EXPECT_NE(contributions_file(folder_, 4, ElementType::float32), contributions_file(folder_, 4, ElementType::int32));
  EXPECT_NE(contributions_file(folder_, 4, ElementType::float32), contributions_file(folder_, 8, ElementType::float32));
}

}  // namespace
}  // namespace petri
