#include "reducers/open_epochs.hpp"

namespace petri::reduce {

bool OpenEpochs::allow(const Event& event, bool stays) {
  if (kind_of(event.op) != OpKind::window) return stays;
  const std::pair access{event.extras.win(), true}, exposure{event.extras.win(), false};
  // A new window has no epochs: what was opened before it was another window's, or a fault of its own.
  if (creates(event.op) || event.op == Op::win_free) {
    lost_.erase(access);
    lost_.erase(exposure);
  }
  switch (event.op) {
    case Op::win_start: note(access, stays); break;
    case Op::win_post: note(exposure, stays); break;
    case Op::win_complete: return stays && lost_.erase(access) == 0;
    case Op::win_wait: return stays && lost_.erase(exposure) == 0;
    case Op::win_test: return stays && !lost_.contains(exposure);
    default: break;
  }
  return stays;
}

void OpenEpochs::note(const std::pair<std::string, bool>& epoch, bool stays) {
  if (stays)
    lost_.erase(epoch);
  else
    lost_.insert(epoch);
}

}  // namespace petri::reduce
