#include "harness/import/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace petri {
namespace {

constexpr std::size_t kLongestName = 255;  // of those that are compared, as file systems have them

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// A name without its extension, unless that has a number, which may be the rank's.
std::string_view stem_of(std::string_view leaf) {
  const std::size_t dot = leaf.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return leaf;
  const std::string_view extension = leaf.substr(dot);
  return std::any_of(extension.begin(), extension.end(), is_digit) ? leaf : leaf.substr(0, dot);
}

class Copies {
 public:
  explicit Copies(const std::vector<TraceFile>& files) : files_(files), digests_(files.size()) {}

  // By file: that of which it is a copy, or itself.
  std::vector<std::size_t> originals() {
    std::vector<std::size_t> shortest_first(files_.size()), original(files_.size());
    std::iota(shortest_first.begin(), shortest_first.end(), std::size_t{0});
    const auto length = [&](std::size_t file) { return std::pair(files_[file].leaf.size(), files_[file].name.size()); };
    std::stable_sort(shortest_first.begin(), shortest_first.end(),
                     [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
    for (const std::size_t file : shortest_first) {
      original[file] = original_of(file);
      const std::string_view stem = stem_of(files_[file].leaf);
      if (original[file] == file && std::any_of(stem.begin(), stem.end(), is_digit))
        by_stem_.try_emplace(std::string(stem), file);
    }
    return original;
  }

 private:
  // What is in front of a name ends, and what is behind it begins, where no word or number goes on.
  std::size_t original_of(std::size_t file) {
    const std::string_view leaf = files_[file].leaf, stem = stem_of(leaf);
    if (leaf.size() > kLongestName) return file;
    for (std::size_t end = leaf.size(); end > 0; --end)
      if ((end == leaf.size() || !is_alphanumeric(leaf[end])) && is_copy_of(file, leaf.substr(0, end))) return found_;
    for (std::size_t begin = 0; begin < stem.size(); ++begin)
      if ((begin == 0 || !is_alphanumeric(stem[begin - 1])) && is_copy_of(file, stem.substr(begin))) return found_;
    return file;
  }

  bool is_copy_of(std::size_t file, std::string_view stem) {
    const auto place = by_stem_.find(std::string(stem));
    if (place == by_stem_.end() || digest_of(file) != digest_of(place->second)) return false;
    found_ = place->second;
    return true;
  }

  const std::string& digest_of(std::size_t file) {
    if (!digests_[file].empty()) return digests_[file];
    TraceFile nameless = files_[file];
    nameless.leaf.clear();
    return digests_[file] = digest_of_files({nameless});
  }

  const std::vector<TraceFile>& files_;
  std::unordered_map<std::string, std::size_t> by_stem_;  // those that are no copies
  std::vector<std::string> digests_;
  std::size_t found_ = 0;
};

}  // namespace

std::vector<TraceFile> without_copies(const std::vector<TraceFile>& files, ImportNotes& notes) {
  const std::vector<std::size_t> originals = Copies(files).originals();
  std::vector<TraceFile> kept;
  std::vector<std::string> copies;
  for (std::size_t file = 0; file < files.size(); ++file)
    if (originals[file] == file)
      kept.push_back(files[file]);
    else
      copies.push_back(fmt::format("{} (as {})", files[file].name, files[originals[file]].name));
  if (!copies.empty())
    notes.warnings.push_back(fmt::format("the same bytes count once; left out as {} of a file beside {}: {}",
                                         copies.size() == 1 ? "a copy" : "copies", copies.size() == 1 ? "it" : "them",
                                         some_of(copies)));
  return kept;
}

}  // namespace petri
