// NumPy files: what they hold, and what is refused before anything is done with it.
#include "harness/trace/npy.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "harness/trace/error.hpp"
#include "harness/trace/npy_payload.hpp"
#include "tests/trace/npy_text.hpp"
#include "tests/trace/text.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using test::npy_file;
using test::npy_header;
using testing::ElementsAre;
using testing::HasSubstr;

class Npy : public testing::Test {
 protected:
  Npy() {
    std::string name = testing::TempDir() + "npy-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~Npy() override { fs::remove_all(folder); }

  std::string write(const std::string& name, const std::string& bytes) const {
    const fs::path file = folder / name;
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

  std::vector<double> numbers(const std::string& bytes) const {
    const NpyFile file(write("x.npy", bytes));
    std::vector<double> all(file.header().elements);
    file.read(0, all);
    return all;
  }

  fs::path folder;
};

std::string reason(const std::string& bytes) {
  try {
    parse_npy_header(std::string_view(bytes).substr(0, kMostNpyHeader), bytes.size());
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "none";
}

TEST_F(Npy, numbers_of_all_kinds_are_read) {
  EXPECT_THAT(numbers(npy_file<float>("<f4", "(3,)", {1, -0.5F, 1e30F})), ElementsAre(1, -0.5, 1e30F));
  EXPECT_THAT(numbers(npy_file<double>("|f8", "(2, 1)", {0.1, -1e300})), ElementsAre(0.1, -1e300));
  EXPECT_THAT(numbers(npy_file<std::int8_t>("|i1", "(2,)", {-128, 127})), ElementsAre(-128, 127));
  EXPECT_THAT(numbers(npy_file<std::uint8_t>("u1", "(1,)", {255})), ElementsAre(255));
  EXPECT_THAT(numbers(npy_file<std::int16_t>("<i2", "(1,)", {-2})), ElementsAre(-2));
  EXPECT_THAT(numbers(npy_file<std::uint16_t>("<u2", "(1,)", {65535})), ElementsAre(65535));
  EXPECT_THAT(numbers(npy_file<std::int32_t>("=i4", "(1,)", {-3})), ElementsAre(-3));
  EXPECT_THAT(numbers(npy_file<std::uint32_t>("<u4", "(1,)", {4294967295U})), ElementsAre(4294967295.0));
  EXPECT_THAT(numbers(npy_file<std::int64_t>("<i8", "()", {-4})), ElementsAre(-4));
  EXPECT_THAT(numbers(npy_file<std::uint64_t>("<u8", "(1,)", {5})), ElementsAre(5));
  EXPECT_THAT(numbers(npy_file<float>("<f4", "(0, 9223372036854775807)", {})), ElementsAre());
}

TEST_F(Npy, halves_are_exact) {
  const std::vector<std::uint16_t> half{0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x7c00, 0x8000};
  EXPECT_THAT(numbers(npy_file("<f2", "(7,)", half)), ElementsAre(1, -2, 0x1p-24, -1023 * 0x1p-24, 65504, HUGE_VAL, 0));
  EXPECT_TRUE(std::signbit(numbers(npy_file("<f2", "(7,)", half))[6]));
  EXPECT_TRUE(std::isnan(numbers(npy_file<std::uint16_t>("<f2", "(1,)", {0x7e00}))[0]));
  for (const char* const name : {"<V2", "|V2", "V2", "bfloat16"})
    EXPECT_THAT(numbers(npy_file<std::uint16_t>(name, "(2,)", {0x3f80, 0xc040})), ElementsAre(1, -3)) << name;
}

TEST_F(Npy, either_byte_order_is_read) {
  EXPECT_THAT(numbers(npy_file<std::uint8_t>(">f4", "(1,)", {0x40, 0x48, 0, 0})), ElementsAre(3.125));
  EXPECT_THAT(numbers(npy_file<std::uint8_t>(">i2", "(2,)", {0x01, 0x02, 0xff, 0xfe})), ElementsAre(258, -2));
}

TEST_F(Npy, fortran_order_is_turned) {
  // 2 × 3 × 2, element (i, j, k) = 100 i + 10 j + k.
  std::vector<float> turned;
  std::vector<double> wanted;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) turned.push_back(static_cast<float>(100 * i + 10 * j + k));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k) wanted.push_back(100 * i + 10 * j + k);
  EXPECT_EQ(numbers(npy_file("<f4", "(2, 3, 2)", turned, true)), wanted);
  // Larger than the piece that is looked at at a time.
  std::vector<double> large(3 * 20'000);
  for (std::size_t j = 0; j < 20'000; ++j)
    for (std::size_t i = 0; i < 3; ++i) large[j * 3 + i] = static_cast<double>(i * 20'000 + j);
  const std::vector<double> read = numbers(npy_file("<f8", "(3, 20000)", large, true));
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i], static_cast<double>(i));
}

TEST_F(Npy, all_versions_are_read) {
  for (const int version : {1, 2, 3})
    EXPECT_THAT(numbers(npy_header("{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\"<i4\"}", version) +
                        "\1\0\0\0\2\0\0\0"s),
                ElementsAre(1, 2))
        << version;
}

TEST_F(Npy, what_is_no_array_of_numbers_is_refused) {
  EXPECT_THAT(reason("PK\3\4"), HasSubstr("a zip of arrays (.npz): save the one that is meant"));
  EXPECT_THAT(reason(""), HasSubstr("no NumPy array"));
  EXPECT_THAT(reason(npy_header("|O", "(1,)")), HasSubstr("Python objects"));
  EXPECT_THAT(reason(npy_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")),
              HasSubstr("records"));
  for (const char* const kind : {"<c8", "<M8[ns]", "<U4", "|S3", "|b1", "<f16", "V4", "", "<", "<f4 "})
    EXPECT_THAT(reason(npy_header(kind, "(1,)")), HasSubstr("its elements are '")) << kind;
}

TEST_F(Npy, what_the_header_claims_is_held_against_the_file) {
  EXPECT_EQ(reason(npy_header("<f4", "(2,)") + "12345678"), "none");
  for (const char* const shape :
       {"(1,)", "(3,)", "(18446744073709551615,)", "(4294967296, 4294967296)", "(9223372036854775807, 2)", "(0,)"})
    EXPECT_THAT(reason(npy_header("<f4", shape) + "12345678"), HasSubstr("its header claims")) << shape;
  for (const char* const shape : {"(-1,)", "(18446744073709551616,)", "(1.5,)", "2", "(2", "(a,)", "(2 3)", "None"})
    EXPECT_NE(reason(npy_header("<f4", shape) + "12345678"), "none") << shape;
  std::string axes = "(";
  for (int i = 0; i < 65; ++i) axes += "1,";
  EXPECT_THAT(reason(npy_header("<f4", axes + ")") + "1234"), HasSubstr("more than 64 axes"));
}

TEST_F(Npy, a_broken_header_is_refused) {
  const std::string whole = npy_header("<f4", "(2,)");
  for (std::size_t end = 0; end < whole.size(); ++end) EXPECT_NE(reason(whole.substr(0, end)), "none") << end;
  std::string version = whole;
  version[6] = 4;
  EXPECT_THAT(reason(version), HasSubstr("its format 4.0 is unknown"));
  std::string length = npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 2);
  length[11] = '\x7f';
  EXPECT_THAT(reason(length), HasSubstr("longer than 64 KiB"));
  for (const char* const text :
       {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "__import__('os')", "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} + 1"})
    EXPECT_NE(reason(npy_header(text) + "12345678"), "none") << text;
}

TEST_F(Npy, a_file_that_cannot_be_read_is_refused) {
  EXPECT_THROW(NpyFile((folder / "none.npy").string()), InputError);
  EXPECT_THROW(NpyFile(folder.string()), InputError);
  const std::string path = write("x.npy", npy_file<float>("<f4", "(4,)", {1, 2, 3, 4}));
  const NpyFile file(path);
  fs::resize_file(path, fs::file_size(path) - 4);
  std::vector<double> numbers(4);
  EXPECT_THROW(file.read(0, numbers), InputError);
  const fs::path pipe = folder / "pipe.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(NpyFile(pipe.string()), InputError);
}

// One reduction whose rank 0 has its numbers in a file.
Scenario with_file(const std::string& name, const std::string& more = R"("count":2,"dtype":"float32")") {
  return test::read_text("{\"petri\":1,\"world\":1}\n{\"rank\":0,\"op\":\"allreduce\"," + more +
                         R"(,"reduce":"sum","orders":["ring"],"npy":")" + name + "\"}\n{\"end\":true}\n");
}

TEST_F(Npy, a_scenarios_numbers_are_taken_in) {
  write("x.npy", npy_file<float>("<f4", "(2,)", {1.5F, -2}));
  Scenario scenario = with_file("x.npy");
  take_in_npy(scenario, folder, {});
  EXPECT_THAT(scenario.ranks[0].events[0].extras.values(), ElementsAre(1.5, -2));
  EXPECT_EQ(scenario.ranks[0].events[0].extras.npy(), "");
}

TEST_F(Npy, a_scenarios_file_that_does_not_fit_is_refused) {
  write("x.npy", npy_file<float>("<f4", "(2,)", {1, 2}));
  write("i.npy", npy_file<std::int64_t>("<i8", "(1,)", {std::int64_t{1} << 53}));
  const auto refused = [&](Scenario scenario, const fs::path& at) -> std::string {
    try {
      take_in_npy(scenario, at, {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(refused(with_file("x.npy", R"("count":3,"dtype":"float32")"), folder), HasSubstr("it has 2 elements"));
  EXPECT_THAT(refused(with_file("x.npy", R"("count":2,"dtype":"float64")"), folder), HasSubstr("elements of float32"));
  EXPECT_THAT(refused(with_file("i.npy", R"("count":1,"dtype":"int64")"), folder), HasSubstr("integers of 2^53"));
  EXPECT_THAT(refused(with_file("y.npy"), folder), HasSubstr("cannot be read"));
  fs::create_directory(folder / "sub");
  for (const std::string& name : {std::string("../x.npy"), (folder / "x.npy").string(), std::string("a/../../x.npy")})
    EXPECT_THAT(refused(with_file(name), folder / "sub"), HasSubstr("leads out of the folder")) << name;
  fs::create_symlink(folder / "x.npy", folder / "sub" / "link.npy");
  EXPECT_THAT(refused(with_file("link.npy"), folder / "sub"), HasSubstr("leads out of the folder"));
  EXPECT_EQ(refused(with_file("./x.npy"), folder), "none");
  EXPECT_THAT(refused(with_file("i.npy", R"("count":2,"dtype":"int64")"), folder), HasSubstr("not as many"));
}

TEST_F(Npy, an_error_names_the_line_that_names_the_file) {
  const std::string text =
      "{\"petri\":1,\"world\":2}\n"
      R"({"rank":1,"op":"barrier"})"
      "\n"
      R"({"rank":1,"op":"allreduce","count":2,"dtype":"float32","reduce":"sum","npy":"y.npy"})"
      "\n{\"end\":true,\"events\":2}\n";
  const std::string path = write("case.jsonl", text);
  Scenario scenario = read_scenario(path);
  try {
    take_in_npy(scenario, folder, path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.file(), path);
    EXPECT_EQ(error.line(), 3U);
    EXPECT_THAT(error.what(), HasSubstr("case.jsonl:3: \"npy\": " + (folder / "y.npy").string() + ": cannot be read"));
  }
  try {
    take_in_npy(scenario, folder, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("standard input: \"npy\" of rank 1, event 1: "));
  }
}

// The system would be asked for the name before the NUL, and a terminal shown what is behind it.
TEST_F(Npy, a_name_with_a_nul_or_with_controls_reaches_neither_the_system_nor_a_terminal) {
  write("x.npy", npy_file<float>("<f4", "(2,)", {1, 2}));
  Scenario scenario = with_file("x.npy");
  scenario.ranks[0].events[0].extras.set_npy("x.npy\0\x1b[2J"s);
  try {
    take_in_npy(scenario, folder, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a file's name ends at a NUL"));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace petri
