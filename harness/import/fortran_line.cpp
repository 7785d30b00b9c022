#include "harness/import/fortran_line.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <tuple>
#include <utility>

namespace petri {
namespace {

bool is_fortran(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: return true;
    default: return false;
  }
}

struct Code {
  Dwarf_Addr begin = 0, end = std::numeric_limits<Dwarf_Addr>::max();
};

// The code of the subprogram around this address.
Code subprogram(Dwarf_Die& unit, std::uint64_t address) {
  Dwarf_Die* scopes = nullptr;
  const int n = dwarf_getscopes(&unit, address, &scopes);
  Code code;
  for (int i = 0; i < n; ++i) {
    if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram) continue;
    Code found;
    if (dwarf_lowpc(&scopes[i], &found.begin) == 0 && dwarf_highpc(&scopes[i], &found.end) == 0) code = found;
    break;
  }
  std::free(scopes);
  return code;
}

struct Neighbours {
  int before = 0, after = 0;
};

// The lines of the same subprogram that stand in the table before and after the code at this address, not counting
// `line` itself.
Neighbours neighbours(Dwarf_Die& unit, std::uint64_t address, int line) {
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  Neighbours found;
  const Code code = subprogram(unit, address);
  if (dwarf_getsrclines(&unit, &lines, &count) != 0) return found;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* row = dwarf_onesrcline(lines, i);
    Dwarf_Addr at = 0;
    int number = 0;
    if (dwarf_lineaddr(row, &at) != 0 || dwarf_lineno(row, &number) != 0) continue;
    if (number == line || number == 0 || at < code.begin || at >= code.end) continue;
    if (at <= address) {
      found.before = number;
    } else {
      found.after = number;
      return found;
    }
  }
  return found;
}

std::vector<std::string> read_lines(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    lines.push_back(std::move(line));
  }
  return lines;
}

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// `call NAME`, and no comment.
bool has_call_of(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(name);
  if (at == std::string::npos || at == 0 || line.find('!') < at) return false;
  if (at + name.size() < line.size() && is_part_of_name(line[at + name.size()])) return false;
  const std::size_t before = line.find_last_not_of(" \t&", at - 1);
  return before != std::string::npos && before >= 3 && line.compare(before - 3, 4, "call") == 0;
}

// By its name in the standard, or as an extension that came before.
bool has_call(const std::string& line, std::string_view operation) {
  return has_call_of(line, "mpi_" + std::string(operation)) || has_call_of(line, "mpix_" + std::string(operation));
}

}  // namespace

const std::vector<int>& FortranLines::calls(const std::string& file, std::string_view operation) {
  const auto [place, fresh] = calls_.try_emplace({file, std::string(operation)});
  if (!fresh) return place->second;
  const auto [source, unread] = sources_.try_emplace(file);
  if (unread) source->second = read_lines(file);
  for (std::size_t i = 0; i < source->second.size(); ++i)
    if (has_call(source->second[i], operation)) place->second.push_back(static_cast<int>(i) + 1);
  return place->second;
}

int FortranLines::line_of_call(Dwarf_Die& unit, std::uint64_t address, const std::string& file, int line,
                               std::string_view operation) {
  if (!is_fortran(unit)) return line;
  const std::vector<int>& all = calls(file, operation);
  if (all.empty() || std::binary_search(all.begin(), all.end(), line)) return line;
  const Neighbours around = neighbours(unit, address, line);
  const int first = around.before != 0 ? around.before : line;
  // What follows may be the end of a loop, above, or nothing.
  const int last = around.after > first ? around.after : std::numeric_limits<int>::max();
  auto candidate = std::upper_bound(all.begin(), all.end(), first);
  if (candidate == all.end() || *candidate > last) return line;
  std::vector<std::uint64_t>& seen = seen_[{file, std::string(operation), *candidate}];
  auto mine = std::find(seen.begin(), seen.end(), address);
  if (mine == seen.end()) mine = seen.insert(mine, address);
  for (auto later = mine - seen.begin(); later > 0 && candidate + 1 != all.end() && candidate[1] <= last; --later)
    ++candidate;
  return *candidate;
}

}  // namespace petri
