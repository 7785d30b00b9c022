// Lines of calls in Fortran programs, where the compiler leaves them out of its debug information: GNU Fortran gives a
// call that only has variables as arguments, as `call MPI_Wait(request, status, ierror)`, the line on which the block
// around it begins (seen with version 12). The source tells the line then.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace petri {

class FortranLines {
 public:
  // The line of the call at `address` in the unit's own addresses, for which the debug information has `line` of
  // `file`; `operation` is MPI's name in lower case, without the prefix. `line` again where that is right, and where
  // the source cannot be read or does not tell.
  int line_of_call(Dwarf_Die& unit, std::uint64_t address, const std::string& file, int line,
                   std::string_view operation);

 private:
  // Lines of `file` on which `operation` is called, in order.
  const std::vector<int>& calls(const std::string& file, std::string_view operation);

  std::map<std::string, std::vector<std::string>> sources_;
  std::map<std::pair<std::string, std::string>, std::vector<int>> calls_;
  // Calls that have one place in the line table in common, by file, operation and the first candidate's line: the
  // addresses seen so far. They are met in the order in which the program makes them.
  std::map<std::tuple<std::string, std::string, int>, std::vector<std::uint64_t>> seen_;
};

}  // namespace petri
