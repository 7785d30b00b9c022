// Files: compression, cut files, and what the file system refuses.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "harness/trace/counted.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/whole_file.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "petri-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  static std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string error_of_file(const fs::path& file) {
    try {
      read_scenario(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

// Sites that do not compress, so that a compressed file has a middle.
Scenario large_scenario() {
  Scenario scenario(2);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    Event event;
    event.seq = static_cast<std::uint32_t>(i);
    event.site = scenario.symbols.intern(std::to_string(random()));
    scenario.ranks[0].events.push_back(event);
  }
  return scenario;
}

const std::string kHeader = "{\"petri\":1,\"world\":2}\n";
const std::string kEvent = "{\"rank\":0,\"op\":\"barrier\"}\n";
const std::string kEnd = "{\"end\":true,\"events\":1}\n";

TEST_F(Files, AreCompressedByNameAndRecognizedByContent) {
  const Scenario scenario = large_scenario();
  write_scenario(scenario, folder_ / "a.jsonl");
  write_scenario(scenario, folder_ / "a.jsonl.zst");
  EXPECT_LT(fs::file_size(folder_ / "a.jsonl.zst"), fs::file_size(folder_ / "a.jsonl") / 2);
  fs::rename(folder_ / "a.jsonl.zst", folder_ / "b.jsonl");
  EXPECT_EQ(written(read_scenario(folder_ / "b.jsonl")), bytes_of(folder_ / "a.jsonl"));
}

TEST_F(Files, CutInsideACompressedStreamKeepWhatCameBefore) {
  write_scenario(large_scenario(), folder_ / "a.jsonl.zst");
  const std::string bytes = bytes_of(folder_ / "a.jsonl.zst");
  const Scenario scenario = read_scenario(put("cut.zst", bytes.substr(0, bytes.size() / 2)));
  EXPECT_TRUE(scenario.cut);
  EXPECT_GT(scenario.event_count(), 1000U);
  EXPECT_LT(scenario.event_count(), 20000U);
}

TEST_F(Files, DamagedInsideACompressedStreamAreAnError) {
  write_scenario(large_scenario(), folder_ / "a.jsonl.zst");
  std::string bytes = bytes_of(folder_ / "a.jsonl.zst");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 1000; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  const fs::path file = put("bad.zst", bytes);
  EXPECT_THAT(error_of_file(file), testing::StartsWith(file.string() + ":"));
}

TEST_F(Files, CutBeforeTheFirstLineOfACompressedStreamAreSaidToBeTruncated) {
  write_scenario(large_scenario(), folder_ / "a.jsonl.zst");
  const std::string bytes = bytes_of(folder_ / "a.jsonl.zst");
  for (const std::size_t size : {std::size_t{4}, std::size_t{20}}) {
    const std::string error = error_of_file(put("cut.zst", bytes.substr(0, size)));
    EXPECT_THAT(error, testing::HasSubstr("the file is truncated after " + std::to_string(size) + " bytes"));
  }
  EXPECT_THAT(error_of_file(put("empty", "")), testing::HasSubstr("the file is empty"));
}

TEST_F(Files, OfAnotherCompressionAreNamedWithWhatUnpacksThem) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> formats{{"\x1f\x8b\x08\x08"s, "gzip -dc"},
                                                                 {"\xfd\x37zXZ\x00\x00"s, "xz -dc"},
                                                                 {"BZh91AY"s, "bzip2 -dc"},
                                                                 {"\x04\x22\x4d\x18\x64"s, "lz4 -dc"},
                                                                 {"PK\x03\x04\x14"s, "unzip -p"}};
  for (const auto& [begin, unpack] : formats)
    EXPECT_THAT(error_of_file(put("job.jsonl", begin + "…")), testing::HasSubstr("unpack it by " + unpack));
  EXPECT_THAT(error_of_file(put("job.jsonl", "BZ")), testing::HasSubstr("broken JSON"));
}

TEST(Counted, NounsHaveTheirPlural) {
  EXPECT_EQ(counted(0, "event"), "0 events");
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(2, "process"), "2 processes");
}

TEST_F(Files, CutAtAnyByteBehindTheFirstEventAreCut) {
  const std::string text = kHeader + kEvent + kEnd;
  for (std::size_t size = kHeader.size() + kEvent.size() - 1; size < text.size() - 1; ++size) {
    const Scenario scenario = read_text(text.substr(0, size));
    EXPECT_TRUE(scenario.cut) << size;
    EXPECT_EQ(scenario.event_count(), 1U) << size;
    EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::cut);
    EXPECT_EQ(written(read_text(written(scenario))), written(scenario));
  }
  EXPECT_FALSE(read_text(text.substr(0, text.size() - 1)).cut) << "only the last newline is missing";
}

TEST_F(Files, CutBehindACommunicatorAreCut) {
  EXPECT_TRUE(read_text(kHeader + "{\"comm\":\"a\",\"ranks\":[1]}\n{\"ra").cut);
}

TEST_F(Files, ThatAreMissingOrNoFilesSayWhy) {
  const fs::path missing = folder_ / "none.jsonl";
  EXPECT_EQ(error_of_file(missing), missing.string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of_file(folder_), folder_.string() + ": is a directory, not a scenario file");
}

TEST_F(Files, ReadAsAWholeHaveALimitAndAReason) {
  const fs::path file = put("x", "a\0b");
  EXPECT_EQ(read_whole(put("y", std::string(100'000, 'y'))), std::string(100'000, 'y'));
  EXPECT_EQ(read_whole(file, 1), "a");
  const auto reason = [](auto read) -> std::string {
    try {
      read();
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(reason([&] { read_whole(file, 0); }), testing::EndsWith("x: has 1 bytes, and 0 at most are read"));
  EXPECT_THAT(reason([&] { read_whole(folder_); }), testing::EndsWith(": is no file"));
  EXPECT_THAT(reason([&] { read_whole(folder_ / "z"); }),
              testing::EndsWith("z: cannot be read: No such file or directory"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(reason([&] { read_whole(folder_ / "pipe"); }), testing::EndsWith(": is no file"));  // and nobody waits
  std::array<std::byte, 2> two{};
  EXPECT_THAT(reason([&] { read_whole(file, two); }), testing::EndsWith("has 1 bytes, and should have 2"));
}

TEST_F(Files, WithALineThatNeverEndsAreRefused) {
  const std::string error = error_of(std::string((std::size_t{64} << 20) + 10, ' '));
  EXPECT_EQ(error, "case.jsonl:1:67108865: expected the line to end: no line may be longer than 64 MiB");
}

TEST_F(Files, OfAMillionRanksTakeLittleMemory) {
  const Scenario scenario =
      read_text("{\"petri\":1,\"world\":1000000}\n{\"rank\":999999,\"op\":\"barrier\"}\n{\"end\":true}\n");
  EXPECT_EQ(scenario.world(), 1000000);
  EXPECT_LE(sizeof(RankTrace), 120U);
}

TEST_F(Files, LeaveNothingBehindWhereWritingFails) {
  const Scenario scenario(1);
  EXPECT_THROW(write_scenario(scenario, folder_ / "no" / "such.jsonl"), std::system_error);
  fs::create_directory(folder_ / "taken");
  EXPECT_THROW(write_scenario(scenario, folder_ / "taken"), std::system_error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
}

TEST_F(Files, NeverTakeThePlaceOfADevice) {
  fs::create_symlink("/dev/null", folder_ / "nowhere");
  write_scenario(Scenario(1), folder_ / "nowhere");
  EXPECT_TRUE(fs::is_symlink(folder_ / "nowhere"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
}

TEST_F(Files, BehindALinkAreReplacedAndTheLinkStays) {
  fs::create_directory(folder_ / "there");
  put("there/old", "old");
  fs::create_symlink("there/old", folder_ / "link");
  fs::create_symlink("link", folder_ / "second");
  fs::create_symlink(folder_ / "there" / "new", folder_ / "dangling");
  for (const char* const name : {"second", "dangling"}) {
    write_whole(folder_ / name, [](std::ostream& out) { out << "new"; });
    EXPECT_TRUE(fs::is_symlink(folder_ / name));
    EXPECT_EQ(bytes_of(folder_ / name), "new");
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "there"), fs::directory_iterator{}), 2) << "old and new";
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THROW(write_whole(folder_ / "circle", [](std::ostream& out) { out << "new"; }), std::system_error);
}

TEST_F(Files, ThatADescriptorNamesAreWrittenWhereItStands) {
  const int open_one = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(open_one, "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(open_one), folder_ / "link");
  write_whole("/dev/fd/" + std::to_string(open_one), [](std::ostream& out) { out << "by name "; });
  write_whole(folder_ / "link", [](std::ostream& out) { out << "by link"; });
  ::close(open_one);
  EXPECT_EQ(bytes_of(folder_ / "log"), "before by name by link");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_THROW(write_whole(folder_ / "link", [](std::ostream& out) { out << "closed"; }), std::system_error);
}

TEST_F(Files, AreTheSamePlaceByAnyName) {
  fs::create_symlink("a", folder_ / "link");
  EXPECT_TRUE(same_place(folder_ / "link", folder_ / "a")) << "neither is there";
  put("a", "");
  fs::create_hard_link(folder_ / "a", folder_ / "b");
  EXPECT_TRUE(same_place(folder_ / "link", folder_ / "b"));
  EXPECT_FALSE(same_place(folder_ / "a", folder_ / "c"));
  EXPECT_FALSE(same_place("/dev/null", "/dev/null")) << "takes both";
}

TEST_F(Files, HaveTheDigestOfTheirBytes) {
  const fs::path file = put("a", "abc");
  EXPECT_EQ(digest_of_file(file), digest_of("abc"));
  EXPECT_EQ(digest_of("abc"), "xxh3-128:06b05ab6733a618578af5f94892f3950");
  EXPECT_THROW(digest_of_file(folder_ / "none"), std::system_error);
}

}  // namespace
}  // namespace petri::test
