// petri compare --live: real jobs beside the predictions, and what becomes of jobs that lie, hang or cannot be started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using json = nlohmann::json;

using Words = std::vector<std::string>;

Words compare_live(const Words& more) {
  Words words{"compare", "--live", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The results of one order, or kernel, that are measured.
std::vector<json> measured(const json& told, const std::string& key, const std::string& name) {
  std::vector<json> found;
  for (const json& result : told["results"])
    if (result.value("measured", false) && result.value(key, "") == name) found.push_back(result);
  return found;
}

// The orders of version 4.1 are measured by no other library: then all that is said is that.
bool is_measured_version(const json& told) {
  const std::string library = told["live"]["library"];
  if (library.starts_with("Open MPI v4.1.")) return true;
  EXPECT_THAT(told["live"]["predicted_only"].dump(), HasSubstr("the library here is " + library));
  return false;
}

TEST(CompareLive, MeasuresThePredictedBits) {
  const Ran ran = Scratch().petri(compare_live(
      {"--ranks", "2,3", "--count", "999", "--types", "float32,bfloat16", "--runs", "2", "--kernels", "reproducible",
       "--orders", "openmpi-4.1/allreduce:3,openmpi-4.1/reduce:2+root=1,openmpi-4.1/reduce_scatter:3+in-place,ring"}));
  ASSERT_EQ(ran.status, 12) << ran.err;  // orders differ
  EXPECT_EQ(ran.err, "");
  const json told = json::parse(ran.out);
  EXPECT_EQ(told["live"]["complete"], true);
  EXPECT_EQ(told["predictions"]["agree"], true);
  EXPECT_EQ(told["ranks"]["agree"], true);
  EXPECT_EQ(told["runs"]["agree"], true);
  EXPECT_EQ(measured(told, "kernel", "reproducible").size(), 2U);  // float32, on 2 and 3 ranks
  EXPECT_THAT(told["live"]["predicted_only"].dump(),
              AllOf(HasSubstr("only Open MPI's orders"), HasSubstr("sums float32 and float64")));
  if (!is_measured_version(told)) return;
  EXPECT_EQ(told["predictions"]["asked"], 3 * 2 * 2 + 2);
  for (const json& result : measured(told, "order", "openmpi-4.1/allreduce:3")) {
    EXPECT_EQ(result["runs"], 2);
    EXPECT_EQ(result["distinct_results"], 1);
    EXPECT_EQ(result["to_prediction"]["elements"], 2 * 999);
    EXPECT_EQ(result["to_prediction"]["differing"], 0);
    EXPECT_EQ(result["digest"], told["results"][result["prediction"].get<std::size_t>()]["digest"]);
  }
}

TEST(CompareLive, TakesTheNumbersOfAScenarioAndSpreadsThem) {
  const Scratch scratch;
  std::string lines = "{\"petri\":1,\"world\":3}\n";
  for (const char* const rank :
       {R"({"rank":0,"values":[1e8],)", R"({"rank":1,"values":[1],)", R"({"rank":2,"values":[-1e8],)"})
    lines += rank + std::string(R"("op":"allreduce","count":5,"dtype":"float32","reduce":"sum"})") + "\n";
  scratch.write("case.jsonl", lines + "{\"end\":true,\"events\":3}\n");
  const Ran ran = scratch.petri(compare_live({"case.jsonl", "--orders", "openmpi-4.1/allreduce:1", "--runs", "1"}));
  ASSERT_EQ(ran.status, 0) << ran.err;
  is_measured_version(json::parse(ran.out));
  const Ran spread = scratch.petri(compare_live({"--ranks", "1,2", "--same-data", "--kernels", "reproducible"}));
  const json told = json::parse(spread.out);
  EXPECT_EQ(told["predictions"]["asked"], 2);
  EXPECT_EQ(told["predictions"]["agree"], true);
}

TEST(CompareLive, DoesNotPromiseWhatArrivesInAnyOrder) {
  const Ran ran =
      Scratch().petri(compare_live({"--ranks", "4", "--orders", "openmpi-4.1/reduce+adapt", "--runs", "3"}));
  ASSERT_THAT(ran.status, ::testing::AnyOf(0, 12)) << ran.err;  // by luck
  const json told = json::parse(ran.out);
  EXPECT_EQ(told["predictions"]["asked"], 0);
  if (!is_measured_version(told)) return;
  const std::vector<json> found = measured(told, "order", "openmpi-4.1/reduce+adapt");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["determinism"], "not_guaranteed");
  EXPECT_EQ(found[0]["runs"], 3);
}

TEST(CompareLive, MeasuresNothingByAnotherVersionOrAnotherAlgorithm) {
  const Scratch scratch;
  const Ran other = scratch.petri(compare_live({"--ranks", "2", "--orders", "openmpi-3.0/allreduce:3"}));
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(json::parse(other.out)["live"]["predicted_only"][0]["reason"], StartsWith("the library here is "));
  const Ran forced =
      scratch.run({"env", "OMPI_MCA_coll_tuned_use_dynamic_rules=1", "OMPI_MCA_coll_tuned_allreduce_algorithm=4",
                   PETRI_PROGRAM, "compare", "--live", "--json", "--ranks", "2", "--orders", "openmpi-4.1/allreduce"});
  ASSERT_EQ(forced.status, 0) << forced.err;
  const json told = json::parse(forced.out);
  if (!is_measured_version(told)) return;
  EXPECT_THAT(told["live"]["predicted_only"][0]["reason"], HasSubstr("choose another algorithm"));
  const Ran scalar = scratch.run({"env", "OMPI_MCA_op=^avx", PETRI_PROGRAM, "compare", "--live", "--json", "--ranks",
                                  "2", "--orders", "openmpi-4.1/allreduce", "--op", "min"});
  ASSERT_EQ(scalar.status, 0) << scalar.err;
  EXPECT_THAT(json::parse(scalar.out)["live"]["predicted_only"][0]["reason"], HasSubstr("other vectors"));
}

// In place of the worker: each of two ranks runs this script as `worker --reduce FOLDER`.
class PlayedWorker : public ::testing::Test {
 protected:
  Ran compare(const std::string& script, const Words& more = {}) const {
    scratch_.write("worker", "#!/bin/sh\n" + script);
    std::filesystem::permissions(scratch_.folder() / "worker", std::filesystem::perms::owner_all);
    Words words{"env",
                "PETRI_WORKER=" + (scratch_.folder() / "worker").string(),
                PETRI_PROGRAM,
                "compare",
                "--live",
                "--ranks",
                "2",
                "--orders",
                "openmpi-4.1/allreduce",
                "--count",
                "4"};
    words.insert(words.end(), more.begin(), more.end());
    return scratch_.run(words);
  }
  // Told by rank 0; four float32 of 0, 1 and 2, by the names zero, one and two.
  static std::string told(const std::string& lines) {
    return "[ \"${OMPI_COMM_WORLD_RANK:-0}\" = 0 ] || exit 0\ncd \"$2\" || exit 1\n"
           "head -c 16 /dev/zero > result-zero\n"
           "printf '\\000\\000\\200\\077%.0s' 1 2 3 4 > result-one\nprintf '\\000\\000\\000\\100%.0s' 1 2 3 4 > "
           "result-two\n"
           "cat > report <<'end'\nlibrary Played MPI v1\n" +
           lines + "end\n";
  }
  Scratch scratch_;
};

TEST_F(PlayedWorker, WithOtherBitsThanPredictedIsADivergence) {
  const Ran ran = compare(told("run 0 zero zero\n"), {"--runs", "1", "--absolute", "1000"});
  EXPECT_EQ(ran.status, 12) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("divergence: predicted and measured bits disagree\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("Do the predictions hold?        No, not in 1 of 1 configuration measured with Played MPI "
                        "v1. openmpi-4.1/allreduce, measured (2 ranks, float32): element 0 is predicted to be "));
}

TEST_F(PlayedWorker, WithRanksAndRunsThatDifferAnswersBothQuestions) {
  const Ran ran = compare(told("run 0 zero one\nrun 0 two two\nrun 0 zero zero\n"), {"--runs", "3"});
  EXPECT_EQ(ran.status, 12) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("(2 ranks, float32): element 0 is 0 on rank 0 and 1 on another."));
  EXPECT_THAT(ran.out, HasSubstr("(2 ranks, float32): element 0 is 0 in the first run and 2 in a later one."));
  EXPECT_THAT(ran.out, HasSubstr("no           2 in 3 runs"));
}

TEST_F(PlayedWorker, ThatDoesNotEndIsStoppedAndLeavesNothing) {
  const std::string mark = (scratch_.folder() / "mark").string();
  const Ran ran = compare("echo \"$2\" > " + mark + "\nsleep 100\n", {"--timeout", "2"});
  EXPECT_EQ(ran.status, 4) << ran.err;
  EXPECT_THAT(ran.out, AllOf(StartsWith("ambiguous: "), HasSubstr("stopped after 2 s (--timeout)"),
                             HasSubstr("Do the predictions hold?        Not measured: its job was stopped after 2 s "
                                       "(--timeout). Where nothing else diverges, that is ambiguous (status 4).")));
  const std::string folder = scratch_.read("mark");
  ASSERT_THAT(folder, StartsWith("/"));
  EXPECT_FALSE(std::filesystem::exists(folder.substr(0, folder.find('\n'))));
}

TEST(CompareLive, SaysBeforehandThatNothingCanBeMeasured) {
  const Ran ran = Scratch().petri({"compare", "--live", "--orders", "ring", "--count", "9"});
  EXPECT_THAT(ran.err, StartsWith("petri compare: nothing is measured: only Open MPI's orders"));
}

TEST_F(PlayedWorker, ThatFailsIsTold) {
  const Ran silent = compare("echo 'no memory' >&2\nexit 7\n");
  EXPECT_EQ(silent.status, 3);
  EXPECT_THAT(silent.err, AllOf(HasSubstr("nothing could be measured"), HasSubstr("status 7"), HasSubstr("no memory")));
  const Ran late = compare(told("run 0 zero zero\n") + "exit 7\n", {"--runs", "2"});
  EXPECT_EQ(late.status, 4) << late.err;
  EXPECT_THAT(late.out, HasSubstr("its job ended with status 7"));
}

TEST(CompareLive, NeedsMpirunAndTheWorker) {
  const Scratch scratch;
  const auto without = [&](const std::string& setting) {
    return scratch.run({"env", setting, PETRI_PROGRAM, "compare", "--live", "--kernels", "reproducible"});
  };
  const Ran mpirun = without("PETRI_MPIRUN=/nowhere/mpirun");
  EXPECT_EQ(mpirun.status, 3);
  EXPECT_THAT(mpirun.err, HasSubstr("install Open MPI"));
  EXPECT_EQ(mpirun.out, "");
  const Ran worker = without("PETRI_WORKER=/nowhere/petri-worker");
  EXPECT_EQ(worker.status, 3);
  EXPECT_THAT(worker.err, HasSubstr("build petri with MPI"));
}

}  // namespace
}  // namespace petri::cli::testing
