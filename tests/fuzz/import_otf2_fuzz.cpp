// Any archive: a scenario whose text says it all, or an InputError; the OTF2 library may crash in its own process.
#include <cstdint>

#include "harness/import/otf2_archive.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/files_input.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/fuzz/otf2_input.hpp"
#include "tests/trace/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  std::vector<TraceFile> files = fuzz::trace_files_from({data, size}, fuzz::kOtf2Files);
  if (files.empty()) return 0;
  try {
    ImportNotes notes;
    const std::string text = test::written(read_otf2(files, notes));
    fuzz::require(test::written(test::read_text(text)) == text, "what is written is read as what it is");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
