#include "harness/trace/reproducer_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "harness/trace/json_line.hpp"
#include "harness/trace/nearest.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;  // bytes; the kernel takes far fewer as arguments
constexpr std::int32_t kMostRanks = 4096;                    // they are processes of one machine
constexpr std::int32_t kMostRuns = 10000;
constexpr double kLongest_s = 1e6;
constexpr std::int32_t kLargestRing_mib = 64 * 1024;  // what a record can have

constexpr std::array<std::string_view, 10> kKeys{"command",     "ranks", "repeat", "retries", "timeout",
                                                 "environment", "allow", "expect", "record",  "ring"};

// Text that a program can be given: a NUL would end it early.
std::string argument(JsonValue value) {
  std::string text(value.text());
  if (text.find('\0') != std::string::npos) value.reject("text without NUL");
  return text;
}

std::vector<std::string> read_arguments(JsonLine& line, JsonValue value) {
  std::vector<std::string> arguments;
  JsonValue whole = value;  // for the message
  value.each_element([&](JsonValue element) { arguments.push_back(argument(element)); });
  if (arguments.empty()) line.fail(whole.at(), "\"command\" is empty: expected the program and its arguments");
  if (arguments.front().empty()) line.fail(whole.at(), "\"command\" begins with an empty text: expected the program");
  // mpirun(1): there a colon alone separates programs.
  if (std::find(arguments.begin(), arguments.end(), ":") != arguments.end())
    whole.reject("a program and its arguments without \":\", which mpirun takes for the beginning of another program");
  return arguments;
}

double read_seconds(JsonValue value) {
  const double seconds = value.number();
  if (!(seconds > 0 && seconds <= kLongest_s))
    value.reject(fmt::format("seconds, more than 0 and at most {:.0f}", kLongest_s));
  return seconds;
}

// What petri itself tells the recorder must stay.
bool is_petris_own(std::string_view name) {
  return name == "LD_PRELOAD" || name.starts_with("PETRI_");
}

std::vector<std::pair<std::string, std::string>> read_environment(JsonLine& line, JsonValue value) {
  std::vector<std::pair<std::string, std::string>> environment;
  line.any_fields(value.object(), [&](std::string_view name, JsonValue text) {
    const bool fits = !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos;
    if (!fits) line.fail(text.at(), "expected a variable's name without \"=\"");
    if (is_petris_own(name)) line.fail(text.at(), fmt::format("\"{}\" is set by petri itself", name));
    environment.emplace_back(name, argument(text));
  });
  return environment;
}

std::vector<Verdict> read_verdicts(JsonValue value) {
  std::vector<Verdict> verdicts;
  value.each_element([&](JsonValue element) {
    const auto verdict = verdict_named(element.text());
    const bool fails = verdict && *verdict != Verdict::completes && *verdict != Verdict::ambiguous;
    if (!fails) element.reject("verdicts of failures, as \"rank-error\"");
    verdicts.push_back(*verdict);
  });
  return verdicts;
}

void read_recorded(JsonValue value, ReproducerCommand& command) {
  value.each_element([&](JsonValue element) {
    const std::string_view word = element.text();
    if (word != "digests" && word != "buffers") element.reject("any of \"digests\" and \"buffers\"");
    (word == "digests" ? command.digests : command.buffers) = true;
  });
}

bool read_absent(JsonValue value) {
  const std::string_view word = value.text();
  if (word != "absent" && word != "present") value.reject("\"absent\" or \"present\"");
  return word == "absent";
}

void read_field(JsonLine& line, std::string_view key, JsonValue value, ReproducerCommand& command) {
  if (key == "command")
    command.arguments = read_arguments(line, value);
  else if (key == "ranks")
    command.ranks = value.small(1, kMostRanks);
  else if (key == "repeat")
    command.repeat = value.small(1, kMostRuns);
  else if (key == "retries")
    command.retries = value.small(0, kMostRuns);
  else if (key == "timeout")
    command.timeout_s = read_seconds(value);
  else if (key == "environment")
    command.environment = read_environment(line, value);
  else if (key == "allow")
    command.allow = read_verdicts(value);
  else if (key == "record")
    read_recorded(value, command);
  else if (key == "ring")
    command.ring_mib = value.small(1, kLargestRing_mib);
  else
    command.absent = read_absent(value);
}

}  // namespace

ReproducerCommand read_reproducer_command(const std::filesystem::path& file) {
  JsonLine line(file.string());
  line.load(read_whole(file, kLargest), 1);
  ReproducerCommand command;
  line.any_fields(line.restart(), [&](std::string_view key, JsonValue value) {
    if (key.starts_with("x_")) {
      value.raw();  // checked, and passed over
      return;
    }
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      const auto meant = nearest(key, kKeys);
      line.fail(value.at(), fmt::format("expected a known key, got \"{}\"{}", key,
                                        meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
    }
    read_field(line, key, value, command);
  });
  if (command.arguments.empty()) line.fail_at_start("expected a \"command\", an array that begins with a program");
  return command;
}

void write_reproducer_command(const ReproducerCommand& command, const std::filesystem::path& file) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  nlohmann::ordered_json json{{"command", command.arguments}};
  if (command.ranks) json["ranks"] = *command.ranks;
  if (command.digests) json["record"].push_back("digests");
  if (command.buffers) json["record"].push_back("buffers");
  out << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  out.close();
  if (!out) throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), file.string());
}

}  // namespace petri
