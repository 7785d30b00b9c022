// reproducer.json: its reader and its JSON Schema take the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/trace/reproducer_command.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ReproducerSchema : public ::testing::Test {
 protected:
  ReproducerSchema() {
    std::string pattern = (fs::temp_directory_path() / "petri_schema_XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~ReproducerSchema() override { fs::remove_all(folder); }

  // Nothing: the reader does not take it.
  std::optional<ReproducerCommand> read(const json& text) const {
    std::ofstream(folder / kReproducerFile) << text;
    try {
      return read_reproducer_command(folder / kReproducerFile);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  fs::path folder;
  const json schema = json::parse(std::ifstream(PETRI_REPRODUCER_SCHEMA));
};

TEST_F(ReproducerSchema, ItsExamplesAreRead) {
  for (const auto& [key, property] : schema["properties"].items()) {
    ASSERT_FALSE(property["examples"].empty()) << key;
    for (const json& example : property["examples"]) {
      json text{{"command", {"x"}}};
      text[key] = example;
      EXPECT_TRUE(read(text)) << text;
    }
  }
}

TEST_F(ReproducerSchema, ItsLimitsAreTheReaders) {
  for (const char* key : {"ranks", "repeat", "retries", "ring"}) {
    const json& property = schema["properties"][key];
    const auto least = property["minimum"].get<int>();
    const auto most = property["maximum"].get<int>();
    for (const int number : {least, most}) EXPECT_TRUE(read({{"command", {"x"}}, {key, number}})) << key << number;
    for (const int number : {least - 1, most + 1}) EXPECT_FALSE(read({{"command", {"x"}}, {key, number}})) << key;
  }
}

TEST_F(ReproducerSchema, ItsVerdictsAreTheReaders) {
  const json& verdicts = schema["properties"]["allow"]["items"]["enum"];
  std::size_t failures = 0;
  for (auto v = static_cast<int>(Verdict::completes); v <= static_cast<int>(Verdict::ambiguous); ++v)
    failures += read({{"command", {"x"}}, {"allow", {name_of(static_cast<Verdict>(v))}}}).has_value() ? 1 : 0;
  EXPECT_EQ(failures, verdicts.size());
  for (const json& verdict : verdicts) EXPECT_TRUE(read({{"command", {"x"}}, {"allow", {verdict}}})) << verdict;
}

TEST_F(ReproducerSchema, OtherKeysAreReadByNeither) {
  EXPECT_FALSE(schema["additionalProperties"].get<bool>());
  EXPECT_FALSE(read({{"command", {"x"}}, {"comand", {"x"}}}));
  EXPECT_TRUE(schema["patternProperties"].contains("^x_"));
  EXPECT_TRUE(read({{"command", {"x"}}, {"x_note", 1}}));
}

TEST_F(ReproducerSchema, WhatIsWrittenIsRead) {
  ReproducerCommand command;
  command.arguments = {"a b", "", "ü\n\"\\", "{ranks}"};
  command.ranks = 3;
  command.buffers = true;
  write_reproducer_command(command, folder / kReproducerFile);
  const ReproducerCommand got = read_reproducer_command(folder / kReproducerFile);
  EXPECT_EQ(got.arguments, command.arguments);
  EXPECT_EQ(got.ranks, command.ranks);
  EXPECT_TRUE(got.buffers && !got.digests);
}

}  // namespace
}  // namespace petri
