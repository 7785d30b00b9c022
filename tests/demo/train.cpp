// Data-parallel training as many programs do it: each rank holds a shard of the samples, gradients are summed over all.
//
// It has a believable bug. A batch without a faulty sample says nothing about the rare class, so its rank lets the
// others catch up before it goes on. But only that rank knows: its extra barrier meets the others' next reduction, and
// the job hangs, hours into a real run, at a step that depends on the data. With --fixed the ranks decide together.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/demo/network.hpp"
#include "tests/demo/samples.hpp"

namespace {

using namespace demo;

struct Settings {
  bool fixed = false;
  int steps = 1500;
  int batch_size = 64;
  int shard_size = 256;
  int evaluate_every = 50;
  float learning_rate = 0.3F;
  float positive_weight = 4.0F;
  std::uint64_t seed = 20240611;
};

struct Ranks {
  int rank = 0, size = 1;
  MPI_Comm group = MPI_COMM_NULL;  // four neighbours, which add up their scores first
};

void add_over_ranks(Layer& gradient) {
  MPI_Allreduce(MPI_IN_PLACE, gradient.data(), static_cast<int>(gradient.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void share_parameters(Parameters& parameters) {
  for (Layer* layer : {&parameters.hidden, &parameters.output})
    MPI_Bcast(layer->data(), static_cast<int>(layer->size()), MPI_FLOAT, 0, MPI_COMM_WORLD);
}

// Ranks may drift apart by a few steps where the loader is slow; a rank without any faulty sample waits for the others.
void resynchronize_if_needed(const Samples& batch, const Settings& settings) {
  int without_fault = batch.positives() == 0 ? 1 : 0;
  if (settings.fixed)
    MPI_Allreduce(MPI_IN_PLACE, &without_fault, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);  // all decide alike
  if (without_fault != 0) MPI_Barrier(MPI_COMM_WORLD);
}

float train_step(Parameters& parameters, const Samples& batch, const Settings& settings, const Ranks& ranks) {
  Loss loss = loss_of(parameters, batch, settings.positive_weight);
  const float samples = static_cast<float>(settings.batch_size * ranks.size);
  add_over_ranks(loss.gradient.output);  // in the order in which the backward pass makes them
  add_over_ranks(loss.gradient.hidden);
  parameters.output -= settings.learning_rate / samples * loss.gradient.output;
  parameters.hidden -= settings.learning_rate / samples * loss.gradient.hidden;
  MPI_Allreduce(MPI_IN_PLACE, &loss.sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return loss.sum / samples;
}

void evaluate(const Parameters& parameters, const Samples& shard, int step, float loss, const Ranks& ranks) {
  std::array<long, 2> score{right_answers(parameters, shard), shard.size()};
  std::array<long, 2> of_group{};
  MPI_Reduce(score.data(), of_group.data(), 2, MPI_LONG, MPI_SUM, 0, ranks.group);
  std::array<long, 2> of_all{};
  MPI_Reduce(of_group.data(), of_all.data(), 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (ranks.rank == 0) {
    const double right = 100.0 * static_cast<double>(of_all[0]) / static_cast<double>(of_all[1]);
    std::printf("step %4d  loss %.4f  right %.1f %%\n", step, static_cast<double>(loss), right);
    std::fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void train(const Settings& settings, const Ranks& ranks) {
  const Samples shard = make_shard(settings.seed, ranks.rank, settings.shard_size);
  Batches batches(shard, settings.batch_size, settings.seed + 7919ULL * static_cast<std::uint64_t>(ranks.rank));
  Parameters parameters = random_parameters(settings.seed + static_cast<std::uint64_t>(ranks.rank));
  share_parameters(parameters);
  for (int step = 1; step <= settings.steps; ++step) {
    const Samples batch = batches.next();
    resynchronize_if_needed(batch, settings);
    const float loss = train_step(parameters, batch, settings, ranks);
    if (step % settings.evaluate_every == 0) evaluate(parameters, shard, step, loss, ranks);
  }
}

Settings settings_from(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--fixed") settings.fixed = true;
    if (argument == "--steps" && i + 1 < argc) settings.steps = std::atoi(argv[++i]);
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  MPI_Comm_split(MPI_COMM_WORLD, ranks.rank / 4, ranks.rank, &ranks.group);
  train(settings_from(argc, argv), ranks);
  MPI_Comm_free(&ranks.group);
  MPI_Finalize();
  return 0;
}
