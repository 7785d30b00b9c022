// Orders of NCCL as views: which elements have which tree.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "kernels/order/allowance.hpp"
#include "kernels/order/nccl.hpp"
#include "kernels/order/nccl_channels.hpp"
#include "kernels/order/nccl_trees.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order::nccl {
namespace {

using Ranks = std::vector<std::int32_t>;

// What the device does is the same in each call, so that neighbouring elements with one tree are one part.
void append(View& view, std::uint64_t count, std::uint32_t tree, std::int32_t shift) {
  if (count == 0) return;
  if (!view.empty() && view.back().tree == tree && view.back().shift == shift) {
    view.back().count += count;
  } else {
    order::append(view, {view.empty() ? 0 : view.back().first + view.back().count, count, tree, shift});
  }
}

// The ranks of each host, hosts numbered by first appearance.
std::vector<Ranks> chains_of(const Shape& shape, const Ranks& chain) {
  Ranks ranks = chain;
  if (ranks.empty()) {
    ranks.resize(static_cast<std::size_t>(shape.ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  std::map<std::int32_t, std::size_t> numbers;
  for (const std::int32_t host : shape.hosts) numbers.emplace(host, numbers.size());
  std::vector<Ranks> chains(std::max<std::size_t>(numbers.size(), 1));
  for (const std::int32_t rank : ranks)
    chains[shape.hosts.empty() ? 0 : numbers[shape.hosts[static_cast<std::size_t>(rank)]]].push_back(rank);
  return chains;
}

// Trees of rings by the position that they begin at. A ring in the order of the ranks has one tree, and shifts it.
class RingTrees {
 public:
  RingTrees(const Choice& choice, const Shape& shape, std::vector<Tree>& trees) : trees_(trees) {
    std::vector<Ranks> rings = choice.rings;
    if (rings.empty()) {
      rings.emplace_back();
      for (const Ranks& chain : chains_of(shape, {})) rings[0].insert(rings[0].end(), chain.begin(), chain.end());
    }
    for (Ranks& ring : rings) add(std::move(ring));
  }

  void append_fold(View& view, std::uint64_t count, std::int32_t channel, std::size_t first) {
    const Ring& ring = rings_[index_of(channel)];
    first %= ring.ranks.size();
    const std::size_t begin = ring.by_rank ? 0 : first;
    const auto [known, is_new] = numbers_.try_emplace({ring.like, begin}, static_cast<std::uint32_t>(trees_.size()));
    if (is_new) trees_.push_back(ring_tree(ring.ranks, begin));
    append(view, count, known->second, ring.by_rank ? static_cast<std::int32_t>(first) : 0);
  }

  // The position after that of a rank.
  std::size_t after(std::int32_t channel, std::int32_t rank) const {
    return rings_[index_of(channel)].positions[static_cast<std::size_t>(rank)] + 1;
  }

 private:
  struct Ring {
    Ranks ranks;                         // rank 0 comes first
    std::vector<std::size_t> positions;  // of each rank
    bool by_rank;                        // in ascending order
    std::size_t like;                    // the first ring that is the same
  };

  std::size_t index_of(std::int32_t channel) const { return static_cast<std::size_t>(channel) % rings_.size(); }

  void add(Ranks ranks) {
    std::rotate(ranks.begin(), std::find(ranks.begin(), ranks.end(), 0), ranks.end());
    const bool by_rank = std::is_sorted(ranks.begin(), ranks.end());
    const auto same = std::find_if(rings_.begin(), rings_.end(), [&](const Ring& ring) { return ring.ranks == ranks; });
    std::vector<std::size_t> positions(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) positions[static_cast<std::size_t>(ranks[i])] = i;
    const auto like = static_cast<std::size_t>(same - rings_.begin());
    rings_.push_back({std::move(ranks), std::move(positions), by_rank, like});
  }

  std::vector<Ring> rings_;
  std::vector<Tree>& trees_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> numbers_;  // of trees, by ring and position
};

std::uint64_t block_count(const Shape& shape) {
  const auto ranks = static_cast<std::uint64_t>(shape.ranks);
  return (shape.count + ranks - 1) / ranks;
}

// The parts of the channels in each block of a reduce-scatter, the last blocks cut off where the count is not padded.
template <class Append>
void for_each_block(const Shape& shape, const std::vector<ChannelPart>& parts, Append append_part) {
  const std::uint64_t each = block_count(shape);
  for (std::int32_t block = 0; block < shape.ranks; ++block)
    for (const ChannelPart& part : parts) {
      const std::uint64_t first = static_cast<std::uint64_t>(block) * each + part.first;
      if (first < shape.count) append_part(block, part, std::min(part.count, shape.count - first));
    }
}

// Passes of one chunk for each rank; in the last one, if it is not full, chunks are smaller, aligned to 16 bytes.
void append_ring_allreduce(View& view, RingTrees& rings, const ChannelPart& part, const Choice& choice,
                           const Shape& shape) {
  const auto ranks = static_cast<std::uint64_t>(shape.ranks);
  const std::uint64_t size = shape.size_of_element(), aligned = 16 / size;
  if (ranks == 1) return rings.append_fold(view, part.count, part.channel, 0);  // chunks that are all alike
  std::uint64_t chunk = chunk_elements(choice, part.count * size, size);
  Allowance::require(part.count / chunk * sizeof(Part));
  for (std::uint64_t done = 0; done < part.count; done += ranks * chunk) {
    std::uint64_t rest = part.count - done;
    if (rest < ranks * chunk) chunk = ((rest + ranks - 1) / ranks + aligned - 1) / aligned * aligned;
    for (std::uint64_t c = 0; c < ranks && rest > 0; ++c) {
      const std::uint64_t count = std::min(chunk, rest);
      rings.append_fold(view, count, part.channel, static_cast<std::size_t>(c) + 1);
      rest -= count;
    }
  }
}

View ring_view(const Version& version, const Choice& choice, const Shape& shape, std::vector<Tree>& trees) {
  View view;
  RingTrees rings(choice, shape, trees);
  const bool scatter = choice.collective == Collective::reduce_scatter;
  const auto parts =
      channel_parts(version, choice, shape.ranks, scatter ? block_count(shape) : shape.count, shape.size_of_element());
  if (scatter) {
    for_each_block(shape, parts, [&](std::int32_t block, const ChannelPart& part, std::uint64_t count) {
      rings.append_fold(view, count, part.channel, rings.after(part.channel, block));
    });
    return view;
  }
  for (const ChannelPart& part : parts) {
    if (choice.collective == Collective::reduce) {
      rings.append_fold(view, part.count, part.channel, rings.after(part.channel, choice.root));
    } else {
      append_ring_allreduce(view, rings, part, choice, shape);
    }
  }
  return view;
}

View tree_view(const Version& version, const Choice& choice, const Shape& shape, std::vector<Tree>& trees) {
  const std::vector<Ranks> chains = chains_of(shape, choice.chain);
  for (const bool second : {false, true}) trees.push_back(host_tree(chains, choice.host_tree, second));
  const std::int32_t all = std::max(choice.channels, choice.communicator_channels);
  const std::int32_t search = choice.search_channels > 0 ? choice.search_channels : (all + 1) / 2;
  View view;
  for (const ChannelPart& part : channel_parts(version, choice, shape.ranks, shape.count, shape.size_of_element())) {
    // More channels than those that were searched and their doubles are copies, from the first one on.
    const bool second = part.channel % (2 * search) >= search;
    append(view, part.count, second ? 1 : 0, 0);
  }
  return view;
}

View pat_view(const Version& version, const Choice& choice, const Shape& shape, std::vector<Tree>& trees) {
  const std::uint64_t size = shape.size_of_element();
  const auto parts = channel_parts(version, choice, shape.ranks, block_count(shape), size);
  std::map<std::int32_t, std::uint32_t> numbers;  // by aggregation
  View view;
  for_each_block(shape, parts, [&](std::int32_t block, const ChannelPart& part, std::uint64_t count) {
    const std::uint64_t bytes = part.count * size;
    const std::uint64_t chunk = chunk_elements(choice, bytes * static_cast<std::uint64_t>(shape.ranks), size) * size;
    const std::int32_t aggregation = pat_aggregation(shape.ranks, bytes, chunk);
    const auto [known, is_new] = numbers.try_emplace(aggregation, static_cast<std::uint32_t>(trees.size()));
    if (is_new) trees.push_back(pat_tree(shape.ranks, aggregation));
    append(view, count, known->second, block);
  });
  return view;
}

// Folds that begin at the rank that owns the elements: ranks take turns at tiles of 128 packs of 16 bytes, then of 4
// bytes, of each as much as fills all blocks of all ranks, and at last at 32 elements.
View owned_view(const Choice& choice, const Shape& shape) {
  constexpr std::uint64_t kPacksOfTile = 4 * 32, kTilesOfChunk = 4;
  const std::uint64_t size = shape.size_of_element();
  View view;
  std::uint64_t rest = shape.count * size;
  if (shape.ranks > 1) Allowance::require(rest / (kPacksOfTile * 16) * sizeof(Part));
  const auto take_turns = [&](std::uint64_t tile, std::uint64_t bytes) {
    for (std::int32_t owner = 0; bytes > 0; owner = (owner + 1) % shape.ranks) {
      const std::uint64_t taken = std::min(tile, bytes);
      append(view, taken / size, 0, owner);
      bytes -= taken;
    }
  };
  for (const std::uint64_t pack : {16, 4}) {
    const std::uint64_t tile = kPacksOfTile * pack, chunk = kTilesOfChunk * tile;
    const std::uint64_t all =
        chunk * static_cast<std::uint64_t>(shape.ranks) * static_cast<std::uint64_t>(choice.channels);
    take_turns(tile, rest / all * all);
    rest %= all;
  }
  take_turns(32 * size, rest);
  return view;
}

// ((x0+x1)+x2)+…, which shifts turn into the fold from another rank on.
View symmetric_view(const Choice& choice, const Shape& shape, std::vector<Tree>& trees) {
  trees.push_back(sequential(shape).trees.front());
  if (choice.algorithm == Algorithm::symmetric_ll || shape.ranks == 1) return {{0, shape.count, 0, 0}};
  if (choice.collective == Collective::allreduce) return owned_view(choice, shape);
  View view;
  for_each_block(shape, {{0, 0, block_count(shape)}},
                 [&](std::int32_t block, const ChannelPart&, std::uint64_t count) { append(view, count, 0, block); });
  return view;
}

bool is_offered(const Choice& choice) {
  const bool all = choice.collective == Collective::allreduce,
             scatter = choice.collective == Collective::reduce_scatter;
  switch (choice.algorithm) {
    case Algorithm::ring: return true;
    case Algorithm::tree: return all;
    case Algorithm::pat: return scatter && choice.protocol == Protocol::simple;
    case Algorithm::nvls_tree:
    case Algorithm::collnet_chain: return all && choice.protocol == Protocol::simple;
    default: return (all || scatter) && choice.protocol == Protocol::simple;
  }
}

}  // namespace

std::optional<Order> order_of(const Version& version, const Choice& choice, const Shape& shape) {
  if (!is_offered(choice) || choice.channels < 1 || shape.size_of_element() == 0 || 16 % shape.size_of_element() != 0)
    return std::nullopt;
  Order order{"nccl", shape.ranks, shape.count, Determinism::run_to_run, {}, {}};
  switch (choice.algorithm) {
    case Algorithm::ring: order.views = {ring_view(version, choice, shape, order.trees)}; break;
    case Algorithm::tree: order.views = {tree_view(version, choice, shape, order.trees)}; break;
    case Algorithm::pat: order.views = {pat_view(version, choice, shape, order.trees)}; break;
    case Algorithm::symmetric_ll:
    case Algorithm::symmetric_ld: order.views = {symmetric_view(choice, shape, order.trees)}; break;
    default: order = sequential(shape); order.determinism = Determinism::not_guaranteed;
  }
  return order;
}

}  // namespace petri::order::nccl
