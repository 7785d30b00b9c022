// petri compare as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/trace/sanitized.hpp"
#include "tests/cli/petri_process.hpp"
#include "tests/trace/npy_text.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using json = nlohmann::json;

TEST(Compare, AnswersThreeQuestionsApart) {
  const Ran ran = Scratch().petri({"compare", "--payload", "probe", "--ranks", "4", "--count", "24", "--orders",
                                   "own-first,arrival,sequential,pairwise", "--kernels", "exact", "--runs", "4"});
  EXPECT_EQ(ran.status, 12);
  EXPECT_EQ(ran.out, golden("compare.txt", ran.out));
  EXPECT_EQ(ran.err, "");
}

TEST(Compare, EndsWithZeroWhereAllAgree) {
  const Scratch scratch;
  const Ran exact = scratch.petri({"compare", "--kernels", "exact,reproducible", "--payload", "cancelling"});
  EXPECT_EQ(exact.status, 0);
  EXPECT_THAT(exact.out, StartsWith("completes: everything that was asked agrees\n"));
  EXPECT_EQ(scratch.petri({"compare", "--types", "int32,int64", "--payload", "log-uniform"}).status, 0);
  EXPECT_EQ(scratch.petri({"compare", "--op", "max"}).status, 0);
}

TEST(Compare, TakesATolerance) {
  const Scratch scratch;
  EXPECT_EQ(scratch.petri({"compare"}).status, 12);
  EXPECT_EQ(scratch.petri({"compare", "--absolute", "1e-4"}).status, 0);
  EXPECT_EQ(scratch.petri({"compare", "--absolute", "1e-9"}).status, 12);
  EXPECT_EQ(scratch.petri({"compare", "--relative", "0.5"}).status, 0);
  EXPECT_EQ(scratch.petri({"compare", "--ulp", "1"}).status, 12);
  EXPECT_EQ(scratch.petri({"compare", "--ulp", "1000"}).status, 0);
}

TEST(Compare, NamesTheDimensionThatMovedTheBits) {
  const Ran ran = Scratch().petri(
      {"compare", "--json", "--orders", "by-host,ring", "--layouts", "1x8,2x4", "--payload", "log-uniform"});
  ASSERT_EQ(ran.status, 12) << ran.err;
  const json told = json::parse(ran.out);
  EXPECT_EQ(told["verdict"], "divergence");
  EXPECT_EQ(told["ranks"]["agree"], true);
  EXPECT_EQ(told["configurations"]["agree"], false);
  ASSERT_EQ(told["moved"].size(), 2U);
  EXPECT_EQ(told["moved"][0]["dimension"], "algorithm");
  EXPECT_EQ(told["moved"][1]["dimension"], "layout over hosts");
  EXPECT_EQ(told["moved"][1]["pairs"], 2);  // a ring on two hosts is one on one host
  EXPECT_EQ(told["moved"][1]["moved"], 1);
  EXPECT_EQ(told["results"][1]["digest"], told["results"][3]["digest"]);
}

// The order of the nearest version that is known stands in for it: no wonder that they are the same.
TEST(Compare, AnUnknownVersionIsNoWitness) {
  const Ran ran = Scratch().petri(
      {"compare", "--json", "--orders", "openmpi-4.1/allreduce:3,openmpi-9.9/allreduce:3,openmpi-4.1/allreduce:4"});
  ASSERT_EQ(ran.status, 12) << ran.err;
  const json told = json::parse(ran.out);
  for (const json& moved : told["moved"]) EXPECT_NE(moved["dimension"], "library version");
}

TEST(Compare, SpreadsTheSameNumbersOverAnyRanks) {
  const Scratch scratch;
  const std::vector<std::string> words{"compare", "--ranks", "2,4,8", "--orders", "sequential", "--json"};
  const Ran ran = scratch.petri(words);
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json apart = json::parse(ran.out);
  EXPECT_EQ(apart["configurations"]["asked"], 0);
  auto same = words;
  same.push_back("--same-data");
  const Ran ran_same = scratch.petri(same);
  EXPECT_EQ(ran_same.status, 12) << ran_same.err;
  const json spread = json::parse(ran_same.out);
  EXPECT_EQ(spread["configurations"]["asked"], 2);
  EXPECT_EQ(spread["moved"][0]["dimension"], "number of ranks");
}

TEST(Compare, ReducesTheNumbersOfAScenario) {
  const Scratch scratch;
  scratch.write("case.jsonl", R"({"petri":1,"world":3}
{"rank":0,"op":"allreduce","count":1,"dtype":"float64","reduce":"sum","orders":["own-first"],"values":[1e16]}
{"rank":1,"op":"allreduce","count":1,"dtype":"float64","reduce":"sum","orders":["own-first"],"values":[1]}
{"rank":2,"op":"allreduce","count":1,"dtype":"float64","reduce":"sum","orders":["own-first"],"values":[-1e16]}
{"end":true,"events":3}
)");
  const Ran ran = scratch.petri({"compare", "case.jsonl"});
  EXPECT_EQ(ran.status, 12);
  EXPECT_THAT(ran.out, HasSubstr("element 0 is 0 on rank 0 and 1 on another"));
  EXPECT_EQ(scratch.petri({"compare", "case.jsonl", "--orders", "sequential"}).status, 0);
  EXPECT_EQ(scratch.petri({"compare", "case.jsonl", "--ranks", "4"}).status, 2);
  scratch.write("none.jsonl", "{\"petri\":1,\"world\":1}\n{\"rank\":0,\"op\":\"barrier\"}\n{\"end\":true}\n");
  EXPECT_EQ(scratch.petri({"compare", "none.jsonl"}).status, 2);
}

TEST(Compare, DrawsErrorsByRanks) {
  const Scratch scratch;
  const std::vector<std::string> words{"compare", "--ranks", "2,4,8", "--orders", "ring,sequential", "--plot"};
  const auto with = [&](const std::string& file) {
    auto all = words;
    all.push_back(file);
    return all;
  };
  EXPECT_EQ(scratch.petri(with("errors.pdf")).status, 2);
  const Ran missing = scratch.run({"sh", "-c", "PATH=/nowhere exec \"$0\" compare --plot errors.svg", PETRI_PROGRAM});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("install it (Debian and Ubuntu: gnuplot-nox)"));
  if (scratch.run({"sh", "-c", "command -v gnuplot"}).status != 0)
    GTEST_SKIP() << "gnuplot is not installed, and the build does not need it";
  const Ran drawn = scratch.petri(with("errors.svg"));
  EXPECT_EQ(drawn.status, 12);
  EXPECT_THAT(scratch.read("errors.svg"), AllOf(HasSubstr("<svg"), HasSubstr("ring, float32"), HasSubstr("</svg>")));
  EXPECT_EQ(scratch.petri(with("errors.png")).status, drawn.status);
  for (const std::string what : {"--op=max", "--types=int32", "--op=prod"}) {
    const Ran nothing = scratch.petri({"compare", what, "--payload=ramp", "--ranks=2,4", "--plot=nothing.svg"});
    EXPECT_THAT(nothing.err, HasSubstr("nothing is drawn to nothing.svg: ")) << what;
    EXPECT_THAT(nothing.out, HasSubstr("recursive-doubling")) << what;
    EXPECT_THAT(nothing.status, AnyOf(0, 12)) << what;
    EXPECT_EQ(scratch.read("nothing.svg"), "") << what;
  }
  EXPECT_THAT(scratch.read("errors.png"), StartsWith("\x89PNG"));
}

TEST(Compare, PrintsTheCatalogue) {
  const Ran ran = Scratch().petri({"compare", "--list"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("recursive-doubling"));
  EXPECT_THAT(ran.out, HasSubstr("nccl-2.30/"));
}

TEST(Compare, RefusesWhatItDoesNotKnow) {
  const Scratch scratch;
  const Ran order = scratch.petri({"compare", "--orders", "rnig"});
  EXPECT_EQ(order.status, 2);
  EXPECT_THAT(order.err,
              HasSubstr("there is no order 'rnig' for float32 sum on 8 ranks: no order is called 'rnig'; did you mean "
                        "'ring'? (--list prints all)\n"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--payload", "luck"},
                                                {"--ranks", "0"},
                                                {"--ranks", "4,"},
                                                {"--layouts", "2y4"},
                                                {"--layouts", "2x4", "--ranks", "4"},
                                                {"--types", "float31"},
                                                {"--types", "int8"},
                                                {"--op", "band"},
                                                {"--kernels", "atomic"},
                                                {"--kernels", "exact", "--op", "max"},
                                                {"--absolute", "-1"},
                                                {"--ulp", "x"},
                                                {"--locate", "one.jsonl"},
                                                {"--plot", ""},
                                                {"--locate", "one.jsonl", "two.jsonl", "--relative", "1e-3"},
                                                {"--same-data", "--op", "avg"},
                                                {"one.jsonl", "--seed", "0"},
                                                {"--timeout", "5"},
                                                {"--live", "--orders", "openmpi-4.1/allreduce:9"},
                                                {"--live", "--timeout", "0"},
                                                {"--live", "--locate", "one.jsonl", "two.jsonl"},
                                                {"one.jsonl", "two.jsonl"}}) {
    std::vector<std::string> all{"compare"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = scratch.petri(all);
    EXPECT_EQ(ran.status, 2) << words[0] << " " << words.back();
    EXPECT_NE(ran.err, "");
  }
}

// A typing mistake is told where it is, and a bound with its number.
TEST(Compare, NamesTheEmptyItemAndTheLimit) {
  const Scratch scratch;
  for (const auto& [words, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--ranks", "4,"}, "item 2 of 2 of --ranks is empty: '4,'"},
           {{"--orders", "ring,,tree"}, "item 2 of 3 of --orders is empty: 'ring,,tree'"},
           {{"--types", ",float32"}, "item 1 of 2 of --types is empty"},
           {{"--kernels", ""}, "--kernels is empty"},
           {{"--layouts", "2x4,"}, "item 2 of 2 of --layouts is empty"},
           {{"--payload", "a.npy,b.npy,"}, "item 3 of 3 of --payload is empty"},
           {{"--payload", ""}, "--payload is empty"},
           {{"--ranks", "1048577"}, "numbers from 1 to 1048576, not '1048577'"},
           {{"--layouts", "1024x1025"}, "of 1 to 1048576 ranks in all, not '1024x1025'"},
           {{"--count", "0"}, "--count needs a whole number from 1 to 72057594037927935, not '0'"},
           {{"--seed", "-1"}, "--seed needs a whole number from 0 to 18446744073709551615, not '-1'"},
           {{"--relative", "1e400"}, "--relative needs a number from 0 to 1.8e+308, not '1e400'"},
           {{"--runs", "1001"}, "--runs needs a whole number from 1 to 1000, not '1001'"}}) {
    std::vector<std::string> all{"compare"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = scratch.petri(all);
    EXPECT_EQ(ran.status, 2) << why;
    EXPECT_THAT(ran.err, HasSubstr(why));
  }
}

TEST(Compare, ReducesTheGradientsOfATraining) {
  const Scratch scratch;
  const std::vector<std::string> words{"compare", "--payload", "gradients", "--ranks",
                                       "8",       "--count",   "10000",     "--json"};
  const Ran ran = scratch.petri(words);
  EXPECT_EQ(ran.status, 12) << ran.err;
  EXPECT_EQ(scratch.petri(words).out, ran.out);
  auto seeded = words;
  seeded.insert(seeded.end(), {"--seed", "5"});
  EXPECT_NE(json::parse(scratch.petri(seeded).out)["results"][0]["digest"],
            json::parse(ran.out)["results"][0]["digest"]);
  EXPECT_EQ(scratch.petri({"compare", "--payload", "gradients", "case.jsonl"}).status, 2);
}

TEST(Compare, ReducesNumPyFiles) {
  const Scratch scratch;
  const std::vector<float> numbers{1e8F, 1, 1, 1, -1e8F, 1, 1, 1};
  scratch.write("all.npy", test::npy_file("<f4", "(4, 2)", numbers));
  for (const int rank : {0, 1, 2, 3})
    scratch.write("rank-" + std::to_string(rank == 3 ? 10 : rank) + ".npy",
                  test::npy_file<float>("<f4", "(2,)", {numbers[2 * rank], numbers[2 * rank + 1]}));
  const auto digests = [&](const std::string& payload) {
    const Ran ran = scratch.petri({"compare", "--payload", payload, "--orders", "sequential,pairwise", "--json"});
    EXPECT_NE(ran.status, 2) << payload << ran.err;
    const json told = json::parse(ran.out.empty() ? "{}" : ran.out);
    EXPECT_EQ(told["results"][0]["ranks"], 4);
    return std::pair(told["results"][0]["digest"].dump(), told["results"][1]["digest"].dump());
  };
  const auto all = digests("all.npy");
  EXPECT_NE(all.first, all.second);
  EXPECT_EQ(digests("rank-*.npy"), all);
  EXPECT_EQ(digests("rank-0.npy,rank-1.npy,rank-2.npy,rank-10.npy"), all);
  EXPECT_NE(digests("rank-0.npy,rank-2.npy,rank-1.npy,rank-10.npy"), all);
  const Ran spread = scratch.petri({"compare", "--payload", "all.npy", "--ranks", "1,2,4", "--same-data", "--json"});
  EXPECT_EQ(spread.status, 12);
  EXPECT_EQ(json::parse(spread.out)["configurations"]["asked"], 11);
  EXPECT_EQ(scratch.petri({"compare", "--payload", "all.npy", "--types", "int32"}).status, 0);
}

// What NumPy itself writes, where it is installed.
TEST(Compare, ReducesWhatNumPyWrites) {
  const Scratch scratch;
  if (scratch.run({"python3", "-c", "import numpy"}).status != 0) GTEST_SKIP() << "python3 has no numpy";
  const Ran made = scratch.run({"python3", "-c", R"(
import numpy as np
x = np.arange(4 * 3 * 50, dtype='<f4').reshape(4, 3, 50) ** 2 / 7
np.save('c.npy', x)
np.save('fortran.npy', np.asfortranarray(x))
np.save('big-endian.npy', x.astype('>f4'))
for version in (2, 3):
    with open(f'version-{version}.npy', 'wb') as file:
        np.lib.format.write_array(file, x, version=(version, 0))
np.save('objects.npy', np.array([1, 'a'], dtype=object))
np.savez('zip.npz', x=x)
)"});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto reduced = [&](const std::string& file) {
    return scratch.petri({"compare", "--payload", file, "--orders", "sequential", "--json"});
  };
  const json wanted = json::parse(reduced("c.npy").out)["results"][0]["digest"];
  for (const char* const file : {"fortran.npy", "big-endian.npy", "version-2.npy", "version-3.npy"})
    EXPECT_EQ(json::parse(reduced(file).out)["results"][0]["digest"], wanted) << file;
  EXPECT_THAT(reduced("objects.npy").err, HasSubstr("Python objects"));
  EXPECT_THAT(reduced("zip.npz").err, HasSubstr("a zip of arrays"));
}

TEST(Compare, RefusesNumPyFilesThatAreNone) {
  const Scratch scratch;
  scratch.write("x.npy", test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
  scratch.write("y.npy", test::npy_file<float>("<f4", "(2,)", {1, 2}));
  scratch.write("s.npy", test::npy_file<float>("<f4", "()", {1}));
  scratch.write("o.npy", test::npy_header("|O", "(1,)") + "12345678");
  scratch.write("u.npy", test::npy_file<std::uint64_t>("<u8", "(2,)", {1, 2}));
  for (const auto& [words, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"none.npy"}, "none.npy: cannot be read"},
           {{"none-*.npy"}, "none-*.npy: cannot be read"},
           {{"all.npz"}, "all.npz: cannot be read"},
           {{"x.npy,y.npy"}, "it has 2 elements, and x.npy has 4"},
           {{"s.npy"}, "it is a scalar"},
           {{"o.npy"}, "Python objects"},
           {{"u.npy"}, "uint64 is not reduced here"},
           {{"x.npy", "--ranks", "3"}, "3 ranks cannot have the numbers of 2"},
           {{"x.npy", "--count", "3"}, "--count 3 is more than the 2 elements"},
           {{"x.npy", "--scale", "2"}, "--scale is for generators"},
           {{"x.npy", "--seed", "2"}, "--seed is for generators"},
           {{"x.npy", "y.npy"}, "in quotes"}}) {
    std::vector<std::string> all{"compare", "--payload"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = scratch.petri(all);
    EXPECT_EQ(ran.status, 2) << why;
    EXPECT_THAT(ran.err, HasSubstr(why));
  }
}

TEST(Compare, TellsWhatAConversionLost) {
  const Scratch scratch;
  scratch.write("x.npy", test::npy_file<double>("<f8", "(2, 4)", {1.5, 3e9, -1, NAN, 2, 1e5, 1e-9, 0}));
  const std::vector<std::string> words{"compare", "--payload", "x.npy", "--orders", "sequential", "--types"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return scratch.petri(more).out;
  };
  EXPECT_THAT(with({"int32"}),
              HasSubstr("Conversion to int32: of 8 numbers of 2 ranks, 2 lost a fraction; 1 lay out of range, and "
                        "became the nearer end of it; 1 came as NaN, and became the least integer.\n"));
  EXPECT_THAT(with({"float16"}),
              HasSubstr("Conversion to float16: of 8 numbers of 2 ranks, 2 became infinite; 1 became 0.\n"));
  EXPECT_THAT(with({"float64,float32"}), ::testing::Not(HasSubstr("Conversion")));
  const json told = json::parse(with({"int32,float32", "--json"}));
  ASSERT_EQ(told["losses"].size(), 1U);
  EXPECT_EQ(told["losses"][0], json::parse(R"({"ranks":2,"type":"int32","numbers":8,"cut":2,"bounded":1,"nans":1,)"
                                           R"("vanished":0})"));
  // Not by way of a double, which would round it.
  scratch.write("u.npy", test::npy_file<std::uint64_t>("<u8", "(1, 2)", {(std::uint64_t{1} << 53) + 1, ~0ULL}));
  const Ran wide = scratch.petri({"compare", "--payload", "u.npy", "--types", "int64", "--orders", "sequential"});
  EXPECT_THAT(wide.out, HasSubstr("of 2 numbers of 1 rank, 1 lay out of range"));
}

// Names in a folder that others may write to.
TEST(Compare, NamesOfFilesAreOnePrintableLine) {
  const Scratch scratch;
  scratch.write("a\nb\x1b[2J\xc2\x9b.npy", test::npy_file<float>("<f4", "(2, 1)", {1, 2}));
  const Ran text = scratch.petri({"compare", "--payload", "a*.npy"});
  EXPECT_THAT(text.out, HasSubstr("the numbers in a b\xef\xbf\xbd[2J\xef\xbf\xbd.npy;"));
  const Ran told = scratch.petri({"compare", "--payload", "a*.npy", "--json"});
  EXPECT_THAT(told.out, HasSubstr("\\u001b[2J\\u009b.npy"));
}

TEST(Compare, ReadsALargeFilePieceByPiece) {
  const Scratch scratch;
  scratch.write("large.npy", test::npy_header("<f4", "(2, 536870912)"));
  std::filesystem::resize_file(scratch.folder() / "large.npy", 128 + (std::uintmax_t{4} << 30));  // 4 GiB of holes
#ifdef PETRI_SANITIZED  // which needs more than any limit for itself
  const std::string limit;
#else
  const std::string limit = "ulimit -v 1000000; ";
#endif
  const Ran ran =
      scratch.run({"sh", "-c", limit + "exec \"$0\" compare --payload large.npy --count 10000", PETRI_PROGRAM});
  EXPECT_EQ(ran.status, 0) << ran.err;
}

// The same numbers inline and in files have the same verdict, and shrink to the same scenario.
TEST(Compare, AScenariosNumbersMayLieInFiles) {
  const Scratch scratch;
  const std::vector<std::vector<float>> numbers{{1, 1e8F, 1}, {1, 1, 1}, {1, -1e8F, 1}, {1, 1, 1}};
  std::string text = "{\"petri\":1,\"world\":4}\n";
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const std::string name = "r" + std::to_string(rank) + ".npy";
    scratch.write(name, test::npy_file("<f4", "(3,)", numbers[rank]));
    text +=
        "{\"rank\":" + std::to_string(rank) +
        R"(,"op":"allreduce","count":3,"dtype":"float32","reduce":"sum","orders":["sequential","pairwise"],"npy":")" +
        name + "\"}\n";
  }
  scratch.write("case.jsonl", text + "{\"end\":true,\"events\":4}\n");
  const Ran diagnosed = scratch.petri({"diagnose", "case.jsonl"});
  EXPECT_EQ(diagnosed.status, 12) << diagnosed.err;
  EXPECT_THAT(diagnosed.out, HasSubstr("element 1 is 1 in sequential, and 0 in pairwise"));
  EXPECT_EQ(scratch.petri({"compare", "case.jsonl"}).status, 12);
  const Ran shrunk = scratch.petri({"shrink", "case.jsonl", "--oracle", "model", "--output", "small.jsonl"});
  EXPECT_EQ(shrunk.status, 0) << shrunk.err;
  EXPECT_THAT(scratch.read("small.jsonl"), AllOf(HasSubstr("\"count\":1"), HasSubstr("\"values\":[")));
  EXPECT_EQ(scratch.petri({"diagnose", "small.jsonl"}).status, 12);
}

// Small words that ask for terabytes, or for more than can be counted.
TEST(Compare, RefusesWhatDoesNotFit) {
  const Scratch scratch;
  struct Case {
    std::vector<std::string> words;
    std::string why;
  };
  std::string many = "ring";
  for (int i = 0; i < 10'000; ++i) many += ",ring";
  for (const Case& refused : std::vector<Case>{
           {{"--ranks", "100000", "--orders", "own-first"}, "'own-first' of 1000 elements on 100000 ranks has trees"},
           {{"--ranks", "1000000", "--orders", "arrival", "--runs", "1000"}, "the orders together have trees"},
           {{"--ranks", "16", "--orders", "openmpi-4.1/reduce:5+segment=4", "--count", "1099511627776"},
            "has trees and parts of more than 512 MiB"},
           {{"--ranks", "16", "--orders", "openmpi-4.1/allreduce:5+segment=4", "--count", "1099511627776"},
            "has trees and parts of more than 512 MiB"},
           {{"--ranks", "8,1048576", "--count", "72057594037927935"}, "are more than 2^56 contributions"},
           {{"--ranks", "1", "--count", "72057594037927935"}, "take a century"},
           {{"--orders", many}, "these are more than 4096 configurations"},
           {{"--ranks", "1048575,1048576", "--orders", many.substr(0, 399)}, "have more than 67108864 ranks"},
           {{"--orders", "ring:1000000"}, "CHANNELS of ring is a whole number from 1 to 65536, not '1000000'"},
           {{"--orders", "tree:0"}, "there is no order 'tree:0'"},
           {{"--orders", "blocks:0"}, "there is no order 'blocks:0'"}}) {
    std::vector<std::string> all{"compare"};
    all.insert(all.end(), refused.words.begin(), refused.words.end());
    const Ran ran = scratch.petri(all);
    EXPECT_EQ(ran.status, 2) << refused.why;
    EXPECT_THAT(ran.err, HasSubstr(refused.why));
  }
}

// Its work is told before it begins; a signal ends it at once, and what was compared until then is told.
TEST(Compare, ThatWouldTakeWeeksSaysSoAndIsInterrupted) {
  const Scratch scratch;
  const Ran ran = scratch.run({"sh", "-c",
                               "\"$0\" compare --count 1099511627776 --json > out 2> err & "
                               "until grep -q numbers err; do :; done; kill $!; wait $!",
                               PETRI_PROGRAM});
  EXPECT_EQ(ran.status, 143);
  const std::string told = scratch.read("out"), said = scratch.read("err");
  EXPECT_THAT(said, StartsWith("petri compare: 1099511627776 elements in 4 configurations: about "));
  if (told.empty())
    EXPECT_THAT(said, HasSubstr("interrupted before an element was compared"));
  else
    EXPECT_LT(json::parse(told)["compared"].get<std::uint64_t>(), std::uint64_t{1} << 40);
}

TEST(Compare, HoldsAMillionRanksInFewElementsAtATime) {
  const Ran ran = Scratch().petri({"compare", "--ranks", "1048576", "--count", "2", "--orders", "ring:65536,binomial",
                                   "--jobs", "1024", "--payload", "constant", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["results"].size(), 2U);
}

// Two ranks that reduce once; rank 1 has `input`, and both get `result`.
std::string reduced_once(const std::string& input, const std::string& result) {
  std::string text = "{\"petri\":1,\"world\":2}\n";
  for (const char* const rank : {"0", "1"})
    text += std::string("{\"rank\":") + rank +
            R"(,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum","step":12,"category":"gradient",)" +
            R"("in":{"digest":"xxh3-128:)" + (*rank == '1' ? input : "aa") + R"("},"out":{"digest":"xxh3-128:)" +
            result + "\",\"sum\":" + (result == "cc" ? "3.5" : "3.25") + "}}\n";
  return text + "{\"end\":true,\"events\":2}\n";
}

TEST(CompareLocate, TellsTheFirstCallAndWhetherItsInputsDiffered) {
  const Scratch scratch;
  scratch.write("one.jsonl", reduced_once("bb", "cc"));
  scratch.write("order.jsonl", reduced_once("bb", "dd"));
  scratch.write("input.jsonl", reduced_once("ee", "dd"));
  const Ran order = scratch.petri({"compare", "--locate", "one.jsonl", "order.jsonl"});
  EXPECT_EQ(order.status, 12);
  EXPECT_EQ(order.out, golden("locate.txt", order.out));
  const Ran input = scratch.petri({"compare", "--locate", "one.jsonl", "input.jsonl"});
  EXPECT_EQ(input.status, 12);
  EXPECT_THAT(input.out, HasSubstr("Its inputs already differ, on rank 1"));
  EXPECT_EQ(scratch.petri({"compare", "--locate", "one.jsonl", "one.jsonl"}).status, 0);
  const json told = json::parse(scratch.petri({"compare", "--locate", "--json", "one.jsonl", "order.jsonl"}).out);
  EXPECT_EQ(told["first"]["step"], 12);
  EXPECT_EQ(told["first"]["inputs"], "same");
  EXPECT_EQ(told["first"]["category"], "gradient");
  EXPECT_EQ(told["first"]["differs"]["one"], "xxh3-128:cc");
}

TEST(CompareLocate, DoesNotDecideWithoutDigests) {
  const Scratch scratch;
  const std::string barrier = "{\"petri\":1,\"world\":1}\n{\"rank\":0,\"op\":\"barrier\"}\n{\"end\":true}\n";
  scratch.write("one.jsonl", barrier);
  scratch.write("more.jsonl", "{\"petri\":1,\"world\":2}\n{\"end\":true}\n");
  EXPECT_EQ(scratch.petri({"compare", "--locate", "one.jsonl", "one.jsonl"}).status, 4);
  EXPECT_EQ(scratch.petri({"compare", "--locate", "one.jsonl", "more.jsonl"}).status, 2);
  scratch.write("none.jsonl", "{\"petri\":1,\"world\":1}\n{\"rank\":0,\"op\":\"init\"}\n{\"end\":true}\n");
  const Ran fewer = scratch.petri({"compare", "--locate", "one.jsonl", "none.jsonl"});
  EXPECT_EQ(fewer.status, 12);
  EXPECT_THAT(fewer.out, HasSubstr("and no further collective call on world in none.jsonl"));
}

}  // namespace
}  // namespace petri::cli::testing
