#include "harness/cli/locate.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "harness/cli/command.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/compare/locate.hpp"
#include "harness/report/located.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {

int run_locate(const std::string& one, const std::string& other, bool json) {
  const Scenario first = Input(one).load(), second = Input(other).load();
  if (first.world() != second.world())
    throw InputError(other, 0, 0,
                     fmt::format("has {} ranks, and {} has {}: they are no two recordings of one job", second.world(),
                                 one, first.world()));
  const compare::LocatedDifference found = compare::locate(first, second);
  if (json)
    fmt::print("{}", render_json(found, first, second));
  else
    say(stdout, "{}", render_text(found, first, second, {one, other}));
  return exit_status_of(verdict_of(found));
}

}  // namespace petri::cli
