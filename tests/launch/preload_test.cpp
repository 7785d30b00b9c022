#include "harness/launch/preload.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "harness/launch/run_folder.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PreloadTest : public ::testing::Test {
 protected:
  PreloadTest() : folder_(make_run_folder(0)) { unsetenv("LD_PRELOAD"); }
  ~PreloadTest() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(PreloadTest, ALibraryIsNamedWhereItLies) {
  const Preload plain("/opt/petri/lib/r.so", folder_, true);
  EXPECT_EQ(plain.list(), "/opt/petri/lib/r.so");
  plain.make_link();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(PreloadTest, APathThatWouldBeCutIsReachedByALinkOfTheRun) {
  for (const char* name : {"my petri", "a:b", "$LIB"}) {
    const fs::path library = folder_ / name / "r.so";
    fs::create_directory(library.parent_path());
    std::ofstream(library) << name;
    const Preload linked(library, folder_, false);
    linked.make_link();
    const fs::path link = linked.list();
    EXPECT_FALSE(is_cut_in_preload(link)) << link;
    EXPECT_TRUE(fs::equivalent(link, library)) << link;
    fs::remove(link);
  }
}

TEST_F(PreloadTest, TheUsersOwnListComesBehind) {
  setenv("LD_PRELOAD", "/usr/lib/a.so:/usr/lib/b.so", 1);
  EXPECT_EQ(Preload("/opt/r.so", folder_, false).list(), "/opt/r.so:/usr/lib/a.so:/usr/lib/b.so");
  unsetenv("LD_PRELOAD");
}

TEST_F(PreloadTest, WhereALinkWouldNotHelpItSaysSo) {
  EXPECT_THAT([&] { Preload("/opt/my petri/r.so", folder_, true); },
              ThrowsMessage<EnvironmentError>(HasSubstr("other hosts")));
  EXPECT_THAT([&] { Preload("/opt/my petri/r.so", "/tmp/my place/run", false); },
              ThrowsMessage<EnvironmentError>(HasSubstr("set TMPDIR")));
}

}  // namespace
}  // namespace petri
