// Folded evaluation against the evaluator in one place, on processes that are threads.
#include "kernels/order/folding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/cpu/openmpi_ops.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/order/evaluate.hpp"
#include "kernels/order/folded_evaluate.hpp"
#include "kernels/order/openmpi.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order {
namespace {

struct Letter {
  std::vector<std::byte> bytes;
  std::uint64_t written = 0;  // by the sender's clock
};

// Mail between threads in which every send waits until its message is expected: what hangs here may hang under MPI.
class Post {
 public:
  void send(std::int32_t from, std::int32_t to, Letter letter) {
    std::unique_lock lock(mutex_);
    Way& way = ways_[{from, to}];
    changed_.wait(lock, [&] { return way.sent < way.expected.size(); });
    ASSERT_EQ(way.expected[way.sent], letter.bytes.size());
    way.arrived[way.sent++] = std::move(letter);
    changed_.notify_all();
  }
  std::size_t expect(std::int32_t from, std::int32_t to, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    Way& way = ways_[{from, to}];
    way.expected.push_back(bytes);
    changed_.notify_all();
    return way.expected.size() - 1;
  }
  Letter take(std::int32_t from, std::int32_t to, std::size_t number) {
    std::unique_lock lock(mutex_);
    Way& way = ways_[{from, to}];
    changed_.wait(lock, [&] { return way.arrived.count(number) != 0; });
    return std::move(way.arrived.extract(number).mapped());
  }

 private:
  struct Way {
    std::vector<std::size_t> expected;  // lengths
    std::size_t sent = 0;
    std::map<std::size_t, Letter> arrived;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::int32_t, std::int32_t>, Way> ways_;
};

// Keeps a clock of its process that depends on the plan alone: an element of a contribution takes one tick, and a
// result is there when its sender has made it.
class ThreadLink : public Link {
 public:
  ThreadLink(Post& post, std::int32_t process) : post_(post), process_(process) {}
  void send(std::int32_t to, std::vector<std::byte> message) override {
    post_.send(process_, to, {std::move(message), clock});
  }
  std::size_t expect(std::int32_t from, std::size_t bytes) override {
    expected_.emplace_back(from, post_.expect(from, process_, bytes));
    return expected_.size() - 1;
  }
  std::vector<std::byte> take(std::size_t expected) override {
    Letter letter = post_.take(expected_[expected].first, process_, expected_[expected].second);
    clock = std::max(clock, letter.written);
    return std::move(letter.bytes);
  }
  std::uint64_t clock = 0;

 private:
  Post& post_;
  std::int32_t process_;
  std::vector<std::pair<std::int32_t, std::size_t>> expected_;
};

Contribution contribution_of(ElementType type) {
  return [type](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
    const Payload payload{{}, Generator::log_uniform, 5, 1.0};
    kernels::write_payload(payload, rank, type, first, count, out);
  };
}

std::vector<std::byte> evaluated(const Order& order, const kernels::Arithmetic& arithmetic,
                                 const Contribution& contribution) {
  std::vector<std::byte> result(order.count * size_of(arithmetic.element));
  Evaluator(order, arithmetic).evaluate(contribution, 0, order.count, result.data());
  return result;
}

struct Folded {
  std::vector<std::byte> result;
  std::uint64_t ticks = 0;  // until the last process is ready
};

Folded folded(const Order& order, const kernels::Arithmetic& arithmetic, std::int32_t processes,
              const Contribution& contribution) {
  const Folding folding{order.ranks, processes};
  std::vector<std::byte> result;
  const Consumer consume = [&](std::uint64_t first, std::size_t count, const std::byte* elements) {
    EXPECT_EQ(first * size_of(arithmetic.element), result.size()) << "in ascending order";
    result.insert(result.end(), elements, elements + count * size_of(arithmetic.element));
  };
  Post post;
  std::vector<std::uint64_t> clocks(static_cast<std::size_t>(processes));
  std::vector<std::thread> threads;
  for (std::int32_t process = 0; process < processes; ++process)
    threads.emplace_back([&, process] {
      ThreadLink link(post, process);
      const Contribution mine = [&](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
        EXPECT_EQ(folding.process_of(rank), process) << "a contribution of another process is asked for";
        link.clock += count;
        contribution(rank, first, count, out);
      };
      evaluate_folded(order, arithmetic, processes, process, mine, link, consume);
      clocks[static_cast<std::size_t>(process)] = link.clock;
    });
  for (std::thread& thread : threads) thread.join();
  return {std::move(result), *std::max_element(clocks.begin(), clocks.end())};
}

void expect_same_bits(const Order& order, const kernels::Arithmetic& arithmetic, std::int32_t processes) {
  const Contribution contribution = contribution_of(arithmetic.element);
  EXPECT_EQ(folded(order, arithmetic, processes, contribution).result, evaluated(order, arithmetic, contribution))
      << order.name << ", " << order.count << " elements on " << processes << " processes";
}

kernels::Arithmetic float_sum() {
  return *kernels::arithmetic(ElementType::float32, ReduceOp::sum);
}

TEST(Folding, PutsRanksInContiguousBlocks) {
  const Folding folding{7, 3};
  std::vector<std::int32_t> processes;
  for (std::int32_t rank = 0; rank < 7; ++rank) processes.push_back(folding.process_of(rank));
  EXPECT_EQ(processes, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 2, 2}));
}

TEST(Folding, ARingCrossesEachBorderOnce) {
  const Order order = ring({12, 12, ElementType::float32, {}});
  const Part& part = order.views[0][7];
  const std::vector<Piece> pieces = pieces_of(order.trees[part.tree], part.shift, {12, 3});
  std::vector<std::int32_t> processes;
  for (const Piece& piece : pieces) processes.push_back(piece.process);
  // From rank 7 in the middle of process 1 around to rank 6, and to process 0.
  EXPECT_EQ(processes, (std::vector<std::int32_t>{1, 2, 0, 1, 0}));
  EXPECT_EQ(pieces.back().stage, 4);
}

TEST(Folding, DoublingMeetsOnceForEachPairOfProcesses) {
  const Order order = recursive_doubling({16, 1, ElementType::float32, {}});
  const std::vector<Piece> pieces = pieces_of(order.trees[0], 0, {16, 4});
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces.back().process, 0);
  EXPECT_EQ(pieces.back().stage, 2);
}

TEST(Folding, EveryStepIsInOnePieceAndEveryContributionAtHome) {
  for (const Order& order :
       {ring({13, 50, ElementType::float32, {}}), double_binary_tree({13, 50, ElementType::float32, {}}),
        arrival({13, 50, ElementType::float32, {}}, 3)})
    for (std::int32_t processes = 1; processes <= 13; ++processes)
      for (const Part& part : order.views[0]) {
        const Tree& tree = order.trees[part.tree];
        const Folding folding{13, processes};
        std::vector<int> steps(tree.steps.size()), ranks(13);
        const std::vector<Piece> pieces = pieces_of(tree, part.shift, folding);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          EXPECT_TRUE(is_whole(pieces[i].tree));
          ASSERT_EQ(pieces[i].leaves.size(), static_cast<std::size_t>(pieces[i].tree.ranks));
          for (const std::uint32_t step : pieces[i].steps) ++steps[step];
          for (const Leaf& leaf : pieces[i].leaves) {
            if (leaf.kind == Leaf::Kind::rank) {
              ++ranks[static_cast<std::size_t>(leaf.index)];
              EXPECT_EQ(folding.process_of(leaf.index), pieces[i].process);
            } else {
              const Piece& source = pieces[static_cast<std::size_t>(leaf.index)];
              EXPECT_EQ(source.consumer, static_cast<std::int32_t>(i));
              EXPECT_LT(source.stage, pieces[i].stage);
              EXPECT_NE(source.process, pieces[i].process);
            }
          }
        }
        EXPECT_EQ(steps, std::vector<int>(tree.steps.size(), 1));
        EXPECT_EQ(ranks, std::vector<int>(13, 1));
        EXPECT_EQ(pieces.back().process, 0);
        EXPECT_EQ(pieces.back().consumer, Piece::kNoConsumer);
      }
}

TEST(FoldedEvaluation, HasTheBitsOfOneEvaluatorOnAnyNumberOfProcesses) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{40'001}}) {
    const Shape shape{13, count, ElementType::float32, {}};
    for (const Order& order : {sequential(shape), ring(shape), double_binary_tree(shape), recursive_doubling(shape),
                               recursive_halving(shape), arrival(shape, 9)}) {
      for (const std::int32_t processes : {1, 2, 3, 4, 13}) expect_same_bits(order, float_sum(), processes);
    }
  }
}

TEST(FoldedEvaluation, HasProcessesWorkAtTheSameTime) {
  const Shape shape{64, 400'000, ElementType::float32, {}};
  const Contribution zeros = [](std::int32_t /*rank*/, std::uint64_t /*first*/, std::size_t count, std::byte* out) {
    std::fill_n(reinterpret_cast<float*>(out), count, 0.0F);
  };
  for (const Order& order : {ring(shape), double_binary_tree(shape), recursive_doubling(shape)})
    for (const std::int32_t processes : {2, 4}) {
      const double alone = static_cast<double>(shape.count) * shape.ranks;
      const double ticks = static_cast<double>(folded(order, float_sum(), processes, zeros).ticks);
      // What is left is the time in which the first tiles have not come to everybody, or the last ones have left.
      EXPECT_LT(ticks * processes / alone, 1.2) << order.name << " on " << processes << " processes";
    }
}

TEST(FoldedEvaluation, WidensAndScalesOnce) {
  const Shape shape{6, 9'000, ElementType::float16, {}};
  for (const auto accumulator : {ElementType::float16, ElementType::float32}) {
    const auto average = *kernels::arithmetic(ElementType::float16, ReduceOp::avg, accumulator);
    expect_same_bits(ring(shape), average, 3);
  }
}

TEST(FoldedEvaluation, KeepsTheCallsThatDecideBetweenVectorBodyAndTail) {
  // min of NaN and a number: the library's vectors and its single elements differ.
  const auto minimum = *kernels::openmpi_arithmetic(ElementType::float32, ReduceOp::min);
  const Contribution contribution = [](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
    for (std::size_t i = 0; i < count; ++i)
      reinterpret_cast<float*>(out)[i] = (first + i) % 5 == static_cast<std::uint64_t>(rank)
                                             ? std::numeric_limits<float>::quiet_NaN()
                                             : static_cast<float>(rank);
  };
  const Shape shape{5, 20'003, ElementType::float32, {}};
  for (const std::int32_t algorithm : {1, 3, 4, 5, 6}) {
    openmpi::Invocation invocation;
    invocation.algorithm = algorithm;
    const Order order = *openmpi::order_of(openmpi::kMeasured, invocation, shape);
    EXPECT_EQ(folded(order, minimum, 3, contribution).result, evaluated(order, minimum, contribution)) << order.name;
  }
}

TEST(FoldedEvaluation, RefusesMoreProcessesThanRanks) {
  Post post;
  ThreadLink link(post, 0);
  const Order order = sequential({2, 1, ElementType::float32, {}});
  EXPECT_THROW(evaluate_folded(order, float_sum(), 3, 0, contribution_of(ElementType::float32), link, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace petri::order
