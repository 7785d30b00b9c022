#include <algorithm>
#include <array>

#include "tests/jobs/builder.hpp"

namespace petri::jobs {
namespace {

constexpr std::int32_t kDimensions = 3;
constexpr std::array<std::int32_t, kDimensions> kPeriods{0, 0, 1};
constexpr std::array<std::int64_t, kDimensions> kFace{4096, 4096, 2048};
constexpr std::int32_t kIterations = 3;  // exchanges before the residual is looked at

// Extents as equal as the number of ranks allows, the largest first.
std::array<std::int32_t, kDimensions> extents_of(std::int32_t world) {
  std::array<std::int32_t, kDimensions> extents{1, 1, 1};
  for (std::int32_t factor = 2; world > 1;) {
    if (factor * factor > world) factor = world;
    while (world % factor != 0) ++factor;
    world /= factor;
    auto* least = &extents[0];
    for (auto& extent : extents)
      if (extent <= *least) least = &extent;
    *least *= factor;
  }
  std::sort(extents.rbegin(), extents.rend());
  return extents;
}

class Halo {
 public:
  explicit Halo(const JobSize& size)
      : build_("halo-3d", "stencil.cpp", size), size_(size), extents_(extents_of(size.world)) {}

  Job make() {
    make_grid();
    for (std::int32_t step = 0; step < size_.steps; ++step) {
      build_.in_step(step);
      for (std::int32_t rank = 0; rank < build_.world(); ++rank)
        for (std::int32_t iteration = 0; iteration < kIterations; ++iteration)
          step % 2 == 0 ? exchange(rank) : shift(rank);
      build_.meet(118);  // the residual
    }
    return build_.finish(131);
  }

 private:
  void make_grid() {
    std::vector<std::int32_t> all;
    for (std::int32_t rank = 0; rank < build_.world(); ++rank) all.push_back(rank);
    grid_ = build_.declare("grid", all);
    build_.set_wide(grid_);
    for (std::int32_t rank = 0; rank < build_.world(); ++rank) {
      Event event = making(grid_, call(Op::cart_create));
      auto& extras = event.extras;
      extras.set_dims(extents_);
      extras.set_periods(kPeriods);
      std::vector<std::int32_t> neighbours;
      for (std::int32_t axis = 0; axis < kDimensions; ++axis)
        for (const std::int32_t way : {-1, 1}) neighbours.push_back(neighbour(rank, axis, way));
      extras.set_sources(neighbours);
      extras.set_destinations(neighbours);
      build_.add(rank, 52, std::move(event));
    }
  }

  // kNull beyond an edge of the grid. Ranks are numbered with the last coordinate first (MPI 4.1, section 8.5).
  std::int32_t neighbour(std::int32_t rank, std::int32_t axis, std::int32_t way) const {
    std::int32_t stride = 1;
    for (std::int32_t inner = axis + 1; inner < kDimensions; ++inner)
      stride *= extents_[static_cast<std::size_t>(inner)];
    const std::int32_t extent = extents_[static_cast<std::size_t>(axis)];
    const std::int32_t here = rank / stride % extent, there = here + way;
    if (there >= 0 && there < extent) return rank + way * stride;
    if (kPeriods[static_cast<std::size_t>(axis)] == 0) return kNull;
    return rank + ((there + extent) % extent - here) * stride;
  }

  // Tags tell the direction in which a face travels: on a ring of two, both neighbours are the same rank.
  static std::int32_t tag_of(std::int32_t axis, std::int32_t way) { return 2 * axis + (way > 0 ? 1 : 0); }

  Event face(Op op, std::int32_t peer, std::int32_t axis, std::int32_t way) const {
    return on(grid_, message(op, peer, tag_of(axis, way), kFace[static_cast<std::size_t>(axis)], ElementType::float64));
  }

  void exchange(std::int32_t rank) {
    std::vector<std::uint32_t> requests;
    for (std::int32_t axis = 0; axis < kDimensions; ++axis)
      for (const std::int32_t way : {-1, 1})
        requests.push_back(build_.begin(rank, 78, face(Op::irecv, neighbour(rank, axis, -way), axis, way)));
    for (std::int32_t axis = 0; axis < kDimensions; ++axis)
      for (const std::int32_t way : {-1, 1})
        requests.push_back(build_.begin(rank, 84, face(Op::isend, neighbour(rank, axis, way), axis, way)));
    build_.add(rank, 88, wait_all(std::move(requests)));
  }

  // One face after the other, all in the same direction.
  void shift(std::int32_t rank) {
    for (std::int32_t axis = 0; axis < kDimensions; ++axis)
      for (const std::int32_t way : {-1, 1}) {
        Event event = face(Op::sendrecv, kUnset, axis, way);
        event.extras.set_sendpeer(neighbour(rank, axis, way));
        event.extras.set_recvpeer(neighbour(rank, axis, -way));
        build_.add(rank, 101, std::move(event));
      }
  }

  JobBuilder build_;
  JobSize size_;
  std::array<std::int32_t, kDimensions> extents_;
  std::int32_t grid_ = 0;
};

}  // namespace

Job halo_3d(const JobSize& size) {
  return Halo(size).make();
}

}  // namespace petri::jobs
