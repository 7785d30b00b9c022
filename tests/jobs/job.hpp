// Large realistic jobs, made in memory: what a recorder would have of real programs at any number of ranks.
//
// They are deterministic: the same arguments give the same scenario on every machine. A job without a planted fault
// completes by the rules of MPI, under the strict assumption and in every order of its wildcards.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::jobs {

struct Job {
  Scenario scenario;
  // A communicator of all ranks, in the order of the world. All meet on it once in every step, in an allreduce of one
  // float32, when nothing of the step is pending: see meeting_of.
  std::int32_t wide = 0;
  std::int32_t steps = 0;
};

struct JobSize {
  std::int32_t world = 8;  // at least 4
  std::int32_t steps = 4;
  std::uint64_t seed = 1;  // of what differs from rank to rank: routed tokens, durations of tasks
};

// Tensor x pipeline x data parallel training: allreduces of each layer in the tensor group, a pipeline schedule in the
// pipeline group (after Megatron-LM's), bucketed gradients in the data group, tied embeddings between first and last
// stage, and the norm of all gradients on the world.
Job training_3d(const JobSize& size);              // one forward, one backward
Job training_3d_interleaved(const JobSize& size);  // two model chunks on each stage
// Mixture of experts: tokens go to the ranks of their experts and back (alltoall of counts, alltoallv), gradients of
// experts in the groups that hold the same ones, the others' on the world.
Job moe(const JobSize& size);
// Sharded data parallelism (ZeRO, FSDP) in hybrid groups: weights of a layer are gathered one layer ahead, forwards and
// backwards, gradients reduced and scattered while the next layer computes.
Job sharded_dp(const JobSize& size);
// Stencil on a 3-D process grid: halos by nonblocking messages, every other step by shifts, a residual on all.
Job halo_3d(const JobSize& size);
// A master hands out tasks to whoever asks: it probes for any rank, and answers it. Legal: nothing but the source of a
// message depends on the order of arrival.
Job master_worker(const JobSize& size);

struct Generator {
  std::string_view name;
  Job (*make)(const JobSize&);
};

const std::vector<Generator>& generators();

// The index of a rank's event that is the meeting of all in a step. Throws std::out_of_range where there is none.
std::uint32_t meeting_of(const Job& job, std::int32_t rank, std::int32_t step);

}  // namespace petri::jobs
