// Input that comes through a pipe: it can be read once, from its beginning, and has no name that tells anything.
#pragma once

#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>

#include "harness/import/spool.hpp"

namespace petri::cli {

class Piped {
 public:
  // Standard input for "-", or a pipe or device. Throws InputError where it cannot be opened, and where it cannot be
  // read later.
  explicit Piped(const std::string& source);
  ~Piped();
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

  // What messages call it.
  const std::string& name() const { return name_; }

  // Reads on until `most` bytes, or a chunk more, are kept or nothing comes any more.
  void keep(std::uint64_t most);

  bool ended() const { return ended_; }
  const std::shared_ptr<Spool>& kept() const { return kept_; }

  // The first of what is kept.
  std::string head() const;

  // All of it: what is kept, then the rest as it comes. Once.
  std::unique_ptr<std::streambuf> stream();

 private:
  std::size_t read(char* to, std::size_t most);  // 0 at the end

  std::string name_;
  int descriptor_;
  bool ended_ = false;
  std::shared_ptr<Spool> kept_ = std::make_shared<Spool>();

  friend class PipedStream;
};

}  // namespace petri::cli
