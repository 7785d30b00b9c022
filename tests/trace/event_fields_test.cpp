// The arguments of events by their names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "harness/trace/event_fields.hpp"
#include "tests/trace/text.hpp"

namespace petri {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

std::map<std::string, FieldValue> fields_of(const Event& event) {
  std::map<std::string, FieldValue> fields;
  for_each_field(event, [&](std::string_view name, const FieldValue& value) { fields[std::string(name)] = value; });
  return fields;
}

TEST(EventFields, AreNumbersAndTexts) {
  const Scenario scenario = test::read_text(R"({"petri":1,"world":2}
{"rank":0,"op":"sendrecv","sendpeer":1,"recvpeer":"any","count":4,"dtype":"float32","tag":6,"stream":"s"}
{"rank":0,"op":"waitall","requests":[],"thread":1}
{"end":true,"events":2}
)");
  EXPECT_THAT(fields_of(scenario.ranks[0].events[0]),
              UnorderedElementsAre(Pair("sendpeer", FieldValue(std::int64_t{1})), Pair("recvpeer", FieldValue("any")),
                                   Pair("count", FieldValue(std::int64_t{4})), Pair("dtype", FieldValue("float32")),
                                   Pair("tag", FieldValue(std::int64_t{6})), Pair("stream", FieldValue("s"))));
  EXPECT_THAT(fields_of(scenario.ranks[0].events[1]),
              UnorderedElementsAre(Pair("thread", FieldValue(std::int64_t{1}))));
  Event wait;
  wait.extras.set_requests({3, 4});
  EXPECT_THAT(fields_of(wait), UnorderedElementsAre(Pair("requests", FieldValue("3 4"))));
}

TEST(EventFields, MakeTheSameEventAgain) {
  const Scenario scenario = test::read_text(R"({"petri":1,"world":2}
{"rank":0,"op":"alltoallv","sendcounts":[1,9000000000],"recvcounts":[2,2],"sendtype":"int8","recvtype":"int16","coll_seq":5}
{"rank":0,"op":"win_lock","win":"w","target":1,"lock":"shared","assert":"nocheck","category":"a b"}
{"rank":0,"op":"irecv","peer":1,"tag":"any","request":4294967294}
{"rank":0,"op":"test","request":4294967294,"flag":false,"polls":7}
{"end":true,"events":4}
)");
  for (const Event& event : scenario.ranks[0].events) {
    Event made;
    made.op = event.op;
    for_each_field(event, [&](std::string_view name, const FieldValue& value) {
      EXPECT_TRUE(set_field(made, name, value)) << name;
    });
    EXPECT_EQ(fields_of(made), fields_of(event));
    EXPECT_TRUE(made.extras == event.extras);
  }
}

TEST(EventFields, RefuseWhatTheyCannotBe) {
  Event event;
  for (const auto& [name, value] : std::vector<std::pair<std::string, FieldValue>>{{"peer", "nobody"},
                                                                                   {"peer", std::int64_t{1} << 40},
                                                                                   {"request", std::int64_t{-1}},
                                                                                   {"dtype", "float33"},
                                                                                   {"dtype", std::int64_t{3}},
                                                                                   {"requests", "1 x"},
                                                                                   {"requests", ""},
                                                                                   {"requests", std::int64_t{1}},
                                                                                   {"flag", std::int64_t{2}},
                                                                                   {"win", std::int64_t{2}},
                                                                                   {"npy", "a.npy"},
                                                                                   {"new_comm", std::int64_t{5}},
                                                                                   {"colour", std::int64_t{5}}})
    EXPECT_FALSE(set_field(event, name, value)) << name;
  EXPECT_THAT(fields_of(event), testing::IsEmpty());
}

}  // namespace
}  // namespace petri
