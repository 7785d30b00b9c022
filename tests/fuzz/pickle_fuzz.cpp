// Any bytes at all as a pickle: refused with a reason, or values that lie in it and no more than its bytes can hold;
// and as a pickled dump of the Flight Recorder.
#include <cstdint>
#include <string_view>

#include "harness/import/pickle.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/flight_input.hpp"

namespace {

using namespace petri;

// Each container once, as a walk has to.
void walk(Pickle& pickle, PickleValue value, std::size_t& left, int depth) {
  if (value.kind == PickleKind::text || value.kind == PickleKind::bytes) fuzz::touch(pickle.text(value));
  if (!value.is_sequence() && value.kind != PickleKind::dict) return;
  if (pickle.note(value)++ != 0) return;
  const auto items = pickle.items(value);
  fuzz::require(items.size() <= left, "the items of all containers are no more than the bytes");
  left -= items.size();
  fuzz::require(value.kind != PickleKind::dict || items.size() % 2 == 0, "each key has a value");
  for (const PickleValue item : items) {
    fuzz::require(item.kind != PickleKind::unset, "every value is one");
    if (depth < 100) walk(pickle, item, left, depth + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static Pickle pickle([](std::string_view text) { return static_cast<std::uint8_t>(text.size()); });
  static FlightReader reader;
  try {
    const PickleValue root = pickle.read("input", bytes);
    std::size_t left = size;
    walk(pickle, root, left, 0);
  } catch (const InputError& error) {
    fuzz::require(error.file() == "input", "an error names the file");
  }
  fuzz::hold_dump(bytes, [&] { return reader.pickle("input", bytes); });
  fuzz::touch(looks_like_flight_pickle(bytes) ? "dump" : "");
  return 0;
}
