#include "harness/diagnose/object_uses.hpp"

namespace petri::diagnosis {

void Uses::use(Object& object, Use how, std::uint32_t index, const std::string& name) {
  const Rule* rule = broken_rule(object.kind, object.state, how);
  if (rule == nullptr) {
    const State next = state_after(object.kind, object.state, how);
    if (next == object.state && how != kStart && how != kMake) return;
    object.state = next;
    object.since = index;
    return;
  }
  if (!std::exchange(object.told, true)) {
    WrongUse wrong;
    wrong.call = {rank_, index};
    if (object.since) wrong.earlier = EventRef{rank_, *object.since};
    wrong.kind = object.kind;
    wrong.object = std::string(noun_of(object.kind)) + (name.empty() ? "" : " ") + name;
    wrong.rule = rule;
    wrong_.push_back(std::move(wrong));
  }
  object.state = kUnknown;
}

}  // namespace petri::diagnosis
