#include "kernels/cpu/training.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/payload.hpp"
#include "kernels/types/generator.hpp"

namespace petri::kernels::training {
namespace {

// Labels and parameters have streams of numbers that are no rank's.
constexpr std::uint64_t kLabels = 0x6c6162656c73, kWeights = 0x77656967687473;
constexpr std::uint64_t kNumbersOfSample = kFeatures + 2;
constexpr std::size_t kMostKept = 4096;  // gradients, some megabytes

float normal(std::uint64_t seed, std::int32_t rank, std::uint64_t index) {
  return static_cast<float>(value_of(Generator::normal, seed, 1, rank, index));
}

// 1/n!
constexpr auto kTerms = [] {
  std::array<double, 17> terms{1};
  for (std::size_t n = 1; n < terms.size(); ++n) terms[n] = terms[n - 1] / static_cast<double>(n);
  return terms;
}();

// Libraries' exponentials differ in the last bit. This one is within some units of it, by operations that do not.
double exponential(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  x = std::clamp(x, -700.0, 700.0);
  const double power = std::floor(x / kLn2 + 0.5), rest = x - power * kLn2;
  double sum = 0;
  for (std::size_t n = kTerms.size(); n-- > 0;) sum = sum * rest + kTerms[n];
  return std::ldexp(sum, static_cast<int>(power));
}

float tanh_of(float x) {
  return static_cast<float>(1 - 2 / (exponential(2 * static_cast<double>(x)) + 1));
}

float sigmoid_of(float x) {
  return static_cast<float>(1 / (1 + exponential(-static_cast<double>(x))));
}

// What a sample adds to the gradient.
void add_sample(const Parameters& parameters, const Sample& sample, Parameters& gradient) {
  std::array<float, kHidden> active{};
  float logit = parameters.output[kHidden];
  for (std::size_t unit = 0; unit < kHidden; ++unit) {
    float sum = parameters.hidden[unit][kFeatures];
    for (std::size_t f = 0; f < kFeatures; ++f) sum += parameters.hidden[unit][f] * sample.inputs[f];
    active[unit] = tanh_of(sum);
    logit += parameters.output[unit] * active[unit];
  }
  const float weight = sample.label > 0 ? kFaultyWeight : 1;
  const float at_output = weight * (sigmoid_of(logit) - sample.label);
  for (std::size_t unit = 0; unit < kHidden; ++unit) {
    gradient.output[unit] += at_output * active[unit];
    const float at_unit = at_output * parameters.output[unit] * (1 - active[unit] * active[unit]);
    for (std::size_t f = 0; f < kFeatures; ++f) gradient.hidden[unit][f] += at_unit * sample.inputs[f];
    gradient.hidden[unit][kFeatures] += at_unit;
  }
  gradient.output[kHidden] += at_output;
}

using Flat = std::array<float, kParameters>;

Flat flat(const Parameters& parameters) {
  Flat all{};
  auto to = std::copy(parameters.output.begin(), parameters.output.end(), all.begin());
  for (const auto& unit : parameters.hidden) to = std::copy(unit.begin(), unit.end(), to);
  return all;
}

// Gradients of one training, the last one of each rank: neighbouring pieces of a vector share a batch.
class Kept {
 public:
  const Flat& gradient(std::uint64_t seed, std::int32_t rank, std::uint64_t batch) {
    if (seed != seed_ || last_.empty() || last_.size() >= kMostKept) {
      if (seed != seed_ || last_.empty()) parameters_ = parameters_of(seed);
      seed_ = seed;
      last_.clear();
    }
    const auto [place, is_new] = last_.try_emplace(rank);
    if (is_new || place->second.batch != batch)
      place->second = {batch, flat(gradient_of(parameters_, batch_of(seed, rank, batch)))};
    return place->second.gradient;
  }

 private:
  struct Last {
    std::uint64_t batch = 0;
    Flat gradient{};
  };
  std::uint64_t seed_ = 0;
  Parameters parameters_;
  std::unordered_map<std::int32_t, Last> last_;
};

}  // namespace

Parameters parameters_of(std::uint64_t seed) {
  Parameters parameters;
  std::uint64_t index = 0;
  const auto draw = [&](float& weight) { weight = 0.3F * normal(seed ^ kWeights, 0, index++); };
  for (auto& unit : parameters.hidden) std::for_each(unit.begin(), unit.end(), draw);
  std::for_each(parameters.output.begin(), parameters.output.end(), draw);
  return parameters;
}

Batch batch_of(std::uint64_t seed, std::int32_t rank, std::uint64_t number) {
  Batch batch;
  std::uint64_t index = number * kBatch * kNumbersOfSample;
  for (Sample& sample : batch) {
    const bool faulty =
        value_of(Generator::uniform, seed ^ kLabels, 1, rank, index) < -0.75;  // one in eight of [-1, 1)
    sample.label = faulty ? 1 : 0;
    for (float& input : sample.inputs) input = normal(seed, rank, index++);
    // A fault shows in how two readings move together.
    if (faulty) sample.inputs[1] = sample.inputs[0] * 1.5F + 0.3F * normal(seed, rank, index);
    index += kNumbersOfSample - kFeatures;
  }
  return batch;
}

Parameters gradient_of(const Parameters& parameters, const Batch& batch) {
  Parameters gradient;
  for (const Sample& sample : batch) add_sample(parameters, sample, gradient);
  return gradient;
}

void write_gradients(std::uint64_t seed, double scale, std::int32_t rank, ElementType type, std::uint64_t first,
                     std::size_t count, std::byte* out, ConversionLoss* loss) {
  thread_local Kept kept;
  if (count == 0) return;
  Payload payload;
  payload.values.reserve(count);
  for (std::uint64_t at = first; at < first + count;) {
    const Flat& gradient = kept.gradient(seed, rank, at / kParameters);
    for (std::size_t i = at % kParameters; i < kParameters && at < first + count; ++i, ++at)
      payload.values.push_back(scale * static_cast<double>(gradient[i]));
  }
  write_payload(payload, rank, type, 0, count, out, loss);
}

}  // namespace petri::kernels::training
