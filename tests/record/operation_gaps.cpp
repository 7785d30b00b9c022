#include "tests/record/operation_gaps.hpp"

namespace petri::test {
namespace {

#ifdef PETRI_MPI_4
constexpr bool kMpi4 = true;
#else
constexpr bool kMpi4 = false;
#endif

void add_version_gaps(std::vector<Gap>& gaps) {
  if (kMpi4) return;
  gaps.push_back({{Op::isendrecv, Op::isendrecv_replace, Op::psend_init, Op::precv_init, Op::pready, Op::pready_range,
                   Op::pready_list, Op::parrived, Op::comm_idup_with_info, Op::comm_create_from_group},
                  {kInC, kInFortran, kReplayed},
                  "came with MPI 4.0"});
  gaps.push_back({{Op::intercomm_create_from_groups}, {kInC, kInFortran}, "came with MPI 4.0"});
}

}  // namespace

std::vector<Gap> known_gaps() {
  std::vector<Gap> gaps = {
      {{Op::startall}, {kInC, kInFortran}, "recorded as one start for each request"},
      {{Op::abort}, {kReplayed}, "ends the job: tested by itself"},
      {{Op::comm_spawn, Op::comm_spawn_multiple},
       {kModelled, kReplayed},
       "the processes that it makes are in no record of this job"},
      {{Op::comm_accept, Op::comm_connect}, {kModelled, kReplayed}, "the other side may be in no record of this job"},
      {{Op::intercomm_create_from_groups}, {kModelled, kReplayed}, "the other group's members stand in no event"},
  };
  add_version_gaps(gaps);
  return gaps;
}

}  // namespace petri::test
