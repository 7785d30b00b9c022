#include "harness/trace/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <system_error>

namespace petri {
namespace {

constexpr std::size_t kChunk = 1 << 16;

std::string text_of(XXH128_hash_t hash) {
  return fmt::format("xxh3-128:{:016x}{:016x}", hash.high64, hash.low64);
}

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

}  // namespace

std::string digest_of(std::span<const std::byte> bytes) {
  return text_of(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string digest_of(std::string_view text) {
  return digest_of(std::as_bytes(std::span(text)));
}

struct Digest::State {
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> xxh3{XXH3_createState()};
};

Digest::Digest() : state_(std::make_unique<State>()) {
  if (!state_->xxh3) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh3.get());
}

Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  XXH3_128bits_update(state_->xxh3.get(), bytes.data(), bytes.size());
}

std::string Digest::text() const {
  return text_of(XXH3_128bits_digest(state_->xxh3.get()));
}

std::string digest_of_file(const std::filesystem::path& file) {
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  const std::unique_ptr<std::FILE, Close> in(std::fopen(file.c_str(), "rb"));
  if (!in) fail(file);
  Digest digest;
  std::array<char, kChunk> chunk;
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), in.get())) digest.add({chunk.data(), got});
  if (std::ferror(in.get()) != 0) fail(file);
  return digest.text();
}

}  // namespace petri
