#include "harness/import/flight_words.hpp"

#include <array>
#include <cstddef>

namespace petri {

namespace {

using W = FlightWord;

struct Word {
  std::string_view text;
  FlightWord word = W::unknown;
};

constexpr FlightWord type_word(ElementType type) {
  return static_cast<FlightWord>(static_cast<int>(W::first_type) + static_cast<int>(type));
}

// clang-format off
constexpr Word kWords[] = {
    {"version", W::version}, {"comm_lib_version", W::comm_lib_version}, {"nccl_version", W::nccl_version},
    {"pg_config", W::pg_config}, {"pg_status", W::pg_status}, {"entries", W::entries},
    {"name", W::name}, {"desc", W::desc}, {"ranks", W::ranks}, {"last_enqueued_collective", W::last_enqueued},
    {"last_started_collective", W::last_started}, {"last_completed_collective", W::last_completed},
    {"record_id", W::record_id}, {"pg_id", W::pg_id}, {"process_group", W::process_group},
    {"collective_seq_id", W::collective_seq_id}, {"p2p_seq_id", W::p2p_seq_id}, {"op_id", W::op_id},
    {"profiling_name", W::profiling_name}, {"time_created_ns", W::time_created_ns}, {"input_sizes", W::input_sizes},
    {"input_dtypes", W::input_dtypes}, {"output_sizes", W::output_sizes}, {"output_dtypes", W::output_dtypes},
    {"state", W::state}, {"retired", W::retired}, {"timeout_ms", W::timeout_ms}, {"is_p2p", W::is_p2p},
    {"thread_id", W::thread_id}, {"thread_name", W::thread_name}, {"frames", W::frames},
    {"filename", W::filename}, {"line", W::line},
    {"scheduled", W::scheduled}, {"started", W::started}, {"completed", W::completed},
    // c10::toString(ScalarType), c10/core/ScalarType.h
    {"Byte", type_word(ElementType::uint8)}, {"Char", type_word(ElementType::int8)},
    {"Short", type_word(ElementType::int16)}, {"Int", type_word(ElementType::int32)},
    {"Long", type_word(ElementType::int64)}, {"UInt16", type_word(ElementType::uint16)},
    {"UInt32", type_word(ElementType::uint32)}, {"UInt64", type_word(ElementType::uint64)},
    {"Half", type_word(ElementType::float16)}, {"BFloat16", type_word(ElementType::bfloat16)},
    {"Float", type_word(ElementType::float32)}, {"Double", type_word(ElementType::float64)},
    {"ComplexFloat", type_word(ElementType::complex64)}, {"ComplexDouble", type_word(ElementType::complex128)},
    {"Bool", type_word(ElementType::boolean)}, {"Float8_e4m3fn", type_word(ElementType::float8_e4m3)},
    {"Float8_e5m2", type_word(ElementType::float8_e5m2)},
};
// clang-format on

constexpr std::size_t kSlots = 256;  // several times the words: few share one

constexpr std::size_t slot_of(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  return (text.size() * 11 + at(0) * 3 + at(text.size() / 2) * 5 + at(text.size() - 1)) % kSlots;
}

constexpr auto kTable = [] {
  std::array<Word, kSlots> table{};
  for (const Word& word : kWords) {
    std::size_t slot = slot_of(word.text);
    while (!table[slot].text.empty()) slot = (slot + 1) % kSlots;
    table[slot] = word;
  }
  return table;
}();

}  // namespace

FlightWord flight_word(std::string_view text) {
  if (text.empty()) return W::unknown;
  for (std::size_t slot = slot_of(text); !kTable[slot].text.empty(); slot = (slot + 1) % kSlots)
    if (kTable[slot].text == text) return kTable[slot].word;
  return W::unknown;
}

EventState state_of(FlightWord word) {
  if (word < W::scheduled || word > W::completed) return EventState::unknown;
  return static_cast<EventState>(static_cast<int>(EventState::scheduled) + static_cast<int>(word) -
                                 static_cast<int>(W::scheduled));
}

ElementType element_type_of(FlightWord word) {
  if (word < W::first_type) return ElementType::unknown;
  return static_cast<ElementType>(static_cast<int>(word) - static_cast<int>(W::first_type));
}

}  // namespace petri
