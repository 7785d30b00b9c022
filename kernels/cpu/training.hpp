// Gradients as a training has them: of a network with one hidden layer, by a forward and a backward pass in float32
// over generated samples. It is the network of tests/demo: 16 readings of a machine, of which one in eight is faulty.
//
// The vector that a rank contributes is that of its gradients at one step, batch after batch: the parameters are the
// same on all ranks, and the samples are the rank's own. Sums are made in one order, exponentials by additions,
// multiplications and divisions alone: the same numbers on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/payload.hpp"
#include "kernels/types/element_type.hpp"

namespace petri::kernels::training {

inline constexpr std::size_t kFeatures = 16, kHidden = 24, kBatch = 64;
inline constexpr float kFaultyWeight = 4;  // a faulty sample weighs as much as four good ones

// In the order in which a backward pass makes their gradients. The last weight of each unit is that of the constant 1.
struct Parameters {
  std::array<float, kHidden + 1> output{};
  std::array<std::array<float, kFeatures + 1>, kHidden> hidden{};
};
inline constexpr std::size_t kParameters = (kHidden + 1) + kHidden * (kFeatures + 1);

struct Sample {
  std::array<float, kFeatures> inputs{};
  float label = 0;  // 1: faulty
};
using Batch = std::array<Sample, kBatch>;

Parameters parameters_of(std::uint64_t seed);
Batch batch_of(std::uint64_t seed, std::int32_t rank, std::uint64_t number);

// Of the cross-entropy, summed over the batch.
Parameters gradient_of(const Parameters& parameters, const Batch& batch);

// Elements [first, first + count) of what a rank contributes, times `scale`, as write_payload writes numbers. Several
// threads may do so; each keeps the gradients that it made last.
void write_gradients(std::uint64_t seed, double scale, std::int32_t rank, ElementType type, std::uint64_t first,
                     std::size_t count, std::byte* out, ConversionLoss* loss = nullptr);

}  // namespace petri::kernels::training
