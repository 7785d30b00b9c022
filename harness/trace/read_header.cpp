#include <fmt/format.h>

#include "harness/trace/counted.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {
namespace {

const std::vector<std::string_view>& verdict_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (auto v = static_cast<int>(Verdict::completes); v <= static_cast<int>(Verdict::ambiguous); ++v)
      all.push_back(name_of(static_cast<Verdict>(v)));
    return all;
  }();
  return names;
}

Outcome read_outcome(JsonValue& value) {
  Outcome outcome;
  value.line().fields(value.object(), kOutcome, nullptr, [&](Key key, JsonValue field) {
    if (key == Key::verdict_)
      outcome.verdict = read_name(field, verdict_named, "verdict", verdict_names());
    else if (key == Key::signature_)
      outcome.signature = field.text();
    else if (key == Key::absent_)
      outcome.absent = field.truth();
  });
  return outcome;
}

// An outcome, or the word for "what was observed must not come back".
Outcome read_expectation(JsonValue& value) {
  if (!value.is_text()) return read_outcome(value);
  if (value.text() != "absent") value.reject("an object or \"absent\"");
  Outcome outcome;
  outcome.absent = true;
  return outcome;
}

Origin read_origin(JsonValue& value) {
  Origin origin;
  value.line().fields(value.object(), kOrigin, nullptr, [&](Key key, JsonValue field) {
    if (key == Key::source_)
      origin.source = field.text();
    else if (key == Key::digest_)
      origin.digest = field.text();
    else if (key == Key::ranks_)
      field.each_element([&](JsonValue rank) { origin.ranks.push_back(rank.small()); });
  });
  return origin;
}

std::vector<std::string> read_texts(JsonValue& value) {
  std::vector<std::string> texts;
  value.each_element([&](JsonValue text) { texts.emplace_back(text.text()); });
  return texts;
}

std::int32_t read_version(JsonValue& value) {
  const std::int64_t version = value.whole();
  if (version != kFormatVersion)
    value.line().fail(
        value.at(), fmt::format("format version {} is unknown; this petri reads version {}", version, kFormatVersion));
  return static_cast<std::int32_t>(version);
}

// Per-rank lists come before or after `world`, so their length is checked when the whole line has been read.
struct PerRank {
  const char* at = nullptr;
  std::size_t size = 0;
  const char* key = "";
};

void check_length(const JsonLine& line, const PerRank& list, std::int32_t world) {
  if (list.at == nullptr || list.size == static_cast<std::size_t>(world)) return;
  line.fail(list.at, fmt::format("\"{}\" must have one entry for each of the {}, got {}", list.key,
                                 counted(static_cast<std::uint64_t>(world), "rank"), list.size));
}

}  // namespace

Scenario read_header(JsonLine& line) {
  Header header;
  PerRank hosts, devices, origin_ranks;
  line.fields(kHeader, &header.free_keys, [&](Key key, JsonValue value) {
    switch (key) {
      case Key::petri_: read_version(value); break;
      case Key::job_: header.job = value.text(); break;
      case Key::world_: header.world = value.small(1, kMaxWorld); break;
      case Key::backend_: header.backend = value.text(); break;
      case Key::hosts_:
        header.hosts = read_texts(value);
        hosts = {value.at(), header.hosts.size(), "hosts"};
        break;
      case Key::devices_:
        header.devices = read_texts(value);
        devices = {value.at(), header.devices.size(), "devices"};
        break;
      case Key::environment_:
        line.any_fields(value.object(), [&](std::string_view name, JsonValue text) {
          header.environment.emplace_back(name, text.text());
        });
        break;
      case Key::origin_:
        header.origin = read_origin(value);
        if (!header.origin->ranks.empty()) origin_ranks = {value.at(), header.origin->ranks.size(), "ranks"};
        break;
      case Key::observed_: header.observed = read_outcome(value); break;
      case Key::expect_: header.expect = read_expectation(value); break;
      default: break;  // `fields` lets only a header's keys through
    }
  });
  if (header.world == 0)
    line.fail_at_start("expected the header to say how many ranks there are: \"world\" is missing");
  for (const PerRank& list : {hosts, devices, origin_ranks}) check_length(line, list, header.world);

  Scenario scenario(header.world);
  scenario.header = std::move(header);
  return scenario;
}

}  // namespace petri
