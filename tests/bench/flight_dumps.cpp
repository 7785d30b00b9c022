// Writes the Flight Recorder dumps of a training job that went wrong in a chosen way, one file a rank as PyTorch names
// them, and prints what it was: {"fault":…,"culprits":[…],"world":…}. Run with --help for the options.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/import/flight_job.hpp"

namespace {

using namespace petri::test;

struct Arguments {
  FlightJobOptions job;
  std::string out;
  bool json = false;
};

int usage(int status) {
  std::string faults;
  for (const FlightFault fault : flight_faults()) faults += fmt::format(" {}", name_of(fault));
  fmt::print(status == 0 ? stdout : stderr,
             "usage: flight_dumps --out DIR [--ranks N] [--entries M] [--frames F] [--fault KIND] [--seed S]\n"
             "                    [--ring K] [--uneven-rings] [--states started|scheduled] [--json]\n"
             "faults:{}\n",
             faults);
  return status;
}

std::optional<std::int64_t> number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

// Takes one option with its value; false where there is something wrong with it.
bool take(std::string_view option, std::string_view value, Arguments& arguments) {
  FlightJobOptions& job = arguments.job;
  const auto into = [&](std::int32_t& to, std::int64_t least, std::int64_t most) {
    const auto read = number(value, least, most);
    if (read) to = static_cast<std::int32_t>(*read);
    return read.has_value();
  };
  if (option == "--out") return arguments.out = value, !value.empty();
  if (option == "--ranks") return into(job.ranks, 1, 1 << 17);
  if (option == "--entries") return into(job.entries, 1, 1 << 24);
  if (option == "--frames") return into(job.frames, 0, 1000);
  if (option == "--ring") return into(job.ring, 1, 1 << 24);
  if (option == "--states") return job.timing = value == "started", job.timing || value == "scheduled";
  if (option == "--seed") {
    const auto seed = number(value, 0, std::int64_t{1} << 62);
    job.seed = static_cast<std::uint64_t>(seed.value_or(0));
    return seed.has_value();
  }
  if (option != "--fault") return false;
  for (const FlightFault fault : flight_faults())
    if (name_of(fault) == value) return job.fault = fault, true;
  return false;
}

int write(const Arguments& arguments) {
  const FlightJob job(arguments.job);
  std::filesystem::create_directories(arguments.out);
  std::uintmax_t bytes = 0;
  for (std::int32_t rank = 0; rank < job.world(); ++rank) {
    if (!job.has_dump(rank)) continue;
    const FlightRecord record = job.dump(rank);
    const std::string made = arguments.json ? flight_json(record) : flight_pickle(record);
    const std::string file = fmt::format("{}/nccl_trace_rank_{}", arguments.out, rank);
    std::ofstream to(file, std::ios::binary);
    if (!(to << made).flush()) return fmt::print(stderr, "{}: cannot be written\n", file), 2;
    bytes += made.size();
  }
  fmt::print("{{\"fault\":\"{}\",\"culprits\":[{}],\"world\":{},\"bytes\":{}}}\n", name_of(arguments.job.fault),
             fmt::join(job.culprits(), ","), job.world(), bytes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help") return usage(0);
    if (words[i] == "--json") {
      arguments.json = true;
    } else if (words[i] == "--uneven-rings") {
      arguments.job.uneven_rings = true;
    } else if (i + 1 < words.size() && take(words[i], words[i + 1], arguments)) {
      ++i;
    } else {
      fmt::print(stderr, "flight_dumps: {} is no option, or its value is wrong or missing\n", words[i]);
      return usage(2);
    }
  }
  return arguments.out.empty() ? usage(2) : write(arguments);
}
