// The files of a trace, as they come: in folders, in archives, compressed; broken, hidden, endless.
#include "harness/import/trace_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "harness/import/unpack.hpp"
#include "harness/trace/error.hpp"
#include "tests/import/archive_bytes.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;
using test::archive_of;
using test::ArchiveWriter;
using test::compressed;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kAll = std::uint64_t{1} << 30;

class TraceFiles : public ::testing::Test {
 protected:
  TraceFiles() {
    std::string pattern = (fs::temp_directory_path() / "petri_files_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
  }
  ~TraceFiles() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  fs::path write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  // "name: bytes" of each file that is found, names without the test's folder; notes_ has what is said.
  std::vector<std::string> found(const std::vector<std::string>& sources) {
    std::vector<TraceSource> paths;
    for (const std::string& source : sources) paths.emplace_back(folder_ / source);
    notes_.clear();
    std::vector<FileNote> notes;
    std::vector<std::string> texts;
    files_ = trace_files(paths, notes);
    for (const TraceFile& file : files_) texts.push_back(without_folder(file.name) + ": " + read_whole(file, kAll));
    for (const FileNote& note : notes) notes_.push_back(without_folder(note.name) + ": " + note.text);
    return texts;
  }

  std::string error_of(const std::string& source) {
    try {
      found({source});
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string without_folder(const std::string& name) const {
    return name.starts_with(folder_.string()) ? name.substr(folder_.string().size() + 1) : name;
  }

  fs::path folder_;
  std::vector<TraceFile> files_;
  std::vector<std::string> notes_;
};

// Root may read everything: for the time of a test it is somebody who may not.
class Nobody {
 public:
  Nobody() : was_root_(::geteuid() == 0) {
    if (was_root_ && ::seteuid(65534) != 0) throw std::runtime_error("seteuid");
  }
  ~Nobody() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

TEST_F(TraceFiles, AreThoseBelowAFolderInTheOrderOfTheNumbersInTheirNames) {
  for (const char* name : {"d/rank_10", "d/rank_2", "d/sub/rank_1", "d/.hidden", "d/.git/rank_9"}) write(name, "x");
  EXPECT_THAT(found({"d"}), ElementsAre("d/rank_2: x", "d/rank_10: x", "d/sub/rank_1: x"));
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_EQ(files_.front().path, folder_ / "d/rank_2");
}

TEST_F(TraceFiles, OfSeveralSourcesCountOnce) {
  write("d/rank_0", "0");
  write("d/rank_1", "1");
  EXPECT_THAT(found({"d/rank_1", "d", "d/../d/rank_0"}), ElementsAre("d/rank_1: 1", "d/rank_0: 0"));
}

TEST_F(TraceFiles, WhatCannotBeReadInAFolderIsTold) {
  write("d/rank_0", "0");
  write("d/rank_1", "1");
  write("d/closed/rank_2", "2");
  fs::permissions(folder_, fs::perms(0755));
  fs::permissions(folder_ / "d", fs::perms(0755));
  fs::permissions(folder_ / "d/rank_0", fs::perms(0644));
  fs::permissions(folder_ / "d/rank_1", fs::perms::none);
  fs::permissions(folder_ / "d/closed", fs::perms::none);
  {
    const Nobody nobody;
    EXPECT_THAT(found({"d"}), ElementsAre("d/rank_0: 0"));
    EXPECT_THAT(notes_, ElementsAre("d/closed: cannot be read: Permission denied (left out)",
                                    "d/rank_1: cannot be read: Permission denied (left out)"));
    EXPECT_THAT(error_of("d/rank_1"), HasSubstr("d/rank_1: cannot be read: Permission denied"));
    EXPECT_THAT(error_of("d/closed"), HasSubstr("d/closed: cannot be read: Permission denied"));
  }
  fs::permissions(folder_ / "d/closed", fs::perms::owner_all);
}

TEST_F(TraceFiles, LinksToFoldersPipesAndDevicesAreToldAndNotRead) {
  write("d/rank_0", "0");
  write("other/rank_1", "1");
  fs::create_symlink("../other/rank_1", folder_ / "d/rank_1");
  fs::create_directory_symlink("..", folder_ / "d/up");
  fs::create_symlink("nowhere", folder_ / "d/lost");
  fs::create_symlink("round", folder_ / "d/round");
  fs::create_symlink("/dev/zero", folder_ / "d/endless");
  ASSERT_EQ(::mkfifo((folder_ / "d/pipe").c_str(), 0600), 0);
  EXPECT_THAT(found({"d"}), ElementsAre("d/rank_0: 0", "d/rank_1: 1"));
  EXPECT_THAT(notes_, ::testing::UnorderedElementsAre(
                          HasSubstr("d/up: is a link to a folder, which is not followed"),
                          HasSubstr("d/lost: is a link that leads nowhere"), HasSubstr("d/round: "),
                          HasSubstr("d/endless: is no regular file"), HasSubstr("d/pipe: is no regular file")));
  EXPECT_THAT(error_of("d/pipe"), HasSubstr("is no regular file"));
}

TEST_F(TraceFiles, AreUnpackedFromArchivesOfEachKind) {
  const test::Members members{{"./dumps/rank_10", "ten"}, {"./dumps/rank_2", "two"}, {"dumps/._rank_2", "of a Mac"}};
  write("a.tar", archive_of(members));
  write("a.tar.zst", archive_of(members, archive_write_set_format_gnutar, archive_write_add_filter_zstd));
  write("a.txz", archive_of(members, archive_write_set_format_ustar, archive_write_add_filter_xz));
  write("a.zip", archive_of(members, archive_write_set_format_zip));
  write("a.7z", archive_of(members, archive_write_set_format_7zip));
  write("a.zip.gz", compressed(archive_of(members, archive_write_set_format_zip)));
  for (const std::string name : {"a.tar", "a.tar.zst", "a.txz", "a.zip", "a.7z", "a.zip.gz"}) {
    const std::vector<std::string> texts = found({name});
    ASSERT_THAT(texts, SizeIs(2)) << name;
    EXPECT_THAT(texts[0], AllOf(HasSubstr(name + "/"), HasSubstr("dumps/rank_2: two"))) << name;
    EXPECT_THAT(texts[1], HasSubstr("dumps/rank_10: ten")) << name;
    EXPECT_EQ(files_[0].leaf, "rank_2") << name;
    EXPECT_THAT(notes_, IsEmpty()) << name;
  }
}

TEST_F(TraceFiles, AreUnpackedFromEachCompressionAndCalledWithoutIt) {
  const std::pair<const char*, ArchiveWriter::Setting> kinds[] = {{"rank_3.gz", archive_write_add_filter_gzip},
                                                                  {"rank_3.zst", archive_write_add_filter_zstd},
                                                                  {"rank_3.xz", archive_write_add_filter_xz},
                                                                  {"rank_3.bz2", archive_write_add_filter_bzip2},
                                                                  {"rank_3.lz4", archive_write_add_filter_lz4}};
  for (const auto& [name, filter] : kinds) {
    write(name, compressed("three", filter));
    EXPECT_THAT(found({name}), ElementsAre(std::string(name) + ": three"));
    EXPECT_EQ(files_[0].leaf, "rank_3");
    EXPECT_EQ(files_[0].path, "");
  }
  write("twice.gz", compressed("one, ") + compressed("two") + std::string(512, '\0'));
  EXPECT_THAT(found({"twice.gz"}), ElementsAre("twice.gz: one, two"));
  write("empty.gz", compressed(""));
  EXPECT_THAT(found({"empty.gz"}), ElementsAre("empty.gz: "));
}

// As editors and shells write it.
TEST_F(TraceFiles, AMarkOfUtf8BeforeATextIsNoneOfIt) {
  write("a/marked", "\xef\xbb\xbf{\"text\":1}");
  write("a/packed.gz", compressed("\xef\xbb\xbf{\"text\":2}"));
  EXPECT_THAT(found({"a"}), ElementsAre("a/marked: {\"text\":1}", "a/packed.gz: {\"text\":2}"));
  EXPECT_EQ(files_[0].head, "{\"text\":1}");
  const std::unique_ptr<ByteStream> stream = files_[0].open();
  EXPECT_EQ(stream->size(), 10U);
  ASSERT_TRUE(stream->seek(8));
  char rest[4];
  EXPECT_EQ(stream->read(rest, sizeof rest), 2U);
}

TEST_F(TraceFiles, LinksInAnArchiveAreTheFilesThatTheyAreLinkedTo) {
  ArchiveWriter writer(archive_write_set_format_ustar, archive_write_add_filter_none);
  writer.member("rank_0", "zero");
  writer.member("rank_1", "", AE_IFREG, "rank_0");
  writer.member("folder", "", AE_IFDIR);
  write("a.tar", writer.finish());
  EXPECT_THAT(found({"a.tar"}), ElementsAre("a.tar/rank_0: zero", "a.tar/rank_1: zero"));
}

TEST_F(TraceFiles, ABrokenFileInAnArchiveIsLeftOut) {
  write("a.tar", archive_of({{"rank_0", "zero"}, {"rank_1.gz", "\x1f\x8b\x08 and so on, for longer than a header"}}));
  EXPECT_THAT(found({"a.tar"}), ElementsAre("a.tar/rank_0: zero"));
  EXPECT_THAT(notes_, ElementsAre("a.tar/rank_1.gz: cannot be unpacked: unknown header flags set (left out)"));
}

TEST_F(TraceFiles, WhatBreaksOffIsUsedAsFarAsItGoes) {
  std::string noise;
  for (unsigned value = 1, i = 0; i < 200000; ++i) noise += std::to_string(value = value * 1103515245 + 12345) + "\n";
  const std::string log = compressed(noise);
  write("log.gz", log.substr(0, log.size() / 2));
  const std::vector<std::string> texts = found({"log.gz"});
  ASSERT_THAT(texts, SizeIs(1));
  EXPECT_GT(texts[0].size(), 400000u);
  EXPECT_TRUE(*files_[0].broken_off);
  EXPECT_TRUE(noise.starts_with(texts[0].substr(std::string("log.gz: ").size())));
  write("short.gz", compressed("line one\nline two\n" + noise.substr(0, 500)).substr(0, 100));
  EXPECT_THAT(found({"short.gz"}), ElementsAre(HasSubstr("short.gz: line one\nline two\n")));

  const std::string archive = archive_of({{"rank_0", "zero"}, {"rank_1", noise}, {"rank_2", "two"}});
  write("a.tar", archive.substr(0, 20000));
  const std::vector<std::string> members = found({"a.tar"});
  ASSERT_THAT(members, SizeIs(2));
  EXPECT_EQ(members[0], "a.tar/rank_0: zero");
  EXPECT_GT(members[1].size(), 10000u);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a.tar/rank_1: breaks off, and is used as far as it goes: ")));

  for (const ArchiveWriter::Setting filter : {archive_write_add_filter_gzip, archive_write_add_filter_bzip2}) {
    std::string corrupt = compressed(noise, filter);
    corrupt[corrupt.size() / 2] ^= 1;
    write("corrupt", corrupt);
    EXPECT_THAT(error_of("corrupt"), HasSubstr("corrupt: cannot be unpacked: "));
  }
}

TEST_F(TraceFiles, FewBytesDoNotUnpackToAnyNumber) {
  const std::string zeros(std::size_t{48} << 20, '\0');
  const std::string inner = archive_of({{"a", zeros}}, archive_write_set_format_zip);
  const std::string middle =
      archive_of({{"1.zip", inner}, {"2.zip", inner}, {"3.zip", inner}}, archive_write_set_format_zip);
  write("nest.zip", archive_of({{"1.zip", middle}, {"2.zip", middle}}, archive_write_set_format_zip));
  EXPECT_THAT(error_of("nest.zip"), AllOf(HasSubstr("unpacks to more than"), HasSubstr("256 MiB and 1100 times")));
  std::string deep = "x";
  for (int layer = 0; layer < 6; ++layer) deep = compressed(deep);
  write("deep.gz", deep);
  EXPECT_THAT(error_of("deep.gz"), HasSubstr("packed more than 4 times"));
  const std::string one = compressed(zeros), twice = compressed(one + one + one + one + one + one);
  write("twice.gz", twice);
  std::vector<FileNote> notes;
  const auto stream = trace_files({folder_ / "twice.gz"}, notes).at(0).open();
  std::string chunk(1 << 20, ' ');
  EXPECT_THROW(while (stream->read(chunk.data(), chunk.size()) > 0) continue, UnpackBoundError);
}

TEST_F(TraceFiles, ADigestTellsNamesAndBytesAlsoOfWhatIsBroken) {
  const auto digest = [&] {
    found({"d"});
    return digest_of_files(files_);
  };
  write("d/rank_0", "0");
  const std::string first = digest();
  write("d/rank_0", "1");
  EXPECT_NE(digest(), first);
  write("d/rank_0", "0");
  EXPECT_EQ(digest(), first);
  fs::rename(folder_ / "d/rank_0", folder_ / "d/rank_1");
  EXPECT_NE(digest(), first);
  fs::remove(folder_ / "d/rank_1");
  EXPECT_NO_THROW(digest_of_files(files_));
}

}  // namespace
}  // namespace petri
