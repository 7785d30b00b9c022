#include "harness/worker/shapes.hpp"

namespace petri {
namespace {

constexpr Shape kUnknown{-1, ElementType::unknown};

}  // namespace

Shapes::Shapes(const Scenario& scenario) {
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      Shape& shape = shapes_.try_emplace({event.comm, info(event.op).family}, kUnknown).first->second;
      if (shape.count < 0 && event.count != kUnknownCount) shape.count = static_cast<int>(event.count);
      if (shape.type == ElementType::unknown) shape.type = event.dtype;
    }
  }
}

Shape Shapes::of(const Event& event) const {
  const auto found = shapes_.find({event.comm, info(event.op).family});
  const Shape others = found != shapes_.end() ? found->second : kUnknown;
  const int standard = others.count >= 0 ? others.count : 1;
  return {event.count != kUnknownCount ? static_cast<int>(event.count) : standard,
          event.dtype != ElementType::unknown ? event.dtype : others.type};
}

}  // namespace petri
