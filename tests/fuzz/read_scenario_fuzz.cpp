// Any bytes at all: reading them either gives a scenario that can be written, read again and is the same, or an
// InputError.
#include <cstdint>
#include <string>

#include "tests/fuzz/hold.hpp"
#include "tests/trace/equal.hpp"
#include "tests/trace/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  using fuzz::require;
  const std::string input(reinterpret_cast<const char*>(data), size);
  // A header may name a million ranks, which is legal but makes a fuzzer slow.
  if (input.find("world\":", 0) != std::string::npos && input.find("00000") != std::string::npos) return 0;
  try {
    const Scenario first = test::read_text(input);
    const std::string text = test::written(first);
    const Scenario second = test::read_text(text);
    require(test::equal(first, second), "what was written reads back as the same scenario");
    require(test::written(second) == text, "the same scenario is written as the same bytes");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
