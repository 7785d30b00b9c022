// What a job prints, kept in a file of its run folder: the end of it, however much it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace petri {

class CapturedOutput {
 public:
  // The file that the job appends to.
  explicit CapturedOutput(std::filesystem::path file) : file_(std::move(file)) {}

  // Gives back the room of all but the end. Called now and then while the job runs: the folder may be memory, and a
  // program that prints in an endless loop would take all of it.
  void trim();

  // The last 64 KiB at most.
  std::string end() const;

 private:
  std::filesystem::path file_;
  std::uintmax_t trimmed_ = 0;  // bytes at the beginning that are given back
};

}  // namespace petri
