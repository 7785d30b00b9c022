#include "harness/model/explore.hpp"

namespace petri::model {
namespace {

// The next leaf of the decision tree in depth-first order: the last decision with an untried alternative moves on.
bool next_script(const std::vector<Choice>& choices, std::vector<std::uint32_t>& script) {
  script.clear();
  for (const Choice& choice : choices) script.push_back(choice.taken);
  for (std::size_t depth = script.size(); depth > 0; --depth) {
    if (++script[depth - 1] < choices[depth - 1].alternatives) return true;
    script.pop_back();
  }
  return false;
}

}  // namespace

Exploration explore(const Scenario& scenario, const Assumptions& assumptions, std::uint64_t max_orders,
                    const std::function<bool(const Run&)>& visit) {
  Exploration seen;
  std::vector<std::uint32_t> script;
  std::uint64_t runs = 0;
  for (;;) {
    const Run one = run(scenario, assumptions, script);
    ++runs;
    const bool more = next_script(one.choices, script);
    seen.orders += one.repeats ? 0 : 1;
    if (!one.repeats && !visit(one)) {
      seen.complete = !more;
      return seen;
    }
    if (!more) return seen;
    if (runs >= max_orders) {
      seen.complete = false;
      return seen;
    }
  }
}

}  // namespace petri::model
