#include "kernels/order/nccl_channels.hpp"

#include <algorithm>

namespace petri::order::nccl {
namespace {

constexpr std::uint64_t kSteps = 8;  // NCCL_STEPS: slots of a connection's buffer

std::uint64_t over(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// Bytes over the links for each byte of an operation; those of LL count fourfold.
std::uint64_t traffic_of_a_byte(const Choice& choice, std::int32_t ranks) {
  std::uint64_t traffic = 1;
  if (choice.collective == Collective::allreduce) traffic = 2;
  if (choice.collective == Collective::reduce_scatter) traffic = static_cast<std::uint64_t>(ranks);
  return choice.protocol == Protocol::ll ? 4 * traffic : traffic;
}

// Cells of the first channel, of each one in the middle, of the last one.
struct Cells {
  std::uint64_t low = 0, middle = 0, high = 0;
  std::uint64_t middle_channels = 0;
};

Cells spread(std::uint64_t cells, std::uint64_t cells_of_a_channel, std::uint64_t channels) {
  Cells spread;
  spread.middle = std::min(cells, cells_of_a_channel);
  spread.low = channels == 1 ? cells : spread.middle;
  const std::uint64_t rest = cells - spread.low;
  spread.middle_channels = rest / spread.middle;
  spread.high = rest % spread.middle;
  if (channels < 1 + spread.middle_channels + (spread.high != 0 ? 1 : 0)) {
    spread.middle_channels = channels - 2;
    spread.middle = rest / (spread.middle_channels + 1);
    spread.high = spread.middle + rest % (spread.middle_channels + 1);
  }
  if (spread.high == 0 && spread.middle_channels != 0) {
    spread.high = spread.middle;
    --spread.middle_channels;
  }
  return spread;
}

}  // namespace

std::vector<ChannelPart> channel_parts(const Version& version, const Choice& choice, std::int32_t ranks,
                                       std::uint64_t count, std::uint64_t size) {
  if (count == 0) return {};
  const std::uint64_t traffic = traffic_of_a_byte(choice, ranks);
  const std::uint64_t cell_bytes = over(over(version.least_traffic, traffic), 16) * 16;
  const std::uint64_t cells = over(count * size, cell_bytes);
  const auto used = static_cast<std::uint64_t>(choice.channels);
  const std::uint64_t all = std::max(used, static_cast<std::uint64_t>(choice.communicator_channels));
  std::uint64_t share = std::max(version.least_traffic, count * size * traffic) / used;
  share = version.least_for_each_channel ? std::max(version.least_traffic, share) : over(share, 16) * 16;
  const Cells spread_cells = spread(cells, over(share, cell_bytes * traffic), all);

  std::vector<ChannelPart> parts;
  std::uint64_t first = 0;
  // The last part is short by what the last cell is.
  const auto add = [&](std::uint64_t of_cells) {
    const std::uint64_t elements = std::min(of_cells * (cell_bytes / size), count - first);
    parts.push_back({static_cast<std::int32_t>(parts.size()), first, elements});
    first += elements;
  };
  add(spread_cells.low);
  for (std::uint64_t i = 0; i < spread_cells.middle_channels; ++i) add(spread_cells.middle);
  if (spread_cells.high != 0) add(spread_cells.high);
  return parts;
}

std::uint64_t chunk_elements(const Choice& choice, std::uint64_t bytes, std::uint64_t size) {
  const auto whole_grains = [&](std::uint64_t chunk, std::uint64_t grain) {
    return std::max<std::uint64_t>(chunk / grain, 1) * (grain / size);
  };
  switch (choice.protocol) {
    case Protocol::ll: {  // 512 threads, 8 lines of 16 bytes each; half of a line is data
      const std::uint64_t buffer = choice.buffer != 0 ? choice.buffer : kSteps * 512 * 8 * 16;
      return whole_grains(buffer / kSteps / 2, 16);
    }
    case Protocol::ll128: {  // 640 threads, 120 words each; 15 of 16 words of a line are data, 1920 bytes of a warp
      const std::uint64_t buffer = choice.buffer != 0 ? choice.buffer : kSteps * 640 * 120 * 8;
      return whole_grains(buffer / kSteps / 16 * 15, 1920);
    }
    default: break;
  }
  std::uint64_t chunk = (choice.buffer != 0 ? choice.buffer : std::uint64_t{4} << 20) / kSteps;
  if (choice.algorithm == Algorithm::ring && choice.collective != Collective::reduce) chunk *= kSteps / 2;
  if (choice.algorithm == Algorithm::pat)
    while (chunk * 16 > bytes && chunk > 65536) chunk /= 2;
  return whole_grains(chunk, 512);
}

}  // namespace petri::order::nccl
