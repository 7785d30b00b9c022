// Flight Recorder dumps: both encodings say the same, what is not stated is not known, what breaks off gives what is
// whole.
#include "harness/import/flight_dump.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "harness/import/pickle.hpp"
#include "harness/trace/error.hpp"
#include "tests/import/flight_dump_writer.hpp"

namespace petri::test {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FlightRecord small_record() {
  FlightRecord record;
  record.groups = {{"0", "default_pg", {0, 1, 2, 3}}, {"7", "TENSOR_MODEL_PARALLEL_GROUP", {2, 3}}};
  record.status = {{0, 12, 11, 10}, {3, 5, -1, 5}};
  record.frames = {{"all_reduce", "/opt/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", 2806},
                   {"step", "/srv/job/train.py", 88},
                   {"main", "/srv/job/train.py", 140}};
  FlightCall call;
  call.frames = {0, 1, 2};
  call.record_id = 70001;
  call.pg_id = 3;
  call.group = "7";
  call.description = "TENSOR_MODEL_PARALLEL_GROUP";
  call.collective_seq = 5'000'000'000;
  call.p2p_seq = 2;
  call.op_id = 6;
  call.in = {{{4096, 1, 5120}, {3}}, {"BFloat16", "BFloat16"}};
  call.out = {{{8192}}, {"Float"}};
  call.state = "completed";
  call.duration_ms = 0.5;
  call.started_ns = call.created_ns + 10;
  call.completed_ns = call.created_ns + 20;
  call.retired = true;
  record.calls.push_back(call);
  FlightCall send;
  send.frames = {0};
  send.record_id = 70002;
  send.name = "nccl:send 0->3";
  send.in = send.out = {{{}}, {"Float8_e4m3fnuz"}};
  send.state = "started";
  send.is_p2p = true;
  record.calls.push_back(send);
  return record;
}

FlightDump read_pickle(std::string_view bytes) {
  return FlightReader().pickle("dump", bytes);
}

FlightDump read_json(std::string_view bytes) {
  return FlightReader().json("dump", bytes);
}

std::string reason(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

void expect_small_record(const FlightDump& dump, bool with_frames) {
  EXPECT_EQ(dump.version, "2.10");
  EXPECT_EQ(dump.comm_lib_version, "2.27.5");
  EXPECT_FALSE(dump.cut);
  ASSERT_EQ(dump.groups.size(), 2u);
  ASSERT_EQ(dump.status.size(), 2u);
  EXPECT_EQ(dump.status[0].first, 0);
  EXPECT_EQ(dump.status[0].second.last_enqueued, 12);
  EXPECT_EQ(dump.status[0].second.last_started, 11);
  EXPECT_EQ(dump.status[0].second.last_completed, 10);
  EXPECT_EQ(dump.status[1].second.last_started, -1);
  ASSERT_EQ(dump.entries.size(), 2u);
  const FlightEntry& call = dump.entries[0];
  const FlightGroup& group = dump.groups[call.group];
  EXPECT_EQ(dump.text(group.name), "7");
  EXPECT_EQ(dump.text(group.description), "TENSOR_MODEL_PARALLEL_GROUP");
  EXPECT_TRUE(group.configured);
  EXPECT_THAT(dump.ranks_of(group), ElementsAre(2, 3));
  EXPECT_EQ(call.record_id, 70001);
  EXPECT_EQ(call.pg_id, 3);
  EXPECT_EQ(call.collective_seq, 5'000'000'000);
  EXPECT_EQ(call.p2p_seq, 2);
  EXPECT_EQ(call.op_id, 6);
  EXPECT_EQ(dump.text(call.name), "nccl:all_reduce");
  EXPECT_EQ(dump.text(call.thread), "140737353922112");
  EXPECT_EQ(call.in_count, 4096 * 5120 + 3);
  EXPECT_EQ(call.in_tensors, 2);
  EXPECT_EQ(call.out_count, 8192);
  EXPECT_EQ(call.out_tensors, 1);
  EXPECT_EQ(call.in_type, ElementType::bfloat16);
  EXPECT_EQ(call.out_type, ElementType::float32);
  EXPECT_EQ(call.state, EventState::completed);
  EXPECT_EQ(call.created_ns, 1758610505592849034);
  EXPECT_EQ(call.timeout_ms, 600000);
  EXPECT_TRUE(call.retired);
  EXPECT_FALSE(call.is_p2p);
  const FlightEntry& send = dump.entries[1];
  EXPECT_EQ(send.state, EventState::started);
  EXPECT_TRUE(send.is_p2p);
  EXPECT_EQ(send.in_count, 1) << "a tensor without axes is one number";
  EXPECT_EQ(send.in_type, ElementType::unknown) << "a type that Petri has not";
  EXPECT_EQ(dump.text(call.site), with_frames ? "/srv/job/train.py:88" : "");
  EXPECT_THAT(dump.text(send.site), with_frames ? HasSubstr("distributed_c10d.py:2806") : HasSubstr(""));
}

TEST(FlightDump, IsReadFromAPickle) {
  const std::string bytes = flight_pickle(small_record());
  EXPECT_TRUE(looks_like_flight_pickle(bytes.substr(0, 100)));
  EXPECT_FALSE(looks_like_flight_json(bytes));
  expect_small_record(read_pickle(bytes), true);
}

TEST(FlightDump, IsReadFromJson) {
  const std::string bytes = flight_json(small_record());
  EXPECT_TRUE(looks_like_flight_json(bytes));
  EXPECT_FALSE(looks_like_flight_pickle(bytes));
  expect_small_record(read_json(bytes), false);
}

TEST(FlightDump, OneReaderReadsManyDumps) {
  FlightReader reader;
  FlightRecord empty;
  for (int round = 0; round < 3; ++round) {
    expect_small_record(reader.pickle("a", flight_pickle(small_record())), true);
    EXPECT_THAT(reader.pickle("b", flight_pickle(empty)).entries, IsEmpty());
    expect_small_record(reader.json("c", flight_json(small_record())), false);
    EXPECT_THAT(reader.json("d", flight_json(empty)).entries, IsEmpty());
  }
}

TEST(FlightDump, InJsonThatIsNotUtf8IsRejected) {
  EXPECT_THAT(reason([] { read_json("{\"version\":\"2.4\",\"entries\":[],\"x\":\"\xff\"}"); }),
              testing::HasSubstr("dump: cannot be parsed"));
}

// What a script makes of a pickle with json.dump: numbers where PyTorch writes texts, frames, null.
TEST(FlightDump, IsReadFromTheJsonOfAScript) {
  const FlightDump dump = read_json(R"({"version": "2.9", "nccl_version": "2.21.5",
    "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": [3, 1]}, "1": {"ranks": "[0,2]"}},
    "pg_status": {"0": {"last_enqueued_collective": 7, "last_started_collective": null}, "x": {}, "1": 3},
    "entries": [{"frames": [{"name": "f", "filename": "/x/dist-packages/torch/a.py", "line": 1},
                            {"name": "g", "filename": "job.py", "line": 12}], "record_id": 18446744073709551615,
                 "process_group": ["0", "default_pg"], "time_discovered_started_ns": null, "state": "started",
                 "input_sizes": [[4, 123456789012345678901234567890]], "input_dtypes": [], "duration_ms": 1.5e3,
                 "from_a_later_version": {"deep": [1, {"er": null}]}, "p2p_seq_id": "12", "collective_seq_id": 3.0}]})");
  EXPECT_EQ(dump.comm_lib_version, "2.21.5");
  ASSERT_EQ(dump.groups.size(), 2u);
  EXPECT_THAT(dump.ranks_of(dump.groups[0]), ElementsAre(3, 1));
  EXPECT_THAT(dump.ranks_of(dump.groups[1]), ElementsAre(0, 2));
  EXPECT_EQ(dump.text(dump.groups[1].name), "1");
  ASSERT_EQ(dump.status.size(), 1u);
  EXPECT_EQ(dump.status[0].second.last_enqueued, 7);
  EXPECT_EQ(dump.status[0].second.last_started, -1);
  ASSERT_EQ(dump.entries.size(), 1u);
  const FlightEntry& entry = dump.entries[0];
  EXPECT_EQ(dump.text(entry.site), "job.py:12");
  EXPECT_EQ(entry.record_id, -1) << "beyond what is counted";
  EXPECT_EQ(entry.in_count, -1);
  EXPECT_EQ(entry.in_tensors, 1);
  EXPECT_EQ(entry.in_type, ElementType::unknown);
  EXPECT_EQ(entry.out_count, -1) << "not stated";
  EXPECT_EQ(entry.p2p_seq, 12);
  EXPECT_EQ(entry.collective_seq, -1) << "no whole number";
  EXPECT_EQ(entry.state, EventState::started);
}

// Groups of one name overwrite each other in pg_config: an entry of another description is of another group.
TEST(FlightDump, ListThatNoGroupCanHaveIsNotStatedAndTold) {
  const auto refused = [](const std::string& list) {
    const FlightDump dump =
        FlightReader().json("d", R"({"pg_config": {"5": {"name": "5", "ranks": )" + list + R"(}}, "entries": []})");
    EXPECT_THAT(dump.ranks_of(dump.groups.at(0)), IsEmpty());
    return dump.refused_lists.empty() ? std::string() : dump.refused_lists.front();
  };
  EXPECT_EQ(refused("[0, 3, 1, 3]"), "group 5 names rank 3 twice");
  EXPECT_EQ(refused(R"("[0, 3, 1, 3]")"), "group 5 names rank 3 twice");
  EXPECT_EQ(refused("[0, 1048576]"), "group 5 names rank 1048576, and ranks are below 1048576");
  for (const std::string list : {"[0, 4000000000]", R"("[0, 4000000000]")", "[0, 100000000000000000000000]", "[-1]"})
    EXPECT_EQ(refused(list), "group 5 names what is no rank");
  EXPECT_EQ(refused("[]"), "");
  FlightRecord record;
  record.groups = {{"5", "", {1, 1}}};
  EXPECT_THAT(FlightReader().pickle("d", test::flight_pickle(record)).refused_lists,
              ElementsAre("group 5 names rank 1 twice"));
}

TEST(FlightDump, GroupsAreToldApartByTheirDescription) {
  FlightRecord record = small_record();
  record.calls[1].group = "7";
  record.calls[1].description = "PIPELINE";
  record.calls.push_back(record.calls[1]);
  for (const FlightDump& dump : {read_pickle(flight_pickle(record)), read_json(flight_json(record))}) {
    ASSERT_EQ(dump.groups.size(), 3u);
    EXPECT_NE(dump.entries[0].group, dump.entries[1].group);
    EXPECT_EQ(dump.entries[1].group, dump.entries[2].group);
    const FlightGroup& named = dump.groups[dump.entries[1].group];
    EXPECT_FALSE(named.configured);
    EXPECT_THAT(dump.ranks_of(named), IsEmpty());
  }
}

TEST(FlightDump, MixedTypesAreNotKnown) {
  FlightRecord record = small_record();
  record.calls[0].in.types = {"Float", "Half", "Float"};
  EXPECT_EQ(read_pickle(flight_pickle(record)).entries[0].in_type, ElementType::unknown);
  EXPECT_EQ(read_json(flight_json(record)).entries[0].in_type, ElementType::unknown);
}

TEST(FlightDump, TheSiteIsTheInnermostFrameOfTheProgram) {
  FlightRecord record = small_record();
  record.frames = {{"all_reduce", "/x/site-packages/torch/distributed/distributed_c10d.py", 1},
                   {"inner", "/usr/lib/python3.11/contextlib.py", 2},
                   {"<lambda>", "<eval_with_key>.3", 3},
                   {"call", "/tmp/torchinductor_job/ab/cab.py", 4},
                   {"??", "??", 5},
                   {"run", "/opt/pytorch/torch/csrc/autograd/engine.cpp", 6},
                   {"forward", "/x/site-packages/megatron/core/layers.py", 7},
                   {"main", "/srv/job/train.py", 8}};
  record.calls[0].frames = {0, 1, 2, 3, 4, 5, 6, 7};
  record.calls[1].frames = {};
  const FlightDump dump = read_pickle(flight_pickle(record));
  EXPECT_EQ(dump.text(dump.entries[0].site), "/x/site-packages/megatron/core/layers.py:7");
  EXPECT_EQ(dump.text(dump.entries[1].site), "");
}

TEST(FlightDump, OneThatBreaksOffKeepsItsWholeEntries) {
  FlightRecord record = small_record();
  record.calls.resize(1);
  for (int i = 1; i < 20; ++i) {
    record.calls.push_back(record.calls[0]);
    ++record.calls.back().record_id;
  }
  for (const bool pickled : {true, false}) {
    const std::string bytes = pickled ? flight_pickle(record) : flight_json(record);
    std::size_t before = 0;
    for (std::size_t size = bytes.find(pickled ? "entries" : "{\"collective_seq_id") + 20; size < bytes.size();
         ++size) {
      const auto head = std::string_view(bytes).substr(0, size);
      const FlightDump dump = pickled ? read_pickle(head) : read_json(head);
      ASSERT_TRUE(dump.cut) << size;
      ASSERT_TRUE(dump.entries.size() == before || dump.entries.size() == before + 1) << size;
      before = dump.entries.size();
      for (const FlightEntry& entry : dump.entries) ASSERT_EQ(entry.timeout_ms, 600000) << size;
    }
    EXPECT_EQ(before, 20u) << pickled;
  }
}

TEST(FlightDump, WhatIsNoneIsRefusedWithAReason) {
  EXPECT_EQ(reason([] { read_pickle(""); }), "dump: is empty");
  EXPECT_EQ(reason([] { read_json(""); }), "dump: is empty");
  EXPECT_EQ(reason([] { read_pickle("\x80\x02]."s); }), "dump: a dict was expected, as the Flight Recorder writes it");
  EXPECT_THAT(reason([] { read_pickle("\x80\x02}."s); }), HasSubstr("has neither groups nor entries"));
  EXPECT_THAT(reason([] { read_pickle("\x80\x02}(X\7\0\0\0version"s); }), HasSubstr("breaks off before its groups"));
  EXPECT_THAT(reason([] { read_json(R"({"version":"2.9"})"); }), HasSubstr("has neither groups nor entries"));
  EXPECT_THAT(reason([] { read_json(R"({"version":"2.9","pg_st)"); }), HasSubstr("breaks off before its groups"));
  EXPECT_THAT(reason([] { read_json("{\"pg_config\":{},\n \"entries\":[{]}"); }),
              HasSubstr("dump:2:14: cannot be parsed"));
  EXPECT_THAT(reason([] { read_json(R"({"pg_config":{}} {})"); }), HasSubstr("cannot be parsed"));
  EXPECT_THAT(reason([] { read_pickle(std::string(kMostFlightBytes + 1, '}')); }), HasSubstr("more than 128 MiB"));
}

TEST(FlightDump, IsToldFromOtherFiles) {
  EXPECT_FALSE(looks_like_flight_pickle("\x80\x02}q\0X\5\0\0\0modelq\1."s));
  EXPECT_FALSE(looks_like_flight_pickle("PK\3\4 pg_config"s));
  EXPECT_FALSE(looks_like_flight_json(R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "pg_config": [)"));
  EXPECT_FALSE(looks_like_flight_json(R"({"entries": [{"startedDateTime": "2024)"));
  EXPECT_FALSE(looks_like_flight_json(R"(["pg_config"])"));
  EXPECT_FALSE(looks_like_flight_json(R"({"text": "pg_config", "other": "a \" pg_status)"));
  EXPECT_TRUE(looks_like_flight_json("\n{\n \"nccl_version\": \"2\",\n \"pg_config\" : {"));
  EXPECT_TRUE(looks_like_flight_json(R"({"comm_lib_version":"2.27","entries":[{"collective_seq_id":4,"is_p2p":)"));
}

// The writer makes the bytes that PyTorch made: what a real dump holds, written again, is the same file.
class Rewritten {
 public:
  static std::string of(const std::string& bytes) {
    Rewritten made(bytes);
    return flight_pickle(made.record_);
  }

 private:
  explicit Rewritten(const std::string& bytes) : pickle_([](std::string_view) { return std::uint8_t{0}; }) {
    each(pickle_.read("dump", bytes), [&](const std::string& key, PickleValue value) {
      if (key == "version") record_.version = text(value);
      if (key == "nccl_version") record_.library_key = key, record_.library = text(value);
      if (key == "pg_config") each(value, [&](const std::string&, PickleValue group) { add_group(group); });
      if (key == "pg_status") each(value, [&](const std::string& id, PickleValue last) { add_status(id, last); });
      if (key != "entries") return;
      for (const PickleValue entry : pickle_.items(value)) add_call(entry);
    });
    record_.with_frames = false;
  }

  template <class Action>
  void each(PickleValue dict, const Action& action) {
    const auto items = pickle_.items(dict);
    for (std::size_t i = 0; i < items.size(); i += 2) action(text(items[i]), items[i + 1]);
  }
  std::string text(PickleValue value) { return std::string(pickle_.text(value)); }

  void add_group(PickleValue dict) {
    FlightGroupRecord& group = record_.groups.emplace_back();
    each(dict, [&](const std::string& key, PickleValue value) {
      if (key == "name") group.name = text(value);
      if (key == "desc") group.description = text(value);
      std::istringstream ranks(key == "ranks" ? text(value) : "");
      std::int32_t rank = 0;
      while (ranks.ignore() && ranks >> rank) group.ranks.push_back(rank);
    });
  }

  void add_status(const std::string& id, PickleValue dict) {
    FlightStatusRecord& status = record_.status.emplace_back();
    status.pg_id = std::stoll(id);
    each(dict, [&](const std::string& key, PickleValue value) {
      if (key == "last_enqueued_collective") status.enqueued = value.number;
      if (key == "last_started_collective") status.started = value.number;
      if (key == "last_completed_collective") status.completed = value.number;
    });
  }

  void add_call(PickleValue dict) {
    FlightCall& call = record_.calls.emplace_back();
    const auto side = [&](const std::string& key, PickleValue value, const std::string& name, FlightTensorSide& to) {
      if (key == name + "_dtypes")
        for (const PickleValue type : pickle_.items(value)) to.types.push_back(text(type));
      if (key != name + "_sizes") return;
      for (const PickleValue tensor : pickle_.items(value)) {
        to.sizes.emplace_back();
        for (const PickleValue axis : pickle_.items(tensor)) to.sizes.back().push_back(axis.number);
      }
    };
    each(dict, [&](const std::string& key, PickleValue value) {
      for (const auto& [name, number] : {std::pair{"record_id", &call.record_id},
                                         {"pg_id", &call.pg_id},
                                         {"collective_seq_id", &call.collective_seq},
                                         {"p2p_seq_id", &call.p2p_seq},
                                         {"op_id", &call.op_id},
                                         {"time_created_ns", &call.created_ns},
                                         {"timeout_ms", &call.timeout_ms}})
        if (key == name) *number = value.number;
      for (const auto& [name, kept] : {std::pair{"thread_name", &call.thread_name},
                                       {"thread_id", &call.thread_id},
                                       {"profiling_name", &call.name},
                                       {"state", &call.state}})
        if (key == name) *kept = text(value);
      if (key == "process_group") {
        call.group = text(pickle_.items(value)[0]);
        call.description = text(pickle_.items(value)[1]);
      }
      side(key, value, "input", call.in);
      side(key, value, "output", call.out);
      if (key == "retired") call.retired = value.number != 0;
      if (key == "is_p2p") call.is_p2p = value.number != 0;
    });
  }

  Pickle pickle_;
  FlightRecord record_;
};

TEST(FlightDump, TheWriterOfTheTestsMakesTheBytesOfPyTorch) {
  const char* const shared = std::getenv("PETRI_SHARED_DATA");
  if (shared == nullptr) GTEST_SKIP() << "PETRI_SHARED_DATA names no folder of real dumps";
  int files = 0;
  for (const auto& at : std::filesystem::recursive_directory_iterator(shared + "/flight-recorder"s)) {
    if (!at.is_regular_file() || at.path().extension() == ".log") continue;
    std::ifstream file(at.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ++files;
    const std::string made = Rewritten::of(bytes);
    const auto differ = std::mismatch(made.begin(), made.end(), bytes.begin(), bytes.end());
    EXPECT_TRUE(made == bytes) << at.path() << ": byte " << differ.first - made.begin();
  }
  EXPECT_GT(files, 0);
}

// A million references in a small file, to lists of a million references: each is walked once.
TEST(FlightDump, ASmallFileKeepsNobodyBusy) {
  const auto many = [](const std::string& what, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i) bytes += what;
    return bytes;
  };
  const auto key = [](const std::string& name) { return "\x8c"s + static_cast<char>(name.size()) + name; };
  constexpr int kMany = 200000;
  std::string bytes = "\x80\x04}(" + key("x") + "]q\0("s + many("K\1", kMany) + "e" +           // 0: axes
                      key("x") + "]q\1("s + many("h\0"s, kMany) + "e" +                         // 1: sizes
                      key("x") + "}q\2("s + key("filename") + key("/torch/csrc/") + "u" +       // 2: a frame
                      key("x") + "]q\3("s + many("h\2"s, kMany) + "e" +                         // 3: frames
                      key("x") + "]q\4("s + many(key("Float"), 1) + many("K\1", kMany) + "e" +  // 4: types
                      key("x") + "}q\5("s + key("input_sizes") + "h\1"s + key("output_sizes") + "h\3"s + key("frames") +
                      "h\3"s + key("input_dtypes") + "h\4"s + key("output_dtypes") + "h\1"s + "u" + key("x") +
                      "]q\6("s + many("h\5"s, kMany) + "e" +  // 6: entries
                      many(key("entries") + "h\6"s, 1000) + key("pg_config") + "}(" + many(key("y") + "h\2"s, kMany) +
                      "u";
  const std::string own_sizes =
      "}(" + key("input_sizes") + "](" + many("h\0"s, 10) + "e" + key("frames") + "h\3"s + "u";
  bytes += key("entries") + "](" + many("h\5"s, kMany) + many(own_sizes, 1000) + "eu.";
  const FlightDump dump = read_pickle(bytes);
  EXPECT_EQ(dump.entries.size(), kMany + 1000u);
  EXPECT_EQ(dump.entries[0].in_count, kMany);
  EXPECT_EQ(dump.entries.back().in_count, 10);
}

}  // namespace
}  // namespace petri::test
