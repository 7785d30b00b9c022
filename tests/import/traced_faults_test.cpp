// One fault in an otherwise sound job, in each format that keeps a file for each rank of calls that are over: who is
// named for it. Windows that open or close at other places on one rank are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/diagnose/diagnose.hpp"
#include "harness/import/chakra.hpp"
#include "harness/import/kineto.hpp"
#include "harness/import/pytorch_et.hpp"
#include "tests/import/chakra_bytes.hpp"
#include "tests/import/memory_trace.hpp"
#include "tests/import/torch_trace_text.hpp"

namespace petri::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kWorld = 4, kSteps = 4, kOdd = 2;

// On a group of one's own pair, of every second rank, or of all.
struct Call {
  std::string op;
  char group = 'w';
  int count = 0;
  std::string dtype = "Float";
  int peer = -1;  // of a message
};
using Program = std::vector<Call>;

std::vector<int> members(char group, int rank) {
  if (group == 't') return {rank / 2 * 2, rank / 2 * 2 + 1};
  if (group == 'd') return {rank % 2, rank % 2 + 2};
  return {0, 1, 2, 3};
}

std::string group_name(char group, int rank) {
  return group == 'w' ? "0" : fmt::format("{}{}", group == 't' ? 1 : 2, members(group, rank).front());
}

const char* description(char group) {
  return group == 'w' ? "default_pg" : group == 't' ? "TENSOR" : "DATA";
}

Program program(int rank, bool messages) {
  Program calls;
  for (int step = 0; step < kSteps; ++step) {
    calls.push_back({"_allgather_base", 't', 64});
    calls.push_back({"allreduce", 't', 32});
    if (messages) calls.push_back({rank < 2 ? "send" : "recv", 'w', 16 + step, "Float", (rank + 2) % kWorld});
    calls.push_back({"_reduce_scatter_base", 'd', 128});
    calls.push_back({"allreduce", 'w', 100 + step});
  }
  return calls;
}

enum class Fault {
  none,
  other_operation,
  other_operation_in_a_pair,
  other_type,
  other_size,
  left_out,
  left_out_in_a_pair,
  one_too_many,
  swapped,
  begins_later,
  begins_a_step_later,
  begins_two_steps_later,
  ends_earlier,
  ends_later,
  no_file,
};

struct Job {
  explicit Job(Fault planted, bool messages = false) : fault(planted) {
    for (int rank = 0; rank < kWorld; ++rank) programs.push_back(program(rank, messages));
    Program& odd = programs[kOdd];
    const auto find = [&](const std::string& op, char group) {
      return std::find_if(odd.begin() + static_cast<std::ptrdiff_t>(odd.size() / 2), odd.end(),
                          [&](const Call& call) { return call.op == op && call.group == group; });
    };
    const auto step = static_cast<std::ptrdiff_t>(odd.size() / kSteps);
    switch (fault) {
      case Fault::other_operation: find("allreduce", 'w')->op = "_allgather_base"; break;
      case Fault::other_operation_in_a_pair: find("allreduce", 't')->op = "_allgather_base"; break;
      case Fault::other_type: find("allreduce", 'w')->dtype = "Half"; break;
      case Fault::other_size: find("allreduce", 'w')->count = 7; break;
      case Fault::left_out: odd.erase(find("allreduce", 'w')); break;
      case Fault::left_out_in_a_pair: odd.erase(find("_allgather_base", 't')); break;
      case Fault::one_too_many: odd.insert(find("allreduce", 'w'), {"allreduce", 'w', 9}); break;
      case Fault::swapped: std::iter_swap(find("_allgather_base", 't'), find("allreduce", 't')); break;
      case Fault::begins_later: skip(1); break;
      case Fault::begins_a_step_later: skip(step); break;
      case Fault::begins_two_steps_later: skip(2 * step); break;
      case Fault::ends_earlier: odd.resize(odd.size() - 3); break;
      case Fault::ends_later: append(odd, {odd[0], odd[1], odd[2]}); break;
      case Fault::none:
      case Fault::no_file: break;
    }
  }

  static void append(Program& calls, const Program& more) { calls.insert(calls.end(), more.begin(), more.end()); }

  void skip(std::ptrdiff_t calls) {
    for (auto call = programs[kOdd].begin(); call != programs[kOdd].begin() + calls; ++call)
      skipped[call->group] += call->peer < 0 ? 1 : 0;
    programs[kOdd].erase(programs[kOdd].begin(), programs[kOdd].begin() + calls);
  }

  // visit(call, number of the call in its group) for each call of a rank.
  template <class Visit>
  void each(int rank, const Visit& visit) const {
    std::map<char, std::int64_t> numbers;
    if (rank == kOdd) numbers = skipped;
    for (const Call& call : programs[static_cast<std::size_t>(rank)])
      visit(call, call.peer < 0 ? ++numbers[call.group] : -1);
  }
  bool has_file(int rank) const { return fault != Fault::no_file || rank != kOdd; }

  Fault fault;
  std::vector<Program> programs;
  std::map<char, std::int64_t> skipped;  // calls of the odd rank by group
};

TorchTestCall torch_call(const Call& call, int rank, std::int64_t number) {
  TorchTestCall made;
  made.name = call.op;
  made.members = members(call.group, rank);
  const int size = static_cast<int>(made.members.size());
  made.in = call.op == "_reduce_scatter_base" ? call.count * size : call.count;
  made.out = call.op == "_allgather_base" ? call.count * size : call.count;
  const int named = call.peer < 0 ? rank : call.peer;
  made.rank = static_cast<int>(std::find(made.members.begin(), made.members.end(), named) - made.members.begin());
  made.seq = number;
  made.group = group_name(call.group, rank);
  made.description = description(call.group);
  made.dtype = call.dtype;
  return made;
}

std::string configured(int rank) {
  std::vector<std::string> groups;
  for (const char group : {'w', 't', 'd'})
    groups.push_back(fmt::format(
        R"({{"pg_name": "{}", "pg_desc": "{}", "backend_config": "cuda:nccl", "ranks": [{}], "group_size": {}}})",
        group_name(group, rank), description(group), fmt::join(members(group, rank), ", "),
        members(group, rank).size()));
  return fmt::format("[{}]", fmt::join(groups, ", "));
}

std::string execution_trace(const Job& job, int rank, bool numbers) {
  PytorchEtText text;
  text.groups(configured(rank));
  job.each(rank,
           [&](const Call& call, std::int64_t number) { text.call(torch_call(call, rank, numbers ? number : -1)); });
  return text.text();
}

std::string kineto_trace(const Job& job, int rank, bool numbers) {
  KinetoText text(rank, kWorld, configured(rank));
  int place = 0;
  job.each(rank, [&](const Call& call, std::int64_t number) {
    const TorchTestCall made = torch_call(call, rank, numbers ? number : -1);
    ++place;
    text.call(made, 10 * place, place).kernel(made, 10 * place + 3, place);
  });
  return text.text();
}

// As it is converted from a profiler's.
std::string chakra_trace(const Job& job, int rank, bool) {
  ChakraBytes bytes("0.0.4", bytes_field(2, ChakraBytes::attribute("pid", 1)));
  std::uint64_t id = 0;
  job.each(rank, [&](const Call& call, std::int64_t) {
    const std::map<std::string, int> kinds{{"allreduce", 0}, {"_allgather_base", 2}, {"_reduce_scatter_base", 7}};
    ChakraBytes::Node node;
    node.id = id++;
    node.name = "ncclDevKernel";
    node.type = call.peer < 0 ? 7 : call.op == "send" ? 5 : 6;
    const std::int64_t size = call.count * (call.dtype == "Half" ? 2 : 4);
    if (call.peer < 0) {
      node.attributes = {ChakraBytes::attribute("comm_type", kinds.at(call.op)),
                         ChakraBytes::attribute("comm_size", size),
                         ChakraBytes::text("pg_name", group_name(call.group, rank))};
    } else {
      node.attributes = {ChakraBytes::attribute("comm_src", call.op == "send" ? rank : call.peer),
                         ChakraBytes::attribute("comm_dst", call.op == "send" ? call.peer : rank),
                         ChakraBytes::attribute("comm_size", size)};
    }
    bytes.add(node);
  });
  return bytes.bytes();
}

struct Format {
  const char* name;
  std::string (*write)(const Job&, int rank, bool numbers);
  Scenario (*read)(const std::vector<TraceFile>&, ImportNotes&);
  const char* file;
  bool numbers;
};

class TracedFaults : public testing::TestWithParam<Format> {
 protected:
  Diagnosis diagnosis_of(Fault fault, bool messages = false) {
    const Job job(fault, messages);
    std::vector<TraceFile> files;
    for (int rank = 0; rank < kWorld; ++rank)
      if (job.has_file(rank))
        files.push_back(memory_trace(fmt::format(fmt::runtime(GetParam().file), rank),
                                     GetParam().write(job, rank, GetParam().numbers)));
    notes_ = {};
    return diagnose(GetParam().read(files, notes_));
  }

  void expect_named(Fault fault, std::vector<Verdict> one_of) {
    for (const bool messages : {false, true}) {
      const Diagnosis found = diagnosis_of(fault, messages);
      EXPECT_THAT(one_of, Contains(found.verdict)) << static_cast<int>(fault) << messages;
      ASSERT_FALSE(found.findings.empty());
      EXPECT_THAT(found.findings.front().culprits, Contains(kOdd)) << static_cast<int>(fault) << messages;
      // Groups whose kind is not told leave open which of two members differs.
      EXPECT_LE(found.findings.front().culprits.size(), GetParam().write == chakra_trace ? 2U : 1U);
    }
  }

  // Undecided, as a window is: nobody is named.
  void expect_nobody(Fault fault) {
    for (const bool messages : {false, true}) {
      const Diagnosis found = diagnosis_of(fault, messages);
      EXPECT_EQ(found.verdict, Verdict::ambiguous) << static_cast<int>(fault) << messages;
      ASSERT_FALSE(found.findings.empty());
      EXPECT_THAT(found.findings.front().culprits, IsEmpty()) << found.findings.front().text;
    }
  }

  ImportNotes notes_;
};

TEST_P(TracedFaults, AnotherOperationAtOnePlaceIsTheRankThatMadeIt) {
  expect_named(Fault::other_operation, {Verdict::deadlock});
  expect_named(Fault::other_operation_in_a_pair, {Verdict::deadlock});
  expect_named(Fault::swapped, {Verdict::deadlock});
  EXPECT_THAT(diagnosis_of(Fault::other_operation).findings.front().evidence,
              Contains(HasSubstr("this run got past it all the same")));
}

TEST_P(TracedFaults, OtherArgumentsAtOnePlaceAreAMismatch) {
  expect_named(Fault::other_type, {Verdict::mismatch});
  expect_named(Fault::other_size, {Verdict::mismatch});
}

TEST_P(TracedFaults, ACallThatIsLeftOutOrInAdditionShiftsWhatFollows) {
  expect_named(Fault::left_out, {Verdict::mismatch});
  expect_named(Fault::left_out_in_a_pair, {Verdict::deadlock});
  expect_named(Fault::one_too_many, {Verdict::mismatch});
}

TEST_P(TracedFaults, AWindowThatDiffersIsNoFault) {
  for (const Fault fault : {Fault::none, Fault::begins_later, Fault::begins_a_step_later, Fault::begins_two_steps_later,
                            Fault::ends_earlier, Fault::ends_later})
    expect_nobody(fault);
}

TEST_P(TracedFaults, WithoutNumbersItIsSaidThatAWindowBeginsLater) {
  diagnosis_of(Fault::begins_a_step_later);
  const bool said = std::any_of(notes_.warnings.begin(), notes_.warnings.end(), [](const std::string& warning) {
    return warning.find("the record of rank 2 begins later") != std::string::npos;
  });
  EXPECT_EQ(said, !GetParam().numbers);
}

TEST_P(TracedFaults, ARankWithoutAFileIsNotNamedWhereNobodyWaits) {
  expect_nobody(Fault::no_file);
  EXPECT_THAT(diagnosis_of(Fault::no_file).findings.front().text, HasSubstr("the record of rank 2 is cut or missing"));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, TracedFaults,
    testing::Values(Format{"ExecutionTraces", execution_trace, read_pytorch_ets, "et_{}.json", true},
                    Format{"ExecutionTracesWithoutNumbers", execution_trace, read_pytorch_ets, "et_{}.json", false},
                    Format{"Kineto", kineto_trace, read_kineto_traces, "kineto_{}.json", true},
                    Format{"KinetoWithoutNumbers", kineto_trace, read_kineto_traces, "kineto_{}.json", false},
                    Format{"Chakra", chakra_trace, read_chakra_traces, "rank.{}.et", false}),
    [](const auto& format) { return format.param.name; });

}  // namespace
}  // namespace petri::test
