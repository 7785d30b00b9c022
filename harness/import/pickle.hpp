// Pickles as data: a bounded reader that executes nothing. Internal to harness/import.
//
// Read are all opcodes of protocols 0 to 5 (pickletools.py of CPython is their reference) that make numbers, texts and
// containers of them. What would import, construct or call something is refused by its name. Values are 16 bytes;
// texts stay where they are in the bytes; a container that the pickle refers to again is the same one here, so that
// what is read takes memory by the bytes of the file, however often they refer to what came before. Whoever walks it
// must count on that: of a small file a walk can be endless. `note` is there to remember what was walked.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "harness/import/slab.hpp"

namespace petri {

// clang-format off
enum class PickleKind : std::uint8_t {
  none, boolean, whole, wide /* an integer beyond 64 bits */, real, text, bytes, list, tuple, dict, set, unset,
};
// clang-format on

// Means something together with the Pickle that read it, until it reads the next one.
struct PickleValue {
  PickleKind kind;
  std::uint8_t word;    // of a text: what Pickle's function says of it
  std::uint32_t index;  // of a text or a container
  std::int64_t number;  // boolean, whole; the bits of a real

  bool is_sequence() const { return kind == PickleKind::list || kind == PickleKind::tuple || kind == PickleKind::set; }
  double real() const { return std::bit_cast<double>(number); }
};
static_assert(sizeof(PickleValue) == 16);

class Pickle {
 public:
  // Asked once for each text of a file: a number by which a walk recognizes it.
  using WordOf = std::uint8_t (*)(std::string_view text);

  explicit Pickle(WordOf word_of) : word_of_(word_of) {}

  // The value that the bytes hold; they must outlive its use. What follows it in the bytes is not looked at. Throws
  // InputError with the place (a byte of the file) for what is no pickle or is refused.
  //
  // Bytes that break off give what is whole: of the containers that were still open, the outermost `open_kept` with
  // what they held by then. Throws where that is nothing.
  PickleValue read(const std::string& file, std::string_view bytes, std::size_t open_kept = 2);
  bool cut() const { return cut_; }

  std::string_view text(PickleValue value) const { return texts_[value.index].text; }
  // Of a list, tuple or set; of a dict: key and value by turns, later ones replace earlier ones of the same key.
  std::span<const PickleValue> items(PickleValue container) const {
    const Container& at = containers_[container.index];
    return {items_.data() + at.first, at.size};
  }
  // A number of the walk's own for a text or a container, 0 at first.
  std::uint32_t& note(PickleValue value) {
    return value.kind == PickleKind::text ? texts_[value.index].note : containers_[value.index].note;
  }

 private:
  struct Text {
    std::string_view text;
    std::uint32_t note;
  };
  struct Container {
    std::size_t first;         // in items_
    std::uint32_t size, room;  // items
    std::uint32_t note;
  };
  struct Cut {};

  void forget();
  void run();  // until STOP; throws Cut at the end of the bytes
  void less_frequent(std::uint8_t opcode);
  void of_text_protocol(std::uint8_t opcode);
  [[noreturn]] void refuse(std::uint8_t opcode) const;
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail_memo(std::uint64_t slot) const;
  PickleValue root() const;
  bool is_empty_container(PickleValue value) const;
  void close_open(std::size_t kept);

  template <class T>
  T operand();
  std::string_view counted(std::uint64_t size);
  std::string_view line();
  void push_whole(std::int64_t number) { stack_.push({PickleKind::whole, 0, 0, number}); }
  void push_text(std::string_view text, PickleKind kind = PickleKind::text);
  void push_owned(std::string text);
  void push_long(std::string_view little_endian);
  void push_decimal(std::string_view digits);
  void push_empty(PickleKind kind);
  void push_container(PickleKind kind, std::size_t from);  // of what stands on the stack from there
  void get(std::uint64_t slot) {
    if (slot >= memo_.size() || memo_[slot].kind == PickleKind::unset) fail_memo(slot);
    stack_.push(memo_[slot]);
  }
  void get_row();
  void put(std::uint64_t slot);
  std::size_t mark();  // takes the last one away: where on the stack it stood
  PickleValue& top(std::size_t depth = 0);
  void extend(PickleValue& container, std::size_t from);
  void add_items(PickleKind kind, std::size_t from);

  WordOf word_of_;
  const std::string* file_ = nullptr;
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* opcode_at_ = nullptr;
  bool cut_ = false;
  std::size_t floor_ = 0;  // of the stack, above the last mark
  Slab<PickleValue> stack_, items_, memo_;
  Slab<std::size_t> marks_;
  Slab<Container> containers_;
  Slab<Text> texts_;
  std::deque<std::string> owned_;  // texts that differ from their bytes
};

}  // namespace petri
