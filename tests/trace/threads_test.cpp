// Several threads read a file as one does: the same scenario, and of the faults the first.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/trace/in_turns.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

constexpr unsigned kMostThreads = 4;
constexpr int kRounds = 10;

using Lines = std::vector<std::string>;

// Events of four ranks in turn, which make and use communicators, requests and windows. A long site makes the lines so
// long that few are read at once.
Lines file_lines() {
  const std::string site(6000, 's');
  Lines lines{R"({"petri":1,"world":4})", R"({"comm":"even","ranks":[0,2]})"};
  const auto add = [&](int rank, const std::string& arguments, int round) {
    lines.push_back(fmt::format(R"({{"rank":{},"op":{},"step":{},"site":"{}{}"}})", rank, arguments, round, site,
                                (round + rank) % 3));
  };
  for (int round = 0; round < kRounds; ++round)
    for (int rank = 0; rank < 4; ++rank) {
      add(rank, fmt::format(R"("comm_dup","new":"dup{}")", round), round);
      add(rank, fmt::format(R"("allreduce","comm":"dup{}","count":{},"dtype":"int32","reduce":"sum")", round, rank),
          round);
      add(rank, fmt::format(R"("isend","peer":{},"count":1,"request":{})", (rank + 1) % 4, round), round);
      add(rank, fmt::format(R"("waitall","requests":[{}])", round), round);
      add(rank, fmt::format(R"("alltoallv","sendcounts":[1,2,3,{0}],"recvcounts":[{0},2,3,4])", round), round);
    }
  for (int rank = 0; rank < 4; ++rank) lines.push_back(fmt::format(R"({{"rank":{},"end":"finalized"}})", rank));
  lines.push_back(fmt::format(R"({{"end":true,"events":{}}})", kRounds * 4 * 5));
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The scenario as it is written, or the message.
std::string outcome(const std::string& text, unsigned threads) {
  std::istringstream in(text);
  try {
    return written(read_scenario(in, "case.jsonl", threads));
  } catch (const InputError& error) {
    return error.what();
  }
}

void expect_one_outcome(const std::string& text, const std::string& what) {
  const std::string one = outcome(text, 1);
  for (unsigned threads = 2; threads <= kMostThreads; ++threads) EXPECT_EQ(outcome(text, threads), one) << what;
}

struct Fault {
  const char* name;
  void (*plant)(std::string& line);
};

void replace(std::string& line, std::string_view old, std::string_view by) {
  if (const auto at = line.find(old); at != std::string::npos) line.replace(at, old.size(), by);
}

const std::vector<Fault> kFaults{
    {"half a line", [](std::string& line) { line.resize(line.size() / 2); }},
    {"unknown key", [](std::string& line) { replace(line, "\"step\"", "\"stap\""); }},
    {"wrong order", [](std::string& line) { replace(line, "\"op\"", "\"seq\":0,\"op\""); }},
    {"unknown communicator", [](std::string& line) { replace(line, "\"step\"", "\"comm\":\"odd\",\"step\""); }},
    {"no member", [](std::string& line) { replace(line, "\"step\"", "\"comm\":\"even\",\"step\""); }},
    {"unknown request", [](std::string& line) { replace(line, "\"requests\":[", "\"requests\":[77,"); }},
    {"event of an ended rank", [](std::string& line) { line.insert(0, "{\"rank\":2,\"end\":\"exited\"}\n"); }},
    {"text behind the end", [](std::string& line) { line.insert(0, "{\"end\":true}\n"); }},
    {"blank line", [](std::string& line) { line.insert(0, " \n"); }},
    {"another name", [](std::string& line) { replace(line, "\"new\":\"dup", "\"new\":\"dop"); }},
};

TEST(Threads, ReadTheSame) {
  const std::string text = joined(file_lines());
  EXPECT_EQ(outcome(text, 1).substr(0, 10), R"({"petri":1)");
  expect_one_outcome(text, "as it is");
  expect_one_outcome(text.substr(0, text.size() / 2), "cut");
  expect_one_outcome(text.substr(0, text.size() - 1), "no newline at the end");
}

TEST(Threads, TellTheFirstFault) {
  const Lines lines = file_lines();
  for (std::size_t at = 1; at < lines.size(); ++at)
    for (std::size_t second = 0; second < 2; ++second) {
      Lines wrong = lines;
      const Fault& first = kFaults[(at + 7 * second) % kFaults.size()];
      first.plant(wrong[at]);
      if (second > 0) kFaults[at % 3].plant(wrong[std::min(at + 1 + at % 40, lines.size() - 1)]);
      expect_one_outcome(joined(wrong), fmt::format("{} in line {}", first.name, at + 1));
    }
}

TEST(Threads, SeeFaultsOfEachKindInTheirLine) {
  const Lines lines = file_lines();
  const std::size_t late = lines.size() - 30;
  for (const Fault& fault : kFaults) {
    Lines wrong = lines;
    std::size_t at = late;
    for (fault.plant(wrong[at]); at > 0 && wrong[at] == lines[at]; fault.plant(wrong[at])) --at;
    ASSERT_GT(at, 0U) << fault.name << " fits no line";
    const std::string told = outcome(joined(wrong), kMostThreads);
    if (fault.name == std::string_view("blank line"))
      EXPECT_EQ(told, outcome(joined(lines), 1));
    else
      EXPECT_TRUE(told.starts_with("case.jsonl:1") || told.starts_with("case.jsonl:2")) << fault.name << ": " << told;
  }
}

TEST(Threads, ReadCompressedFilesAndPlainOnes) {
  const std::string text = joined(file_lines());
  std::string folder = (std::filesystem::temp_directory_path() / "petri-threads-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::filesystem::path plain = folder + "/a.jsonl", packed = folder + "/a.jsonl.zst";
  std::ofstream(plain) << text;
  write_scenario(read_text(text), packed);
  for (unsigned threads = 1; threads <= kMostThreads; ++threads) {
    EXPECT_EQ(written(read_scenario(plain, threads)), outcome(text, 1));
    EXPECT_EQ(written(read_scenario(packed, threads)), outcome(text, 1));
  }
  std::filesystem::remove_all(folder);
}

// Takes numbers, and delivers their squares.
class Squares {
 public:
  Squares(int& next, std::vector<int>& delivered, int most, char fails)
      : next_(&next), delivered_(&delivered), most_(most), fails_(fails) {}

  bool take() {
    number_ = (*next_)++;
    fail('t');
    return number_ < most_;
  }
  void work() {
    square_ = number_ * number_;
    fail('w');
  }
  void deliver() {
    fail('d');
    delivered_->push_back(square_);
  }

 private:
  static constexpr int kFirstBad = 50;
  void fail(char where) const {
    if (fails_ == where && number_ >= kFirstBad) throw std::runtime_error(fmt::format("{}{}", where, number_));
  }

  int* next_;
  std::vector<int>* delivered_;
  int most_;
  char fails_;
  int number_ = 0, square_ = 0;
};

TEST(Turns, DeliverInTheOrderOfTheRow) {
  for (unsigned threads = 1; threads <= kMostThreads; ++threads) {
    int next = 0;
    std::vector<int> delivered;
    work_in_turns(threads, [&] { return Squares(next, delivered, 1000, '-'); });
    ASSERT_EQ(delivered.size(), 1000U);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(delivered[static_cast<std::size_t>(i)], i * i);
  }
}

TEST(Turns, ThrowWhatFailsFirstAndDeliverAllBeforeIt) {
  for (unsigned threads = 1; threads <= kMostThreads; ++threads)
    for (const char where : {'t', 'w', 'd'}) {
      int next = 0;
      std::vector<int> delivered;
      try {
        work_in_turns(threads, [&] { return Squares(next, delivered, 1000, where); });
        FAIL() << where;
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), fmt::format("{}50", where));
      }
      EXPECT_EQ(delivered.size(), 50U);
    }
}

}  // namespace
}  // namespace petri::test
