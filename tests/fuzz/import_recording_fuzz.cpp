// Any slots and facts in a record: a scenario whose text says it all, or an InputError. The input is what
// record_input.hpp says; sizes and magic are right, so that it is the content that is read.
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/import/recording.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/fuzz/record_input.hpp"
#include "tests/trace/text.hpp"

namespace {

using namespace petri;
using fuzz::require;

// A folder of records, gone at the end of the process.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "petri-fuzz-XXXXXX";
    require(mkdtemp(name.data()) != nullptr, "a folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  fuzz::record_from({data, size}).write(folder.path() / (std::string("fuzz") + record::kFileSuffix));
  try {
    const std::string text = test::written(import_recording(folder.path(), {.call_sites = false}));
    require(test::written(test::read_text(text)) == text, "what is written is read as what it is");
  } catch (const InputError&) {
    return 0;  // arguments that no rank can have are the reader's to refuse
  }
  return 0;
}
