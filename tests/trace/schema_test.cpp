// Reader, writer and JSON Schema name the same things.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/trace/keys.hpp"
#include "harness/trace/op_keys.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using nlohmann::json;
using testing::UnorderedElementsAreArray;

const json& definitions() {
  static const json schema = json::parse(std::ifstream(PETRI_SCHEMA));
  return schema["$defs"];
}

std::vector<std::string> property_names(const char* definition) {
  std::vector<std::string> names;
  for (const auto& property : definitions()[definition]["properties"].items()) names.push_back(property.key());
  return names;
}

std::vector<std::string> enumerated(const json& definition) {
  return definition["enum"].get<std::vector<std::string>>();
}

struct Object {
  const char* definition;
  KeyPlace place;
};

class SchemaKeys : public testing::TestWithParam<Object> {};

TEST_P(SchemaKeys, AreThoseOfTheReader) {
  EXPECT_THAT(property_names(GetParam().definition), UnorderedElementsAreArray(keys_of(GetParam().place)));
}

INSTANTIATE_TEST_SUITE_P(Schema, SchemaKeys,
                         testing::Values(Object{"header", kHeader}, Object{"communicator", kComm},
                                         Object{"event", kEvent}, Object{"rankEnd", kRankEnd},
                                         Object{"fileEnd", kFileEnd}, Object{"origin", kOrigin},
                                         Object{"outcome", kOutcome}, Object{"summary", kSummary},
                                         Object{"fill", kFill}),
                         [](const auto& object) { return std::string(object.param.definition); });

template <class Enum>
std::vector<std::string> names_through(Enum first, Enum last) {
  std::vector<std::string> names;
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i)
    names.emplace_back(name_of(static_cast<Enum>(i)));
  return names;
}

TEST(Schema, NamesWhatTheReaderNames) {
  EXPECT_THAT(enumerated(definitions()["op"]), UnorderedElementsAreArray(names_through(Op::send, Op::event_sync)));
  EXPECT_THAT(enumerated(definitions()["dtype"]),
              UnorderedElementsAreArray(names_through(ElementType::int8, ElementType::longdouble_int)));
  EXPECT_THAT(enumerated(definitions()["event"]["properties"]["reduce"]),
              UnorderedElementsAreArray(names_through(ReduceOp::sum, ReduceOp::user)));
  EXPECT_THAT(enumerated(definitions()["outcome"]["properties"]["verdict"]),
              UnorderedElementsAreArray(names_through(Verdict::completes, Verdict::ambiguous)));
  EXPECT_THAT(enumerated(definitions()["rankEnd"]["properties"]["end"]),
              UnorderedElementsAreArray(names_through(EndKind::finalized, EndKind::missing)));
}

TEST(Schema, NamesOperationsThatTheReaderTakes) {
  for (const std::string& op : enumerated(definitions()["op"]))
    EXPECT_EQ(error_of("{\"petri\":1,\"world\":1}\n{\"rank\":0,\"op\":\"" + op + "\",\"state\":\"started\"}\n"), "")
        << op;
}

// Operations with the same arguments share an entry of the schema: which keys may stand there, and which must unless
// the event was observed.
struct Arguments {
  std::set<std::string> takes;
  std::set<std::set<std::string>> needs;  // one of each
  auto operator<=>(const Arguments&) const = default;
};

using OpsByArguments = std::map<Arguments, std::set<std::string>>;

OpsByArguments arguments_of_the_table() {
  OpsByArguments ops;
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    Arguments arguments;
    for (const std::string_view key : keys_of(kEvent))
      if (takes(op, *key_named(key))) arguments.takes.emplace(key);
    for (const auto& choice : op_keys(op).needs) {
      std::set<std::string> names;
      for (const Key key : choice) names.emplace(name_of(key));
      if (!names.contains("rank") && !names.contains("op")) arguments.needs.insert(names);
    }
    ops[arguments].emplace(name_of(op));
  }
  return ops;
}

// Every name that a definition admits.
void add_names(const json& definition, std::set<std::string>& names) {
  for (const json& one : definition.value("anyOf", json::array())) add_names(one, names);
  for (const json& name : definition.value("enum", json::array())) names.insert(name.get<std::string>());
  const std::string other = definition.value("$ref", "");
  if (!other.empty()) add_names(definitions()[other.substr(std::string_view("#/$defs/").size())], names);
}

OpsByArguments arguments_of_the_schema() {
  OpsByArguments ops;
  for (const json& rule : definitions()["arguments"]["allOf"]) {
    Arguments arguments;
    const json& then = rule["then"];
    add_names(then["propertyNames"], arguments.takes);
    if (then.contains("anyOf")) {
      EXPECT_EQ(then["anyOf"][0]["$ref"], "#/$defs/observed");
      const json& needs = then["anyOf"][1];
      const auto required = needs.value("required", std::vector<std::string>{});
      for (const std::string& key : required) arguments.needs.insert({key});
      for (const json& choice : needs.value("allOf", json::array())) {
        std::set<std::string> names;
        for (const json& one : choice["anyOf"]) names.insert(one["required"][0].get<std::string>());
        arguments.needs.insert(names);
      }
    }
    for (const std::string& op : enumerated(rule["if"]["properties"]["op"])) ops[arguments].insert(op);
  }
  return ops;
}

TEST(Schema, GivesEachOperationTheArgumentsThatTheReaderTakes) {
  const OpsByArguments expected = arguments_of_the_table(), actual = arguments_of_the_schema();
  for (const auto& [arguments, ops] : expected) {
    const auto found = actual.find(arguments);
    EXPECT_TRUE(found != actual.end() && found->second == ops)
        << "the table has for " << testing::PrintToString(ops) << "\nkeys " << testing::PrintToString(arguments.takes)
        << "\nof which must be there " << testing::PrintToString(arguments.needs);
  }
  EXPECT_EQ(actual.size(), expected.size());
}

// The writer leaves no key of an event out: the file with every key holds each one.
TEST(Schema, HasNoKeyThatTheWriterNeverWrites) {
  std::ifstream in(PETRI_TEST_DATA "/everything.jsonl");
  std::set<std::string> written_keys;
  for (std::string line; std::getline(in, line);) {
    const json object = json::parse(line);
    for (const auto& field : object.items()) written_keys.insert(field.key());
  }
  for (const KeyPlace place : {kHeader, kComm, kEvent, kRankEnd, kFileEnd})
    for (const std::string_view key : keys_of(place)) EXPECT_TRUE(written_keys.contains(std::string(key))) << key;
}

}  // namespace
}  // namespace petri::test
