#include "harness/launch/captured_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>

namespace petri {
namespace {

constexpr std::uintmax_t kKept = 64 << 10;
constexpr std::uintmax_t kWorthIt = 4 << 20;  // what has to come before it is trimmed

}  // namespace

void CapturedOutput::trim() {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file_, error);
  if (error || size < trimmed_ + kWorthIt) return;
  const int file = open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // A hole at the beginning; where the file system knows none, the file begins anew: the job appends.
  trimmed_ = size - kKept;
  if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(trimmed_)) != 0 &&
      ftruncate(file, 0) == 0)
    trimmed_ = 0;
  close(file);
}

std::string CapturedOutput::end() const {
  std::ifstream in(file_, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto size = static_cast<std::uintmax_t>(in.tellg());
  in.seekg(static_cast<std::streamoff>(size > kKept ? size - kKept : 0));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace petri
