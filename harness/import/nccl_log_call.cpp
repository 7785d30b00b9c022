#include "harness/import/nccl_log_call.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "harness/trace/scenario.hpp"

namespace petri {
namespace {

struct Named {
  std::string_view name;
  Op op;
};

// As they call themselves; RCCL's all-to-all of several algorithms by several names.
constexpr Named kOps[] = {
    {"AllReduce", Op::allreduce},
    {"AllGather", Op::allgather},
    {"ReduceScatter", Op::reduce_scatter_block},
    {"Broadcast", Op::bcast},
    {"Reduce", Op::reduce},
    {"Send", Op::send},
    {"Recv", Op::recv},
    {"AlltoAll", Op::alltoall},
    {"AllToAll", Op::alltoall},
    {"AllToAllPivot", Op::alltoall},
    {"AllToAllv", Op::alltoallv},
    {"Gather", Op::gather},
    {"Scatter", Op::scatter},
};

std::optional<Op> op_of(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOps), std::end(kOps), [&](const Named& one) { return one.name == name; });
  return found == std::end(kOps) ? std::nullopt : std::optional(found->op);
}

// Takes words at single spaces.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  bool empty() const { return text_.empty(); }

  std::string_view next() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    const std::size_t end = std::min(text_.find(' '), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    return word;
  }

 private:
  std::string_view text_;
};

template <class Number>
bool read_number(std::string_view word, Number& to, int base = 10) {
  Number value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (word.empty() || read.ec != std::errc() || read.ptr != word.data() + word.size()) return false;
  to = value;
  return true;
}

template <class Number>
bool read_number(std::string_view word, std::optional<Number>& to, int base = 10) {
  Number value = 0;
  if (!read_number(word, value, base)) return false;
  to = value;
  return true;
}

// "0x55d0", and "(nil)" as glibc writes a null pointer.
template <class To>
bool read_pointer(std::string_view word, To& to) {
  if (word == "(nil)") return to = 0, true;
  return word.starts_with("0x") && read_number(word.substr(2), to, 16);
}

enum Field : unsigned { kCount = 1, kDatatype = 2, kReduction = 4, kRoot = 8, kComm = 16, kRanks = 32, kAll = 63 };

// One key and its value: the fields that it makes whole; nothing where the value is none.
std::optional<unsigned> take_field(std::string_view key, Words& words, LoggedCall& call) {
  constexpr std::string_view kRanksKey = "[nranks=";
  const auto known = [](bool whole, unsigned field) { return whole ? std::optional(field) : std::nullopt; };
  if (key == "count") return known(read_number(words.next(), call.count) && call.count >= 0, kCount);
  if (key == "datatype") return known(read_number(words.next(), call.datatype), kDatatype);
  if (key == "op") return known(read_number(words.next(), call.reduction), kReduction);
  if (key == "root") return known(read_number(words.next(), call.root), kRoot);
  if (key == "comm") return known(read_pointer(words.next(), call.comm), kComm);
  if (key.starts_with(kRanksKey) && key.ends_with(']')) {
    key.remove_prefix(kRanksKey.size());
    key.remove_suffix(1);
    return known(read_number(key, call.nranks) && call.nranks > 0 && call.nranks <= kMaxWorld, kRanks);
  }
  if (key == "globalrank") {
    if (!read_number(words.next(), call.rank) || call.rank < 0 || call.rank >= call.nranks) call.rank = -1;
    return 0;
  }
  return 0;  // a buffer, a stream, or what a later release adds: a value is passed over as a key that is not known
}

}  // namespace

LoggedCall read_call(std::string_view text) {
  constexpr std::size_t kLongestName = 32;
  constexpr std::string_view kFirst = ": opCount ";
  LoggedCall call;
  const std::size_t colon = text.substr(0, kLongestName).find(':');
  if (colon == std::string_view::npos) return call;
  const std::string_view rest = text.substr(colon);
  call.op = op_of(text.substr(0, colon));
  if (!rest.starts_with(kFirst)) {
    if (call.op && rest.size() > 2 && kFirst.starts_with(rest)) call.form = LoggedCall::torn;
    return call;
  }
  Words words(rest.substr(kFirst.size()));
  const bool counted = read_number(words.next(), call.op_count, 16) && !words.empty();
  if (!counted) call.op_count.reset();
  unsigned fields = 0;
  while (counted && !words.empty()) {
    const auto field = take_field(words.next(), words, call);
    if (!field) break;
    fields |= *field;
  }
  call.form = fields != kAll ? LoggedCall::torn : call.op ? LoggedCall::whole : LoggedCall::foreign;
  return call;
}

ElementType nccl_datatype(std::int32_t number) {
  constexpr ElementType kTypes[] = {ElementType::int8,     ElementType::uint8,       ElementType::int32,
                                    ElementType::uint32,   ElementType::int64,       ElementType::uint64,
                                    ElementType::float16,  ElementType::float32,     ElementType::float64,
                                    ElementType::bfloat16, ElementType::float8_e4m3, ElementType::float8_e5m2};
  return number >= 0 && static_cast<std::size_t>(number) < std::size(kTypes) ? kTypes[number] : ElementType::unknown;
}

ReduceOp nccl_reduction(std::int32_t number) {
  constexpr ReduceOp kReductions[] = {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg};
  const bool is_made_in = number >= 0 && static_cast<std::size_t>(number) < std::size(kReductions);
  return is_made_in ? kReductions[number] : ReduceOp::unknown;
}

std::optional<LoggedComm> read_comm(std::string_view text) {
  struct Ending {
    std::string_view text;
    LoggedComm::Stage stage;
  };
  constexpr Ending kEndings[] = {{"- Init START", LoggedComm::starting},
                                 {"- Init COMPLETE", LoggedComm::complete},
                                 {"- Destroy COMPLETE", LoggedComm::destroyed},
                                 {"- Abort COMPLETE", LoggedComm::aborted}};
  const auto* const ending = std::find_if(std::begin(kEndings), std::end(kEndings),
                                          [&](const Ending& one) { return text.ends_with(one.text); });
  if (ending == std::end(kEndings)) return std::nullopt;
  text.remove_suffix(ending->text.size());
  LoggedComm comm;
  comm.stage = ending->stage;
  bool named = false, whole = true;
  for (Words words(text); !words.empty();) {
    const std::string_view key = words.next();
    if (key == "comm") {
      whole = whole && !named && read_pointer(words.next(), comm.comm);
      named = true;
    }
    if (!named) continue;  // "[Rank 3] ncclCommInitRank"
    if (key == "rank") whole = whole && read_number(words.next(), comm.rank);
    if (key == "nranks") whole = whole && read_number(words.next(), comm.nranks);
    if (key == "cudaDev") whole = whole && read_number(words.next(), comm.device);
    if (key == "commId") whole = whole && read_pointer(words.next(), comm.id);
    if (key == "parent") whole = whole && read_pointer(words.next(), comm.parent);
    if (key == "splitCount" || key == "childCount") whole = whole && read_number(words.next(), comm.split);
    if (key == "color") whole = whole && read_number(words.next(), comm.color);
  }
  const bool fits = comm.rank >= 0 && comm.rank < comm.nranks && comm.nranks <= kMaxWorld;
  return named && whole && fits ? std::optional(comm) : std::nullopt;
}

}  // namespace petri
