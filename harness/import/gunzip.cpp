#include "harness/import/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "harness/import/unpack.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr int kGzipOnly = 15 + 16;  // the largest window, and a gzip header and trailer around it (zlib.h)
constexpr unsigned char kMagic = 0x1f;

class GunzipStream : public ByteStream {
 public:
  GunzipStream(const TraceFile& file, std::uint64_t most)
      : name_(file.name), broken_off_(file.broken_off), most_(most), source_(file.open()) {
    if (::inflateInit2(&inflate_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GunzipStream() override { ::inflateEnd(&inflate_); }
  GunzipStream(const GunzipStream&) = delete;
  GunzipStream& operator=(const GunzipStream&) = delete;

  std::size_t read(char* to, std::size_t most) override {
    most = std::min<std::size_t>(most, std::numeric_limits<uInt>::max());
    inflate_.next_out = reinterpret_cast<Bytef*>(to);
    inflate_.avail_out = static_cast<uInt>(most);
    while (inflate_.avail_out == most && most > 0 && !at_end_) step();
    const std::size_t count = most - inflate_.avail_out;
    if (count > most_ - taken_) fail_of_size(name_, most_);
    taken_ += count;
    return count;
  }

 private:
  void step() {
    if (inflate_.avail_in == 0 && !fill()) return end();
    if (between_) {  // members
      if (*inflate_.next_in != kMagic) return end();
      ::inflateReset(&inflate_);
      between_ = false;
    }
    const int status = ::inflate(&inflate_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) between_ = true;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail(inflate_.msg != nullptr ? inflate_.msg : "its compression is broken");
  }

  bool fill() {
    const std::size_t count = source_->read(chunk_.data(), chunk_.size());
    inflate_.next_in = reinterpret_cast<Bytef*>(chunk_.data());
    inflate_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  void end() {
    at_end_ = true;
    if (between_) return;
    if (taken_ == 0 || broken_off_ == nullptr) fail("it breaks off at its beginning");
    *broken_off_ = true;
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(name_, 0, 0, "cannot be unpacked: " + reason);
  }

  std::string name_;
  std::shared_ptr<std::atomic<bool>> broken_off_;
  std::uint64_t most_, taken_ = 0;
  std::unique_ptr<ByteStream> source_;
  std::vector<char> chunk_ = std::vector<char>(kChunk);
  z_stream inflate_ = {};
  bool between_ = false;  // a member has ended
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gunzipped(const TraceFile& file, std::uint64_t most) {
  return std::make_unique<GunzipStream>(file, most);
}

}  // namespace petri
