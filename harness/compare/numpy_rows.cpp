#include "harness/compare/numpy_rows.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "harness/trace/error.hpp"
#include "kernels/cpu/payload.hpp"

namespace petri::compare {
namespace {

constexpr std::uint64_t kMostRows = 1 << 20;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "rank-2" before "rank-10": digits are compared as one number, of any length.
bool before(std::string_view a, std::string_view b) {
  const auto number = [](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view digits = text.substr(0, end);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    text.remove_prefix(end);
    return std::pair(digits.size(), digits);
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto x = number(a), y = number(b);
      if (x != y) return x < y;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

// Elements of uint64 become int64 where they are: a double between them would round.
void keep_in_int64(std::size_t count, std::byte* elements, kernels::ConversionLoss* loss) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t number = 0;
    std::memcpy(&number, elements + i * sizeof number, sizeof number);
    if (loss != nullptr) ++loss->numbers;
    if (number <= kMost) continue;
    if (loss != nullptr) ++loss->bounded;
    std::memcpy(elements + i * sizeof number, &kMost, sizeof number);
  }
}

}  // namespace

bool is_pattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

std::vector<std::string> files_named(const std::string& text) {
  std::vector<std::string> files;
  if (!is_pattern(text)) {
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t end = std::min(text.find(',', from), text.size());
      files.push_back(text.substr(from, end - from));
      from = end + 1;
    }
    return files;
  }
  glob_t found{};
  if (::glob(text.c_str(), GLOB_NOCHECK, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::stable_sort(files.begin(), files.end(), before);
  return files;
}

NumpyRows::NumpyRows(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const NpyHeader& header = files_.emplace_back(path).header();
    const auto fail = [&](const std::string& reason) { throw InputError(path, 0, 0, reason); };
    const NpyHeader& first = files_.front().header();
    if (header.type != first.type)
      fail(
          fmt::format("it has elements of {}, and {} of {}", name_of(header.type), paths.front(), name_of(first.type)));
    if (header.elements != first.elements)
      fail(fmt::format("it has {} elements, and {} has {}", header.elements, paths.front(), first.elements));
    if (header.elements == 0) fail("it is empty");
  }
  const NpyHeader& header = files_.front().header();
  if (files_.size() == 1 && header.shape.empty())
    throw InputError(paths.front(), 0, 0, "it is a scalar: its first axis should be the ranks");
  const std::uint64_t rows = files_.size() > 1 ? files_.size() : header.shape.front();
  if (rows > kMostRows)
    throw InputError(paths.front(), 0, 0,
                     fmt::format("its first axis has {} elements, and as many ranks are more than 2^20", rows));
  rows_ = static_cast<std::int32_t>(rows);
  count_ = files_.size() > 1 ? header.elements : header.elements / rows;
}

ElementType NumpyRows::usual_type() const {
  switch (type()) {
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::int16:
    case ElementType::uint16: return ElementType::int32;
    case ElementType::uint32: return ElementType::int64;
    default: return type();
  }
}

void NumpyRows::write(std::int32_t row, ElementType type, std::uint64_t first, std::size_t count, std::byte* out,
                      kernels::ConversionLoss* loss) const {
  const auto number = static_cast<std::size_t>(row);
  const NpyFile& file = files_.size() > 1 ? files_[number] : files_.front();
  const std::uint64_t begin = (files_.size() > 1 ? 0 : number * count_) + first;
  if (type == file.header().type) return file.read(begin, count, out);
  if (type == ElementType::int64 && file.header().type == ElementType::uint64) {
    file.read(begin, count, out);
    return keep_in_int64(count, out, loss);
  }
  Payload payload{.values = std::vector<double>(count)};
  if (count == 0) return;
  file.read(begin, payload.values);
  kernels::write_payload(payload, row, type, 0, count, out, loss);
}

}  // namespace petri::compare
