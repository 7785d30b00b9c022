#include "kernels/order/catalogue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "kernels/order/textbook.hpp"

namespace petri::order {
namespace {

// The parts of NAME[:NUMBER][@TYPE].
struct Name {
  std::string_view name;
  std::optional<std::uint64_t> number;
  std::optional<ElementType> accumulator;
};

std::optional<Name> split(std::string_view text) {
  Name parts;
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    parts.accumulator = element_type_named(text.substr(at + 1));
    if (!parts.accumulator) return std::nullopt;
    text = text.substr(0, at);
  }
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    parts.number = number;
    text = text.substr(0, colon);
  }
  parts.name = text;
  return parts;
}

// What an order's number may be. `usual` where none is written; nothing: it takes none.
struct NumberRule {
  std::optional<std::uint64_t> usual;
  std::uint64_t least = 0, most = 0;
};
constexpr NumberRule kNone{};
constexpr NumberRule kArity{2, 1, 1U << 20}, kChannels{1, 1, 1U << 16}, kBlocks{1, 1, 1U << 20};
constexpr NumberRule kSeed{0, 0, ~std::uint64_t{0}};

struct Entry {
  std::string_view name;
  NumberRule number;
  Order (*make)(const Shape& shape, std::uint64_t number);
  CatalogueLine line;
};

constexpr auto small(std::uint64_t number) {
  return static_cast<std::int32_t>(number);
}

const std::array kEntries{
    Entry{"sequential",
          kNone,
          [](const Shape& s, std::uint64_t) { return sequential(s); },
          {"sequential", "((x0+x1)+x2)+…"}},
    Entry{"own-first",
          kNone,
          [](const Shape& s, std::uint64_t) { return own_first(s); },
          {"own-first", "each rank adds the others to its own: ranks may disagree"}},
    Entry{"pairwise",
          kNone,
          [](const Shape& s, std::uint64_t) { return pairwise(s); },
          {"pairwise", "halves of the ranks, again and again"}},
    Entry{"tree",
          kArity,
          [](const Shape& s, std::uint64_t n) { return heap_tree(s, small(n)); },
          {"tree[:ARITY]", "a tree of ranks, arity 2 unless said; tree:1 is a chain"}},
    Entry{"binomial",
          kNone,
          [](const Shape& s, std::uint64_t) { return binomial(s); },
          {"binomial", "own, then the children at distances 1, 2, 4 …"}},
    Entry{"recursive-doubling",
          kNone,
          [](const Shape& s, std::uint64_t) { return recursive_doubling(s); },
          {"recursive-doubling", "neighbours at distances 1, 2, 4 …"}},
    Entry{"rabenseifner",
          kNone,
          [](const Shape& s, std::uint64_t) { return recursive_halving(s); },
          {"rabenseifner", "recursive halving: the largest distance first"}},
    Entry{"ring",
          kChannels,
          [](const Shape& s, std::uint64_t n) { return ring(s, small(n)); },
          {"ring[:CHANNELS]", "a ring, each block beginning with another rank"}},
    Entry{"double-binary-tree",
          kNone,
          [](const Shape& s, std::uint64_t) { return double_binary_tree(s); },
          {"double-binary-tree", "two trees, one for each half of the vector"}},
    Entry{"by-host",
          kNone,
          [](const Shape& s, std::uint64_t) { return by_host(s); },
          {"by-host", "the ranks of each host, then the hosts"}},
    Entry{"blocks",
          kBlocks,
          [](const Shape& s, std::uint64_t n) { return blocks(s, small(n)); },
          {"blocks[:COUNT]", "partial sums of neighbouring ranks, then their sum: a decomposition"}},
    Entry{"arrival",
          kSeed,
          [](const Shape& s, std::uint64_t n) { return arrival(s, n); },
          {"arrival[:SEED]", "as contributions happen to come; each run draws another seed"}},
};

}  // namespace

std::optional<Reduction> reduction_named(std::string_view name, const Shape& shape, ReduceOp op) {
  const auto parts = split(name);
  if (!parts) return std::nullopt;
  const auto entry =
      std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.name == parts->name; });
  if (entry == kEntries.end()) return std::nullopt;
  const NumberRule& rule = entry->number;
  if (parts->number && (!rule.usual || *parts->number < rule.least || *parts->number > rule.most)) return std::nullopt;
  const auto how = kernels::arithmetic(shape.type, op, parts->accumulator);
  if (!how) return std::nullopt;
  Reduction reduction{entry->make(shape, parts->number.value_or(rule.usual.value_or(0))), *how};
  reduction.order.name = std::string(name);
  return reduction;
}

const std::vector<CatalogueLine>& catalogue() {
  static const std::vector<CatalogueLine> lines = [] {
    std::vector<CatalogueLine> all;
    for (const Entry& entry : kEntries) all.push_back(entry.line);
    return all;
  }();
  return lines;
}

}  // namespace petri::order
