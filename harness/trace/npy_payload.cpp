#include "harness/trace/npy_payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/error.hpp"
#include "harness/trace/find_line.hpp"
#include "harness/trace/npy.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

fs::path file_within(const fs::path& folder, const std::string& name) {
  if (name.find('\0') != std::string::npos) throw InputError(name, 0, 0, "a file's name ends at a NUL");
  const fs::path home = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder);
  const fs::path file = fs::weakly_canonical(home / name);
  const auto [end_of_home, rest] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
  if (end_of_home != home.end() || rest == file.end())
    throw InputError(name, 0, 0, "a payload lies beside its scenario or below, and this path leads out of the folder");
  return file;
}

// As many elements as the event contributes; of a scattered result without a list of its blocks, `count` is each of
// them.
bool fits(const Event& event, std::uint64_t elements) {
  const std::string_view family = info(event.op).family;
  const bool scattered = family == "reduce_scatter" || family == "reduce_scatter_block";
  const auto blocks = event.extras.recvcounts().empty() ? event.extras.counts() : event.extras.recvcounts();
  if (scattered && !blocks.empty())
    return elements == static_cast<std::uint64_t>(std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}));
  if (event.count < 0) return true;
  const auto count = static_cast<std::uint64_t>(event.count);
  if (scattered) return count > 0 && elements > 0 && elements % count == 0;
  return elements == count;
}

std::vector<double> numbers_of(const NpyFile& file, const Event& event, std::uint64_t most) {
  const auto fail = [&](const std::string& reason) { throw InputError(file.path(), 0, 0, reason); };
  const NpyHeader& header = file.header();
  if (event.dtype != ElementType::unknown && event.dtype != header.type)
    fail(fmt::format("it has elements of {}, and the event that names it of {}", name_of(header.type),
                     name_of(event.dtype)));
  if (!fits(event, header.elements) || header.elements == 0)
    fail(fmt::format(
        "it has {} elements, which are not as many as the event that names it contributes, by its \"count\"",
        header.elements));
  if (header.elements > most)
    fail(fmt::format("the files of a scenario may hold 2^24 numbers in all: petri compare --payload reads any number"));
  std::vector<double> numbers(static_cast<std::size_t>(header.elements));
  file.read(0, numbers);
  const bool wide = header.type == ElementType::int64 || header.type == ElementType::uint64;
  if (wide && std::any_of(numbers.begin(), numbers.end(), [](double n) { return std::abs(n) >= 0x1p53; }))
    fail("it has integers of 2^53 and more, which the numbers of a scenario do not hold exactly");
  return numbers;
}

// The reason names the NumPy file itself.
[[noreturn]] void fail_at(const fs::path& file, EventRef event, const std::string& reason) {
  if (file.empty())
    throw InputError("standard input", 0, 0,
                     fmt::format("\"npy\" of rank {}, event {}: {}", event.rank, event.index, reason));
  throw InputError(file.string(), line_of(file, event), 0, fmt::format("\"npy\": {}", reason));
}

}  // namespace

void take_in_npy(Scenario& scenario, const fs::path& folder, const fs::path& file) {
  std::uint64_t left = kMostNpyNumbers;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    std::vector<Event>& events = scenario.ranks[rank].events;
    for (std::size_t index = 0; index < events.size(); ++index) {
      Event& event = events[index];
      if (event.reduce == ReduceOp::unknown || event.extras.npy().empty()) continue;
      try {
        std::vector<double> numbers = numbers_of(NpyFile(file_within(folder, event.extras.npy())), event, left);
        left -= numbers.size();
        event.extras.set_values(std::move(numbers));
        event.extras.set_npy({});
      } catch (const InputError& error) {
        fail_at(file, {static_cast<std::int32_t>(rank), static_cast<std::uint32_t>(index)}, error.what());
      }
    }
  }
}

}  // namespace petri
