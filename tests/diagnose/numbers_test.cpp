// Reductions whose result depends on the order: the failures that the field has met, and what is no failure.
#include <gmock/gmock.h>

#include <sstream>
#include <stop_token>

#include "harness/diagnose/diagnose.hpp"
#include "harness/diagnose/order_search.hpp"
#include "harness/trace/read.hpp"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One reduction in which each rank contributes its values.
Scenario reduction(const std::vector<std::string>& values, const std::string& orders, const std::string& more,
                   std::size_t count = 1) {
  std::string text = "{\"petri\":1,\"world\":" + std::to_string(values.size()) + "}\n";
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    text += "{\"rank\":" + std::to_string(rank) + ",\"op\":\"allreduce\",\"count\":" + std::to_string(count) +
            ",\"orders\":" + orders + "," + more + ",\"values\":" + values[rank] + "}\n";
  std::istringstream in(text + "{\"end\":true,\"events\":" + std::to_string(values.size()) + "}\n");
  return read_scenario(in, "test");
}

const std::string kFloat = R"("dtype":"float32","reduce":"sum")", kDouble = R"("dtype":"float64","reduce":"sum")";

TEST(Numbers, ranks_that_add_their_own_first_disagree) {
  const Diagnosis diagnosis = diagnose(reduction({"[1e16]", "[1]", "[-1e16]"}, R"(["own-first"])", kDouble));
  EXPECT_EQ(diagnosis.signature, "divergence: allreduce@0 ranks disagree in own-first");
  EXPECT_THAT(diagnosis.findings[0].culprits, ElementsAre(2));
  EXPECT_THAT(diagnosis.findings[0].text, HasSubstr("element 0 is 0 on rank 0, and 1 on rank 2"));
}

TEST(Numbers, most_ranks_are_what_is_expected) {
  // Where the two large ones meet first, the small ones count.
  const Diagnosis diagnosis =
      diagnose(reduction({"[1]", "[1e16]", "[-1e16]", "[1]", "[0]"}, R"(["own-first"])", kDouble));
  ASSERT_EQ(diagnosis.signature, "divergence: allreduce@0 ranks disagree in own-first");
  const Finding& finding = diagnosis.findings[0];
  const auto rank_of = [](const std::string& side) { return std::stoi(side.substr(5)); };
  EXPECT_EQ(std::count(finding.culprits.begin(), finding.culprits.end(), rank_of(finding.expected)), 0);
  EXPECT_EQ(std::count(finding.culprits.begin(), finding.culprits.end(), rank_of(finding.actual)), 1);
}

// Else a shrunk case would show any difference in the place of this one.
TEST(Numbers, what_sets_results_apart_is_part_of_the_signature) {
  const auto signature = [](const std::vector<std::string>& values, const std::string& orders,
                            const std::string& more) { return diagnose(reduction(values, orders, more)).signature; };
  const std::string both = R"(["sequential","recursive-doubling"])";
  EXPECT_EQ(signature({"[3e38]", "[3e38]", "[-3e38]", "[-3e38]"}, both, kFloat),
            "divergence: allreduce@0 sequential and recursive-doubling disagree on NaN");
  EXPECT_EQ(signature({"[3e38]", "[-3e38]", "[3e38]", "[0]"}, R"(["sequential","arrival:3"])", kFloat),
            "divergence: allreduce@0 sequential and arrival:3 disagree on infinity");
}

TEST(Numbers, orders_are_those_of_all_ranks) {
  const std::string head = "{\"petri\":1,\"world\":3}\n";
  const auto call = [](int rank, const std::string& value, const std::string& more) {
    return "{\"rank\":" + std::to_string(rank) +
           R"(,"op":"allreduce","count":1,"dtype":"float64","reduce":"sum","values":[)" + value + "]" + more + "}\n";
  };
  const auto judged = [&](const std::string& text) {
    std::istringstream in(head + text + "{\"end\":true}\n");
    return diagnose(read_scenario(in, "case.jsonl"));
  };
  EXPECT_EQ(judged(call(0, "1e16", "") + call(1, "1", "") + call(2, "-1e16", R"(,"orders":["own-first"])")).signature,
            "divergence: allreduce@0 ranks disagree in own-first");
  EXPECT_EQ(judged(call(0, "1e16", R"(,"orders":["sequential"])") + call(1, "1", "") +
                   call(2, "-1e16", R"(,"orders":["tree:1"])"))
                .signature,
            "");
}

// As a recorder writes it: `count` is the caller's own block.
TEST(Numbers, a_scattered_result_is_as_long_as_its_blocks) {
  const auto scattered = [](const std::string& sizes, const std::string& values) {
    std::string text = "{\"petri\":1,\"world\":3}\n";
    for (int rank = 0; rank < 3; ++rank)
      text += "{\"rank\":" + std::to_string(rank) + R"(,"op":"reduce_scatter",)" +
              (sizes.empty() ? R"("count":1)" : R"("count":)" + std::to_string(rank) + R"(,"counts":)" + sizes) +
              R"(,"dtype":"float64","reduce":"sum","orders":["sequential","ring"],"values":)" +
              (rank == 1 ? values : R"([1,1,)" + std::string(rank == 0 ? "1e16]" : "-1e16]")) + "}\n";
    std::istringstream in(text + "{\"end\":true}\n");
    return diagnose(read_scenario(in, "case.jsonl"));
  };
  for (const std::string sizes : {"[0,1,2]", ""}) {
    const Diagnosis diagnosis = scattered(sizes, "[1,1,1]");
    EXPECT_EQ(diagnosis.verdict, Verdict::divergence) << sizes;
    EXPECT_THAT(diagnosis.findings.at(0).text, HasSubstr("element 2 is")) << sizes;
    EXPECT_EQ(scattered(sizes, "[1,1,0]").verdict, Verdict::completes) << sizes;
  }
}

TEST(Numbers, two_orders_disagree_and_nobody_is_to_blame) {
  const Diagnosis diagnosis = diagnose(
      reduction({"[1, 1e8]", "[1, 1]", "[1, -1e8]", "[1, 1]"}, R"(["sequential","recursive-doubling"])", kFloat, 2));
  EXPECT_EQ(diagnosis.verdict, Verdict::divergence);
  EXPECT_EQ(diagnosis.signature, "divergence: allreduce@0 sequential and recursive-doubling disagree");
  EXPECT_THAT(diagnosis.findings[0].culprits, IsEmpty());
  EXPECT_THAT(diagnosis.findings[0].text, HasSubstr("element 1 is 1 in sequential, and 0 in recursive-doubling"));
}

TEST(Numbers, runs_of_an_order_of_arrival_disagree) {
  const Diagnosis diagnosis = diagnose(reduction({"[1e8]", "[1]", "[-1e8]", "[1]"}, R"(["arrival"])", kFloat));
  EXPECT_EQ(diagnosis.signature, "divergence: allreduce@0 runs disagree in arrival");
}

TEST(Numbers, a_nan_that_nobody_contributed) {
  const Diagnosis diagnosis = diagnose(reduction({"[\"inf\"]", "[\"-inf\"]"}, R"(["ring"])", kFloat));
  EXPECT_EQ(diagnosis.signature, "divergence: allreduce@0 NaN appears in ring");
  const Diagnosis contributed = diagnose(reduction({"[\"nan\"]", "[1]"}, R"(["ring"])", kFloat));
  EXPECT_EQ(contributed.verdict, Verdict::completes);
}

TEST(Numbers, a_narrow_type_rounds_at_each_hop) {
  const std::string half = R"("dtype":"bfloat16","reduce":"sum")";
  std::vector<std::string> ranks(8, "[1]");
  ranks[0] = "[256]";
  EXPECT_EQ(diagnose(reduction(ranks, R"(["ring","sequential@float32"])", half)).signature,
            "divergence: allreduce@0 ring and sequential@float32 disagree");
  EXPECT_EQ(diagnose(reduction(ranks, R"(["ring","sequential"])", half)).verdict, Verdict::completes);
}

TEST(Numbers, a_decomposition_changes_the_sum) {
  EXPECT_EQ(
      diagnose(reduction({"[1e8]", "[1]", "[-1e8]", "[1]"}, R"(["blocks:1","blocks:2","blocks:4"])", kFloat)).signature,
      "divergence: allreduce@0 blocks:1 and blocks:2 disagree");
}

TEST(Numbers, equal_bits_and_reductions_without_orders_are_no_failure) {
  EXPECT_EQ(diagnose(reduction({"[1]", "[2]", "[3]", "[4]"}, R"(["sequential","ring","tree:3"])", kFloat)).verdict,
            Verdict::completes);
  EXPECT_EQ(diagnose(reduction({"[1e16]", "[1]", "[-1e16]"}, "[]", kDouble)).verdict, Verdict::completes);
}

TEST(Numbers, an_order_that_is_not_known_decides_nothing) {
  const Diagnosis diagnosis = diagnose(reduction({"[1]", "[2]"}, R"(["rign"])", kFloat));
  EXPECT_EQ(diagnosis.verdict, Verdict::ambiguous);
  EXPECT_THAT(diagnosis.findings[0].text, HasSubstr("there is no order 'rign' for float32 sum"));
}

// A reduction of generated numbers, which a line can ask for in any size.
Scenario generated(int ranks, const std::string& count, const std::string& orders, const std::string& op) {
  std::string text = "{\"petri\":1,\"world\":" + std::to_string(ranks) + "}\n";
  for (int rank = 0; rank < ranks; ++rank)
    text += "{\"rank\":" + std::to_string(rank) + ",\"op\":" + op + "," + count + ",\"orders\":" + orders +
            R"(,"dtype":"float32","reduce":"sum","fill":{"generator":"constant","seed":0}})" + "\n";
  std::istringstream in(text + "{\"end\":true,\"events\":" + std::to_string(ranks) + "}\n");
  return read_scenario(in, "test");
}

TEST(Numbers, what_is_too_large_is_not_decided) {
  struct Case {
    int ranks;
    std::string count, orders, op, why;
  };
  const std::string two = R"(["sequential","ring"])";
  for (const Case& large : std::vector<Case>{
           {3, R"("count":1099511627776)", two, R"("allreduce")",
            "elements show no difference, and the others were not"},
           {4, R"("count":2305843009213693951)", two, R"("reduce_scatter_block")", "more than 2^56 contributions"},
           {2, R"("recvcounts":[1152921504606846975,1152921504606846975])", two, R"("reduce_scatter")",
            "more than 2^56 contributions"},
           {16, R"("count":1099511627776)", R"(["openmpi-4.1/reduce:5+segment=4"])", R"("allreduce")",
            "of more than 512 MiB"}}) {
    const Diagnosis diagnosis = diagnose(generated(large.ranks, large.count, large.orders, large.op));
    EXPECT_EQ(diagnosis.verdict, Verdict::ambiguous) << large.why;
    ASSERT_FALSE(diagnosis.findings.empty());
    EXPECT_THAT(diagnosis.findings[0].text, HasSubstr("too large to evaluate here"));
    EXPECT_THAT(diagnosis.findings[0].text, HasSubstr(large.why));
  }
}

TEST(Numbers, a_difference_at_the_beginning_is_found_in_any_size) {
  const Scenario large =
      generated(3, R"("count":1099511627776)", R"(["own-first","openmpi-4.1/reduce:5+segment=4"])", R"("allreduce")");
  EXPECT_EQ(diagnose(large).verdict, Verdict::ambiguous) << "constant numbers: no order matters";
  Scenario differs = large;
  for (RankTrace& rank : differs.ranks)
    rank.events[0].extras.set_fill(Fill{.generator = Generator::probe, .seed = 0, .scale = 1});
  EXPECT_EQ(diagnose(differs).signature, "divergence: allreduce@0 ranks disagree in own-first");
}

// A search that shrinks gives up candidates, and is itself ended by a signal or a limit.
TEST(Numbers, nothing_is_evaluated_for_an_answer_that_nobody_wants) {
  const Scenario large = generated(3, R"("count":1099511627776)", R"(["own-first"])", R"("allreduce")");
  const auto reductions = diagnosis::reductions_of(large);
  std::stop_source stop;
  stop.request_stop();
  std::uint64_t work = diagnosis::kMostWork;
  EXPECT_FALSE(diagnosis::search_difference(reductions.at(0), work, stop.get_token()).difference);
  EXPECT_EQ(work, diagnosis::kMostWork);
}

TEST(Numbers, ten_thousand_orders_are_evaluated_in_small_tiles) {
  std::string orders = "[\"arrival\"";
  for (int i = 0; i < 10'000; ++i) orders += ",\"ring\"";
  const Diagnosis diagnosis = diagnose(generated(4, R"("count":1000)", orders + "]", R"("allreduce")"));
  EXPECT_EQ(diagnosis.verdict, Verdict::completes);
}

TEST(Numbers, a_difference_in_a_late_element_is_found) {
  std::string one = "[", other = "[";
  for (int i = 0; i < 9000; ++i) {
    one += i == 8999 ? "1e8" : "1,";
    other += i == 8999 ? "-1e8" : "1,";
  }
  const std::string rest = "[0.25]";
  EXPECT_THAT(diagnose(reduction({one + "]", other + "]", rest}, R"(["sequential","tree:1"])", kFloat, 9000))
                  .findings.at(0)
                  .text,
              HasSubstr("element 8999 is"));
}

}  // namespace
}  // namespace petri
