#include "harness/import/torch_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

namespace petri {
namespace {

// In lower case and without marks: "_allgather_base" and "all_gather" begin alike.
std::string plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  return plain;
}

// By how a plain name begins; the first that fits.
constexpr std::array<std::pair<std::string_view, Op>, 16> kOperations{{
    {"allreduce", Op::allreduce},
    {"allgather", Op::allgather},
    {"reducescatter", Op::reduce_scatter_block},
    {"alltoallv", Op::alltoallv},
    {"alltoallsingle", Op::alltoall},
    {"alltoallbase", Op::alltoall},
    {"alltoall", Op::alltoall},
    {"broadcast", Op::bcast},
    {"reduce", Op::reduce},
    {"gather", Op::gather},
    {"scatter", Op::scatter},
    {"barrier", Op::barrier},
    {"send", Op::send},
    {"isend", Op::send},
    {"recv", Op::recv},
    {"irecv", Op::recv},
}};

constexpr std::array<std::pair<std::string_view, ElementType>, 40> kTypes{{
    {"byte", ElementType::uint8},
    {"unsignedchar", ElementType::uint8},
    {"uint8", ElementType::uint8},
    {"char", ElementType::int8},
    {"signedchar", ElementType::int8},
    {"int8", ElementType::int8},
    {"short", ElementType::int16},
    {"shortint", ElementType::int16},
    {"int16", ElementType::int16},
    {"int", ElementType::int32},
    {"int32", ElementType::int32},
    {"long", ElementType::int64},
    {"longint", ElementType::int64},
    {"int64", ElementType::int64},
    {"unsignedshort", ElementType::uint16},
    {"uint16", ElementType::uint16},
    {"unsignedint", ElementType::uint32},
    {"uint32", ElementType::uint32},
    {"unsignedlong", ElementType::uint64},
    {"uint64", ElementType::uint64},
    {"half", ElementType::float16},
    {"c10half", ElementType::float16},
    {"float16", ElementType::float16},
    {"bfloat16", ElementType::bfloat16},
    {"c10bfloat16", ElementType::bfloat16},
    {"float", ElementType::float32},
    {"float32", ElementType::float32},
    {"double", ElementType::float64},
    {"float64", ElementType::float64},
    {"bool", ElementType::boolean},
    {"complexfloat", ElementType::complex64},
    {"c10complexfloat", ElementType::complex64},
    {"complex64", ElementType::complex64},
    {"complexdouble", ElementType::complex128},
    {"c10complexdouble", ElementType::complex128},
    {"complex128", ElementType::complex128},
    {"float8e4m3fn", ElementType::float8_e4m3},
    {"c10float8e4m3fn", ElementType::float8_e4m3},
    {"float8e5m2", ElementType::float8_e5m2},
    {"c10float8e5m2", ElementType::float8_e5m2},
}};

// Split sizes count rows of a tensor, so that each member's elements are its share of all of them.
std::vector<std::int64_t> shares(const TextList& split, std::int64_t elements, std::int32_t members) {
  std::vector<std::int64_t> counts;
  if (elements < 0) return counts;
  if (split.numbers.empty() && split.whole) {
    if (elements % members == 0) counts.assign(static_cast<std::size_t>(members), elements / members);
    return counts;
  }
  if (!split.whole || split.numbers.size() != static_cast<std::size_t>(members)) return counts;
  std::int64_t rows = 0;
  for (const std::int64_t part : split.numbers) {
    if (part < 0 || part > elements || rows > elements - part) return counts;
    rows += part;
  }
  if (rows == 0 ? elements != 0 : elements % rows != 0) return counts;
  const std::int64_t row = rows == 0 ? 0 : elements / rows;
  for (const std::int64_t part : split.numbers) counts.push_back(part * row);
  return counts;
}

std::string text_at(simdjson::dom::object object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

// "cuda:nccl" is NCCL; of "cpu:gloo,cuda:nccl" it depends on the tensors.
std::string backend_in(std::string_view config) {
  std::string found;
  for (const std::string_view backend : {"nccl", "gloo", "mpi", "ucc"}) {
    if (config.find(backend) == std::string_view::npos) continue;
    if (!found.empty()) return {};
    found = backend;
  }
  return found;
}

bool is_rank(std::int64_t number) {
  return number >= 0 && number < kMaxWorld;
}

// A list of numbers, or the text of one.
TextList numbers_of(simdjson::dom::element value) {
  TextList list;
  std::string_view text;
  simdjson::dom::array array;
  if (value.get(text) == simdjson::SUCCESS) {
    if (auto read = read_text_list(text)) return *std::move(read);
    list.whole = false;
  } else if (value.get(array) == simdjson::SUCCESS) {
    for (const simdjson::dom::element element : array) {
      std::int64_t number = -1;
      if (element.get(number) != simdjson::SUCCESS) return {{}, {}, false};
      list.numbers.push_back(number);
    }
  } else {
    list.whole = false;
  }
  return list;
}

}  // namespace

std::optional<Op> torch_op(std::string_view name) {
  const std::string word = plain(name);
  for (const auto& [begin, op] : kOperations)
    if (word.starts_with(begin)) return op;
  return std::nullopt;
}

bool is_no_torch_call(std::string_view name) {
  return name == "wait" || name == "init";
}

ElementType torch_type(std::string_view name) {
  const std::string word = plain(name);
  for (const auto& [known, type] : kTypes)
    if (word == known) return type;
  return ElementType::unknown;
}

std::optional<TextList> read_text_list(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  TextList list;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  const auto skip = [&] {
    while (at < end && (*at == ' ' || *at == ',')) ++at;
  };
  for (skip(); at < end; skip()) {
    if (std::string_view(at, end).starts_with("...")) {
      if (!list.whole) return std::nullopt;
      list.whole = false;
      at += 3;
      continue;
    }
    std::int64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    if (error != std::errc() || list.last) return std::nullopt;
    at = behind;
    if (list.whole)
      list.numbers.push_back(number);
    else
      list.last = number;
  }
  return list;
}

void set_torch_counts(Event& event, const TorchCounts& counts, std::int32_t group_size) {
  switch (event.op) {
    case Op::barrier: event.dtype = ElementType::unknown; return;
    case Op::reduce_scatter_block:
    case Op::scatter:
    case Op::recv: event.count = counts.out; return;
    case Op::alltoall:
    case Op::alltoallv: break;
    default: event.count = counts.in; return;
  }
  const bool told = !counts.in_split.numbers.empty() || !counts.out_split.numbers.empty();
  const bool even = !told && counts.in == counts.out && group_size > 0 && counts.in >= 0 &&
                    counts.in % group_size == 0 && event.op == Op::alltoall;
  if (even) {
    event.count = counts.in / group_size;
    return;
  }
  event.op = Op::alltoallv;
  if (group_size <= 0) return;
  // A list of tensors has sizes of its own, which are not told.
  if (!told && counts.in != counts.out) return;
  event.extras.set_sendcounts(shares(counts.in_split, counts.in, group_size));
  event.extras.set_recvcounts(shares(counts.out_split, counts.out, group_size));
}

std::vector<TracedGroup> read_torch_groups(simdjson::dom::element list) {
  std::vector<TracedGroup> groups;
  simdjson::dom::array array;
  if (list.get(array) != simdjson::SUCCESS) return groups;
  for (const simdjson::dom::element element : array) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) continue;
    TracedGroup group;
    group.name = text_at(object, "pg_name");
    group.description = text_at(object, "pg_desc");
    group.backend = backend_in(text_at(object, "backend_config"));
    for (const std::string_view key : {"pg_size", "group_size"}) {
      std::int64_t size = 0;
      if (object[key].get(size) == simdjson::SUCCESS && size > 0 && size <= kMaxWorld)
        group.size = static_cast<std::int32_t>(size);
    }
    simdjson::dom::element ranks;
    if (object["ranks"].get(ranks) == simdjson::SUCCESS) set_members(group, numbers_of(ranks), true);
    groups.push_back(std::move(group));
  }
  return groups;
}

void set_members(TracedGroup& group, const TextList& list, bool none_is_all) {
  if (!std::all_of(list.numbers.begin(), list.numbers.end(), is_rank) || (list.last && !is_rank(*list.last))) return;
  group.everyone = none_is_all && list.whole && list.numbers.empty();
  group.ranks.clear();
  for (const std::int64_t rank : list.numbers) group.ranks.push_back(static_cast<std::int32_t>(rank));
  group.last = list.last ? static_cast<std::int32_t>(*list.last) : -1;
  std::vector<std::int32_t> sorted = group.ranks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    group.ranks.clear();
    group.last = -1;
  }
  group.whole = list.whole && !group.ranks.empty();
}

}  // namespace petri
