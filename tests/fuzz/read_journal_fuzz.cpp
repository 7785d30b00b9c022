// Any bytes where shrink's journal is expected: either they are taken, and every verdict is there after the next kill,
// too; or an InputError, and not a byte of what may be somebody's file has changed.
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/trace/error.hpp"
#include "reducers/journal.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/fuzz/journal_identity.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using namespace petri;
using fuzz::require;
using reduce::Journal;

const reduce::Judgement kNew{reduce::Answer::passes, "another \"failure\"\n"};

void open_and_go_on(const fuzz::MemoryFile& file, std::string_view bytes, Journal::Existing existing) {
  file.write(bytes);
  reduce::Verdicts known;
  try {
    Journal::open(file.path(), fuzz::kJournalIdentity, existing, known).append("one more", kNew);
  } catch (const InputError&) {
    require(file.read() == bytes, "what is refused stays as it was");
    return;
  }
  known.insert_or_assign("one more", kNew);
  reduce::Verdicts after_kill;
  const std::string whole = file.read();
  file.write(whole + "{\"candidate\":\"torn of");
  Journal::open(file.path(), fuzz::kJournalIdentity, Journal::Existing::resume, after_kill);
  require(after_kill == known, "every verdict is there again");
  require(file.read() == whole, "what was torn is cut off");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  open_and_go_on(file, bytes, Journal::Existing::resume);
  open_and_go_on(file, bytes, Journal::Existing::own_place);
  return 0;
}
