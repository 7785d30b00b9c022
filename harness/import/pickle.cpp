#include "harness/import/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "harness/import/pickle_opcodes.hpp"
#include "harness/trace/error.hpp"

namespace petri {

using namespace pickle_opcode;

namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();  // places in it are 32 bits

}  // namespace

PickleValue Pickle::read(const std::string& file, std::string_view bytes, std::size_t open_kept) {
  forget();
  file_ = &file;
  begin_ = at_ = opcode_at_ = bytes.data();
  end_ = begin_ + bytes.size();
  if (bytes.empty()) throw InputError(file, 0, 0, "is empty");
  if (bytes.size() > kMostBytes) throw InputError(file, 0, 0, "a pickle of 4 GiB or more is not read");
  try {
    run();
  } catch (const Cut&) {
    cut_ = true;
    close_open(open_kept);
  }
  return root();
}

void Pickle::forget() {
  cut_ = false;
  floor_ = 0;
  stack_.cut_to(0);
  items_.cut_to(0);
  memo_.cut_to(0);
  marks_.cut_to(0);
  containers_.cut_to(0);
  texts_.cut_to(0);
  owned_.clear();
}

void Pickle::fail(const std::string& reason) const {
  throw InputError(*file_, 0, 0, fmt::format("byte {}: {}", opcode_at_ - begin_, reason));
}

template <class T>
T Pickle::operand() {
  if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) throw Cut();
  T value;
  std::memcpy(&value, at_, sizeof value);
  at_ += sizeof value;
  return value;
}

std::string_view Pickle::counted(std::uint64_t size) {
  if (static_cast<std::uint64_t>(end_ - at_) < size) throw Cut();
  const std::string_view taken(at_, size);
  at_ += size;
  return taken;
}

// The opcodes that a dump consists of; a switch of its own, small enough to stay where it is fast.
void Pickle::run() {
  for (;;) {
    if (at_ == end_) throw Cut();
    opcode_at_ = at_;
    const auto opcode = static_cast<std::uint8_t>(*at_++);
    switch (opcode) {
      case kBinget:
      case kLongBinget:
        --at_;
        get_row();
        break;
      case kBinput: put(operand<std::uint8_t>()); break;
      case kLongBinput: put(operand<std::uint32_t>()); break;
      case kMemoize: put(memo_.size()); break;
      case kBinint1: push_whole(operand<std::uint8_t>()); break;
      case kBinint2: push_whole(operand<std::uint16_t>()); break;
      case kBinint: push_whole(operand<std::int32_t>()); break;
      case kLong1: push_long(counted(operand<std::uint8_t>())); break;
      case kBinunicode: push_text(counted(operand<std::uint32_t>())); break;
      case kShortBinunicode: push_text(counted(operand<std::uint8_t>())); break;
      case kNone: stack_.push({PickleKind::none, 0, 0, 0}); break;
      case kNewtrue: stack_.push({PickleKind::boolean, 0, 0, 1}); break;
      case kNewfalse: stack_.push({PickleKind::boolean, 0, 0, 0}); break;
      case kMark: marks_.push(floor_ = stack_.size()); break;
      case kEmptyList: push_empty(PickleKind::list); break;
      case kEmptyDict: push_empty(PickleKind::dict); break;
      case kAppends: add_items(PickleKind::list, mark()); break;
      case kSetitems: add_items(PickleKind::dict, mark()); break;
      case kAppend: top(1), add_items(PickleKind::list, stack_.size() - 1); break;
      case kSetitem: top(2), add_items(PickleKind::dict, stack_.size() - 2); break;
      case kTuple2: top(1), push_container(PickleKind::tuple, stack_.size() - 2); break;
      case kStop: return;
      default: less_frequent(opcode);
    }
  }
}

void Pickle::less_frequent(std::uint8_t opcode) {
  switch (opcode) {
    case kProto:
      if (operand<std::uint8_t>() > kLatestProtocol) fail("a protocol later than 5 is not read");
      break;
    case kFrame: operand<std::uint64_t>(); break;  // frames only tell how much to read ahead
    case kEmptyTuple: push_container(PickleKind::tuple, stack_.size()); break;
    case kTuple1: top(), push_container(PickleKind::tuple, stack_.size() - 1); break;
    case kTuple3: top(2), push_container(PickleKind::tuple, stack_.size() - 3); break;
    case kTuple: push_container(PickleKind::tuple, mark()); break;
    case kEmptySet: push_container(PickleKind::set, stack_.size()); break;
    case kAdditems: add_items(PickleKind::set, mark()); break;
    case kFrozenset: push_container(PickleKind::set, mark()); break;
    case kBinfloat: {
      const auto big_endian = operand<std::uint64_t>();
      stack_.push({PickleKind::real, 0, 0, static_cast<std::int64_t>(__builtin_bswap64(big_endian))});
      break;
    }
    case kLong4: {
      const auto size = operand<std::int32_t>();
      if (size < 0) fail("an integer of less than no bytes");
      push_long(counted(static_cast<std::uint64_t>(size)));
      break;
    }
    case kBinunicode8: push_text(counted(operand<std::uint64_t>())); break;
    case kShortBinstring: push_text(counted(operand<std::uint8_t>())); break;
    case kBinstring: {
      const auto size = operand<std::int32_t>();
      if (size < 0) fail("a text of less than no bytes");
      push_text(counted(static_cast<std::uint64_t>(size)));
      break;
    }
    case kShortBinbytes: push_text(counted(operand<std::uint8_t>()), PickleKind::bytes); break;
    case kBinbytes: push_text(counted(operand<std::uint32_t>()), PickleKind::bytes); break;
    case kBinbytes8:
    case kBytearray8: push_text(counted(operand<std::uint64_t>()), PickleKind::bytes); break;
    case kPop:
      if (stack_.size() == floor_ && marks_.size() > 0)
        mark();
      else
        top(), stack_.cut_to(stack_.size() - 1);
      break;
    case kPopMark: stack_.cut_to(mark()); break;
    case kDup: stack_.push(top()); break;
    default: of_text_protocol(opcode);
  }
}

void Pickle::refuse(std::uint8_t opcode) const {
  for (const auto& [refused, name] : kRefused)
    if (refused == opcode)
      fail(fmt::format("{} would construct or call something; only plain data is read from a pickle", name));
  fail(fmt::format("0x{:02x} is no pickle opcode", opcode));
}

PickleValue& Pickle::top(std::size_t depth) {
  if (stack_.size() - floor_ <= depth) fail("an operation on values that are not there");
  return stack_[stack_.size() - 1 - depth];
}

std::size_t Pickle::mark() {
  if (marks_.size() == 0) fail("the end of items that have no beginning");
  const std::size_t marked = marks_.back();
  marks_.cut_to(marks_.size() - 1);
  floor_ = marks_.size() == 0 ? 0 : marks_.back();
  return marked;
}

void Pickle::fail_memo(std::uint64_t slot) const {
  fail(fmt::format("refers to memo {}, where nothing was put", slot));
}

// References come in rows: the frames of a call are nothing else, a key and its value often.
void Pickle::get_row() {
  const char* at = at_;
  for (;; opcode_at_ = at_ = at) {
    const auto left = static_cast<std::size_t>(end_ - at);
    if (left >= 5 && *at == static_cast<char>(kLongBinget)) {
      std::uint32_t slot;
      std::memcpy(&slot, at + 1, sizeof slot);
      get(slot);
      at += 5;
    } else if (left >= 2 && *at == static_cast<char>(kBinget)) {
      get(static_cast<std::uint8_t>(at[1]));
      at += 2;
    } else if (left > 0 && (*at == static_cast<char>(kLongBinget) || *at == static_cast<char>(kBinget))) {
      throw Cut();
    } else {
      return;
    }
  }
}

// Writers number what they put, so that a slot beyond the number of bytes is none of theirs.
void Pickle::put(std::uint64_t slot) {
  const PickleValue value = top();
  if (slot == memo_.size()) return memo_.push(value);
  if (slot > memo_.size()) {
    if (slot > static_cast<std::uint64_t>(end_ - begin_)) fail(fmt::format("memo {} in a shorter file", slot));
    const std::size_t gap = slot + 1 - memo_.size();
    PickleValue* const added = memo_.claim(gap);
    for (std::size_t i = 0; i < gap; ++i) added[i] = {PickleKind::unset, 0, 0, 0};
  }
  memo_[slot] = value;
}

void Pickle::push_text(std::string_view text, PickleKind kind) {
  const auto index = static_cast<std::uint32_t>(texts_.size());
  texts_.push({text, 0});
  const std::uint8_t word = kind == PickleKind::text ? word_of_(text) : std::uint8_t{0};
  stack_.push({kind, word, index, 0});
}

void Pickle::push_long(std::string_view little_endian) {
  const std::size_t size = little_endian.size();
  const bool negative = size > 0 && (little_endian.back() & 0x80) != 0;
  std::uint64_t number = negative ? ~std::uint64_t{0} : 0;
  std::memcpy(&number, little_endian.data(), std::min(size, sizeof number));
  bool fits = size <= sizeof number || (static_cast<std::int64_t>(number) < 0) == negative;
  for (std::size_t i = sizeof number; i < size; ++i) fits = fits && little_endian[i] == (negative ? '\xff' : '\0');
  stack_.push({fits ? PickleKind::whole : PickleKind::wide, 0, 0, fits ? static_cast<std::int64_t>(number) : 0});
}

void Pickle::push_container(PickleKind kind, std::size_t from) {
  const auto index = static_cast<std::uint32_t>(containers_.size());
  containers_.push({items_.size(), 0, 0, 0});
  PickleValue container{kind, 0, index, 0};
  if (from < stack_.size()) extend(container, from);
  stack_.push(container);
}

// Its first items follow at once, as a rule.
void Pickle::push_empty(PickleKind kind) {
  const auto index = static_cast<std::uint32_t>(containers_.size());
  containers_.push({items_.size(), 0, 0, 0});
  stack_.push({kind, 0, index, 0});
  if (at_ == end_ || *at_ != static_cast<char>(kMark)) return;
  ++at_;
  marks_.push(floor_ = stack_.size());
}

// To the list, dict or set that stands below them.
void Pickle::add_items(PickleKind kind, std::size_t from) {
  if (from == floor_) fail("items for nothing");
  if (stack_[from - 1].kind != kind) fail("items for a container of another kind");
  if (kind == PickleKind::dict && (stack_.size() - from) % 2 != 0) fail("a key without a value");
  extend(stack_[from - 1], from);
}

// Moves what stands on the stack from there into the container. One that does not stand at the end of all items, as it
// does while it is filled at one go, moves there, with room for as many again.
void Pickle::extend(PickleValue& container, std::size_t from) {
  const auto added = static_cast<std::uint32_t>(stack_.size() - from);
  if (added == 0) return;
  Container& to = containers_[container.index];
  if (to.room - to.size < added) {
    if (to.first + to.room == items_.size()) {
      items_.claim(added - (to.room - to.size));
      to.room = to.size + added;
    } else {
      const std::size_t room = to.size == 0 ? added : 2 * (std::size_t{to.size} + added);
      const std::size_t first = items_.size();
      PickleValue* const moved = items_.claim(room);
      std::memcpy(moved, items_.data() + to.first, to.size * sizeof(PickleValue));
      to.first = first;
      to.room = static_cast<std::uint32_t>(std::min(room, std::size_t{std::numeric_limits<std::uint32_t>::max()}));
    }
  }
  std::copy_n(stack_.data() + from, added, items_.data() + to.first + to.size);
  to.size += added;
  stack_.cut_to(from);
}

PickleValue Pickle::root() const {
  if (stack_.size() == 0)
    throw InputError(*file_, 0, 0, cut_ ? "breaks off before there is anything in it" : "a pickle of nothing");
  return cut_ ? stack_[0] : stack_[stack_.size() - 1];
}

bool Pickle::is_empty_container(PickleValue value) const {
  const bool container = value.is_sequence() || value.kind == PickleKind::dict;
  return container && containers_[value.index].size == 0;
}

// What breaks off inside deeper containers than are kept goes with them; the others close with what they hold.
void Pickle::close_open(std::size_t kept) {
  if (marks_.size() > kept) {
    const std::size_t open = marks_[kept];
    stack_.cut_to(open > 0 ? open - 1 : 0);  // without the container that was being filled
    marks_.cut_to(kept);
    floor_ = kept == 0 ? 0 : marks_.back();
  }
  if (stack_.size() > floor_ && is_empty_container(stack_.back())) stack_.cut_to(stack_.size() - 1);  // just begun
  while (marks_.size() > 0) {
    const std::size_t from = std::min(mark(), stack_.size());
    if (from == 0) return stack_.cut_to(0);
    PickleValue& holder = stack_[from - 1];
    const bool dict = holder.kind == PickleKind::dict;
    if (dict) stack_.cut_to(stack_.size() - (stack_.size() - from) % 2);
    if (dict || holder.kind == PickleKind::list)
      extend(holder, from);
    else
      stack_.cut_to(from);
  }
  // Of a protocol that sets single items, the outermost dict may still lack the one that is being made.
  if (stack_.size() > 2 && stack_[0].kind == PickleKind::dict) {
    stack_.cut_to(3);
    extend(stack_[0], 1);
  }
}

}  // namespace petri
