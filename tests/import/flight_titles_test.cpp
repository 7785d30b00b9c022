// The titles of PyTorch's communication calls.
#include "harness/import/flight_titles.hpp"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(FlightTitles, NameOneOperationInAllItsVariants) {
  EXPECT_EQ(read_flight_title("nccl:all_reduce").op, Op::allreduce);
  EXPECT_EQ(read_flight_title("nccl:allreduce_coalesced").op, Op::allreduce);
  EXPECT_EQ(read_flight_title("nccl:all_reduce_sparse").op, Op::allreduce);
  EXPECT_EQ(read_flight_title("nccl:_all_gather_base").op, Op::allgather);
  EXPECT_EQ(read_flight_title("nccl:all_gather_into_tensor_coalesced").op, Op::allgather);
  EXPECT_EQ(read_flight_title("nccl:_reduce_scatter_base").op, Op::reduce_scatter_block);
  EXPECT_EQ(read_flight_title("nccl:reduce_scatter_tensor_coalesced").op, Op::reduce_scatter_block);
  EXPECT_EQ(read_flight_title("nccl:_broadcast_oop").op, Op::bcast);
  EXPECT_EQ(read_flight_title("nccl:_reduce_oop").op, Op::reduce);
  EXPECT_EQ(read_flight_title("nccl:all_to_all").op, Op::alltoall);
  EXPECT_EQ(read_flight_title("nccl:all_reduce_barrier").op, Op::barrier);
  EXPECT_EQ(read_flight_title("gloo:barrier").op, Op::barrier);
  EXPECT_EQ(read_flight_title("nccl:telepathy").op, std::nullopt);
}

TEST(FlightTitles, NameTheBackendAndThePeer) {
  const FlightTitle send = read_flight_title("nccl:send 0->3");
  EXPECT_EQ(send.backend, "nccl");
  EXPECT_EQ(send.op, Op::send);
  EXPECT_EQ(send.peer, 3);
  const FlightTitle recv = read_flight_title("xccl:recv 12<-7");
  EXPECT_EQ(recv.backend, "xccl");
  EXPECT_EQ(recv.op, Op::recv);
  EXPECT_EQ(recv.peer, 7);
  EXPECT_EQ(read_flight_title("gloo:recvAnySource").peer, kAny);
  EXPECT_EQ(read_flight_title("nccl2:recv 2<-?").peer, kAny);
  EXPECT_EQ(read_flight_title("all_reduce").backend, "");
}

TEST(FlightTitles, OfAMessageToNobodySayNothing) {
  EXPECT_EQ(read_flight_title("nccl:send").op, std::nullopt);
  EXPECT_EQ(read_flight_title("nccl:send 0->").op, std::nullopt);
  EXPECT_EQ(read_flight_title("nccl:recv 0<-x").op, std::nullopt);
  EXPECT_EQ(read_flight_title("nccl:send 0->-4").op, std::nullopt);
  EXPECT_EQ(read_flight_title("nccl:send 0->?").op, std::nullopt);
}

TEST(FlightTitles, TellWhoseMembersMayHavePartsOfDifferentSizes) {
  EXPECT_TRUE(read_flight_title("ncclx:all_gather_v").uneven);
  EXPECT_TRUE(read_flight_title("ncclx:reduce_scatter_v").uneven);
  EXPECT_TRUE(read_flight_title("ncclx:all_to_all_v_single").uneven);
  EXPECT_FALSE(read_flight_title("ncclx:all_gather_single").uneven);
}

TEST(FlightTitles, ThatEndALaunchSayNothingOfItsCalls) {
  const FlightTitle title = read_flight_title("nccl:coalesced");
  EXPECT_TRUE(title.coalesced);
  EXPECT_EQ(title.op, std::nullopt);
}

}  // namespace
}  // namespace petri
