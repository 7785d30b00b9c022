// What the recorder of a rank holds of its part in the job.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "tests/import/flight_job.hpp"

namespace petri::test {

namespace {

constexpr std::int64_t kBegin = 1758610505000000000, kBetweenCalls = 180'000, kHidden = 5120;
constexpr const char* kDescriptions[] = {"default_pg", "DATA_PARALLEL_GROUP", "TENSOR_MODEL_PARALLEL_GROUP",
                                         "PIPELINE_MODEL_PARALLEL_GROUP", "EXPERT_MODEL_PARALLEL_GROUP"};
constexpr const char* kTitles[] = {"all_reduce", "_all_gather_base", "_reduce_scatter_base", "all_to_all"};
constexpr const char* kFunctions[] = {"all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor",
                                      "all_to_all_single", "batch_isend_irecv"};
constexpr const char* kTorch = "/opt/venv/lib/python3.11/site-packages/torch/";

FlightTensorSide tensor(std::vector<std::int64_t> sizes, bool half) {
  return {{std::move(sizes)}, {half ? "BFloat16" : "Float"}};
}

}  // namespace

struct FlightJob::Counters {
  std::int64_t records = 0, lost = 0;  // entries made, and those of them that the ring no longer holds
  std::array<std::int64_t, kKinds> collectives{}, messages{}, operations{};
  std::vector<std::uint32_t> places;  // of each place, its frame; 0: none yet
};

bool FlightJob::has_dump(std::int32_t rank) const {
  return options_.fault != FlightFault::missing_rank || culprits_.empty() || rank != culprits_.front();
}

FlightRecord FlightJob::dump(std::int32_t rank) const {
  FlightRecord record;
  record.with_frames = options_.frames > 0;
  for (const Kind kind : {kWorld, kData, kTensor, kPipe, kExpert}) {
    const Group& group = this->group(rank, kind);
    record.groups.push_back({std::to_string(group.number), kDescriptions[kind], group.ranks});
  }
  // by name, as a map of texts has them
  std::sort(record.groups.begin(), record.groups.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const Progress progress = progress_[static_cast<std::size_t>(rank)];
  Counters counters;
  for (std::size_t i = 0; i < progress.enqueued; ++i) {
    const Op& op = this->op(rank, i);
    counters.lost += 1 + (op.what == batch ? (op.to != 0 ? 1 : 0) + (op.from != 0 ? 1 : 0) : 0);
  }
  const auto uneven = static_cast<std::int64_t>((static_cast<std::uint64_t>(rank) * 2654435761U + options_.seed) % 50);
  counters.lost -= options_.uneven_rings ? options_.ring - options_.ring * uneven / 100 : options_.ring;
  std::array<FlightStatusRecord, kKinds> status;
  for (std::size_t i = 0; i < progress.enqueued; ++i) {
    const Op& op = this->op(rank, i);
    this->record(rank, i, record, counters);
    const std::int64_t seq = (op.what == collective ? counters.collectives : counters.messages)[op.kind];
    status[op.kind].enqueued = seq;
    if (i < progress.completed) status[op.kind].completed = seq;
    if (i <= progress.completed && options_.timing) status[op.kind].started = seq;
  }
  for (const Kind kind : {kWorld, kData, kTensor, kPipe, kExpert}) {
    status[kind].pg_id = kind;
    if (status[kind].enqueued >= 0) record.status.push_back(status[kind]);
  }
  return record;
}

// One operation: its entry, or those of a coalesced launch.
void FlightJob::record(std::int32_t rank, std::size_t index, FlightRecord& to, Counters& counters) const {
  const Op& op = this->op(rank, index);
  const Progress progress = progress_[static_cast<std::size_t>(rank)];
  FlightCall call;
  call.pg_id = op.kind;
  call.group = std::to_string(group(rank, op.kind).number);
  call.description = kDescriptions[op.kind];
  call.is_p2p = op.what != collective;
  ++(op.what == collective ? counters.collectives : counters.messages)[op.kind];
  call.collective_seq = counters.collectives[op.kind];
  call.p2p_seq = counters.messages[op.kind];
  call.created_ns = kBegin + rank * 1'000'000 + static_cast<std::int64_t>(index) * kBetweenCalls;
  const auto message = [&](const char* name, const char* arrow, std::int32_t distance) {
    ++counters.operations[op.kind];
    call.name = fmt::format("nccl:{} {}{}{}", name, group_rank(rank, op.kind), arrow, partner(rank, op.kind, distance));
    call.in = call.out = tensor({op.rows, 1, kHidden}, op.half);
  };
  if (op.what == batch) {  // its members have no events of their own: nothing is ever known of them
    if (op.to != 0) message("send", "->", op.to), add_call(call, op, to, counters);
    if (op.from != 0) message("recv", "<-", op.from), add_call(call, op, to, counters);
    call.name = "nccl:coalesced";
    call.in = call.out = {};
  } else if (op.what == collective) {
    const auto size = std::ssize(group(rank, op.kind).ranks);
    ++counters.operations[op.kind];
    call.name = fmt::format("nccl:{}", kTitles[op.title]);
    call.in = call.out = tensor({op.rows, 1, kHidden}, op.half);
    if (op.title == all_reduce) call.in = call.out = tensor({op.rows}, op.half);
    if (op.title == all_gather) call.out.sizes[0][0] = op.rows * size;
    if (op.title == reduce_scatter) call.out.sizes[0][0] = op.rows / size;
    if (op.title == all_to_all) {
      const auto uneven = static_cast<std::int64_t>((static_cast<std::uint64_t>(rank) * 31 + index * 17) % 64);
      call.in = tensor({op.rows, kHidden}, op.half);
      call.out = tensor({op.rows - 32 + uneven, kHidden}, op.half);
    }
  } else {
    op.what == send ? message("send", "->", op.to) : message("recv", "<-", op.from);
  }
  if (index < progress.completed) {
    call.state = "completed";
    call.retired = true;
    call.completed_ns = call.created_ns + 4 * kBetweenCalls;
    if (options_.timing) call.duration_ms = 0.125 * static_cast<double>(1 + index % 8);
  } else if (index == progress.completed && options_.timing) {
    call.state = "started";
  }
  if (call.state != "scheduled" && options_.timing) call.started_ns = call.created_ns + 3 * kBetweenCalls;
  add_call(std::move(call), op, to, counters);
}

void FlightJob::add_call(FlightCall call, const Op& op, FlightRecord& to, Counters& counters) const {
  call.record_id = counters.records++;
  call.op_id = counters.operations[op.kind];
  if (call.record_id < counters.lost) return;
  if (options_.frames > 0) call.frames = stack(op, to, counters);
  to.calls.push_back(std::move(call));
}

// PyTorch's function and its wrapper, the place in the program, and what called that.
std::vector<std::uint32_t> FlightJob::stack(const Op& op, FlightRecord& to, Counters& counters) const {
  const auto most = static_cast<std::size_t>(options_.frames);
  if (to.frames.empty()) {
    const std::string c10d = std::string(kTorch) + "distributed/";
    for (const char* const function : kFunctions) to.frames.push_back({function, c10d + "distributed_c10d.py", 2800});
    to.frames.push_back({"wrapper", c10d + "c10d_logger.py", 81});
    for (std::int64_t i = 0; i < options_.frames; ++i)
      to.frames.push_back(i % 2 == 0 ? FlightFrame{"_call_impl", std::string(kTorch) + "nn/modules/module.py", 1700 + i}
                                     : FlightFrame{"forward", fmt::format("/srv/train/model/block_{}.py", i), 40 + i});
    counters.places.assign(200, 0);
  }
  std::uint32_t& place = counters.places.at(static_cast<std::size_t>(op.place));
  if (place == 0) {
    place = static_cast<std::uint32_t>(to.frames.size());
    to.frames.push_back({"step", "/srv/train/schedule.py", op.place});
  }
  const std::size_t function = op.what == collective ? std::size_t{op.title} : std::size(kTitles);
  std::vector<std::uint32_t> frames{static_cast<std::uint32_t>(function), std::size(kFunctions), place};
  for (std::size_t i = 0; frames.size() < most; ++i)
    frames.push_back(static_cast<std::uint32_t>(std::size(kFunctions) + 1 + i));
  frames.resize(most);
  return frames;
}

}  // namespace petri::test
