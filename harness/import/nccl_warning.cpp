#include "harness/import/nccl_warning.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace petri {
namespace {

// All in lower case. Failures that NCCL survives come first, as they sound like the others: RAS without its port, no
// library of a transport, events of a network that heals itself.
constexpr std::string_view kSurvived[] = {
    "libibverbs",
    "non-fatal",
    "ibv_query_port_speed",
    "numa balancing",
    "iommu",
    "deprecated",
    "ignor",
    "fall back",
    "falling back",
    "falls back",
    "fallback",
    "using default",
    "performance",
    "variability",
    "recommend",
    "disabl",
    "not supported",
    "nccl_ib_gid",
    "could not enable p2p",
    "does not make sense",
};

constexpr std::string_view kConsequences[] = {
    "timeout",
    "timed out",
    "time-out",
    "watchdog",
    "closed by remote peer",
    "connection reset",
    "broken pipe",
    "connection refused",
    "connection closed",
    "remote process",
    "was aborted",
    "aborting",
    "abort flag",
    "proxy call to rank",
    "flush_err",
    "flushed",
    "status=5 ",
    "error 5,",
    "communicator was revoked",
};

constexpr std::string_view kErrors[] = {
    "cuda failure", "cuda error",     "hip failure",        "hip error",     " failed",     "failed to ",
    "completion",   "completed with", "fatal event",        "async event",   "error while", "error :",
    "error:",       "invalid",        "mismatch",           "duplicate gpu", "truncated",   "corrupted",
    "illegal",      "out of memory",  "unable to",          "no space left", "not a valid", "internal error",
    "device error", "system error",   "could not allocate",
};

template <class Texts>
bool has_one_of(const std::string& text, const Texts& parts) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

}  // namespace

WarningKind kind_of_warning(std::string_view text, std::string_view place) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (place.starts_with("ras/") || place.find("/ras/") != std::string_view::npos) return WarningKind::advice;
  if (has_one_of(lower, kSurvived)) return WarningKind::advice;
  if (has_one_of(lower, kConsequences)) return WarningKind::consequence;
  return has_one_of(lower, kErrors) ? WarningKind::error : WarningKind::advice;
}

}  // namespace petri
