#include "harness/launch/captured_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "harness/launch/run_folder.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

class Captured : public ::testing::Test {
 protected:
  ~Captured() override { fs::remove_all(folder); }

  void append(const std::string& text) const {
    std::ofstream(folder / "output", std::ios::binary | std::ios::app) << text;
  }
  std::size_t bytes_taken() const {
    struct stat state {};
    stat((folder / "output").c_str(), &state);
    return static_cast<std::size_t>(state.st_blocks) * 512;
  }

  fs::path folder = make_run_folder(0);
  CapturedOutput output{folder / "output"};
};

TEST_F(Captured, NothingIsTheEndOfNothing) {
  output.trim();
  EXPECT_EQ(output.end(), "");
}

TEST_F(Captured, LittleIsKeptAsItIs) {
  append("a line\n");
  output.trim();
  append("another\n");
  EXPECT_EQ(output.end(), "a line\nanother\n");
}

TEST_F(Captured, OfMuchTheEndIsKeptAndTheRestTakesNoRoom) {
  for (int i = 0; i < 20; ++i) {
    append(std::string(1 << 20, static_cast<char>('a' + i)));
    output.trim();
    EXPECT_LT(bytes_taken(), std::size_t{6} << 20) << i;
  }
  append("the end");
  EXPECT_EQ(output.end(), std::string((64 << 10) - 7, 't') + "the end");
}

}  // namespace
}  // namespace petri
