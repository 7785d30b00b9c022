#include "harness/export/c_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/export/programs.hpp"
#include "tests/trace/text.hpp"

namespace petri {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string exported(const std::string& lines) {
  return c_program(test::read_text(lines));
}

std::string rejected(const std::string& event) {
  return test::refusal_of([&] { exported("{\"petri\":1,\"world\":2}\n" + event + "\n{\"end\":true}\n"); });
}

// Ranks 1 and 3 of a job, with a communicator whose creation was shrunk away.
const char* const kSwap =
    R"({"petri":1,"job":"swap","world":3,"origin":{"source":"big.jsonl","digest":"xxh3-128:00","ranks":[4,17,42]},"expect":{"verdict":"deadlock","signature":"deadlock/7"}}
{"comm":"dp0","ranks":[0,1]}
{"rank":0,"op":"allreduce","comm":"dp0","count":4,"dtype":"float32","reduce":"sum","step":7,"site":"train.cpp:41"}
{"rank":0,"op":"barrier","comm":"dp0","step":7}
{"rank":1,"op":"barrier","comm":"dp0","step":7}
{"rank":1,"op":"allreduce","comm":"dp0","count":4,"dtype":"float32","reduce":"sum","step":7}
{"rank":2,"op":"irecv","peer":"any","tag":7,"count":1,"dtype":"int32","request":40}
{"rank":2,"op":"test","request":40,"flag":0,"polls":4000}
{"rank":0,"end":"running"}
{"rank":1,"end":"running"}
{"rank":2,"end":"running"}
{"end":true}
)";

TEST(CProgram, IsTheGoldenOne) {
  EXPECT_EQ(exported(kSwap), test::golden("swap.c"));
}

TEST(CProgram, BeginsWhereAllRecordsOfAGroupBegin) {
  const std::string text = exported(R"({"petri":1,"world":3}
{"comm":"dp","ranks":[0,1]}
{"comm":"sub","ranks":[0,1],"parent":"dp"}
{"rank":0,"op":"comm_split","comm":"dp","new":"sub","color":0,"state":"completed"}
{"rank":0,"op":"allreduce","comm":"sub","count":1,"dtype":"int8","state":"scheduled"}
{"rank":0,"op":"barrier","state":"scheduled"}
{"rank":1,"op":"bcast","comm":"sub","root":0,"count":1,"dtype":"int8","state":"scheduled"}
{"rank":0,"end":"running","dropped":6,"joined":{"dp":6}}
{"rank":1,"end":"running","dropped":7,"joined":{"dp":7}}
{"rank":2,"end":"missing"}
{"end":true}
)");
  EXPECT_THAT(text, HasSubstr(" *            left out: 1 call that the records of other members show as over\n"));
  EXPECT_THAT(text, Not(HasSubstr("MPI_Comm_split(")));
  EXPECT_THAT(text, HasSubstr("comm_2_sub = made_of(2, comm_2_sub_ranks"));
  EXPECT_THAT(text, HasSubstr("static void role_0(void) {\n  MPI_Allreduce("));
  EXPECT_THAT(text, HasSubstr("static void role_1(void) {\n  MPI_Bcast("));
}

TEST(CProgram, TakesRankZeroForARootThatIsNotRecorded) {
  const std::string text = exported(
      "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"bcast\",\"count\":1,\"dtype\":\"int32\",\"state\":\"started\"}\n"
      "{\"end\":true}\n");
  EXPECT_THAT(text, HasSubstr("MPI_Bcast(in(1, MPI_INT32_T), 1, MPI_INT32_T, 0, MPI_COMM_WORLD);  /* root not "
                              "recorded: 0 */"));
}

TEST(CProgram, SaysOnceWhatNeitherSideOfACallHasRecorded) {
  const std::string text = exported(
      "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"gather\",\"dtype\":\"int32\",\"recvtype\":\"uint32\"}\n"
      "{\"end\":true}\n");
  EXPECT_THAT(text, HasSubstr("MPI_COMM_WORLD);  /* count not recorded: 1, root not recorded: 0 */\n"));
}

TEST(CProgram, SharesAFunctionAmongRanksThatDoTheSame) {
  const std::string text = exported(
      "{\"petri\":1,\"world\":3}\n{\"rank\":0,\"op\":\"barrier\",\"step\":1}\n{\"rank\":1,\"op\":\"barrier\",\"step\":"
      "2}\n{\"end\":true}\n");
  EXPECT_THAT(text, HasSubstr("/* Ranks 0,1 */\nstatic void role_0(void) {\n  MPI_Barrier(MPI_COMM_WORLD);"));
  EXPECT_THAT(text, HasSubstr("/* Rank 2 */\nstatic void role_1(void) {\n  MPI_Finalize();"));
}

TEST(CProgram, KeepsScenarioTextInsideItsComments) {
  const std::string text = exported(R"({"petri":1,"world":1,"job":"*/ int x; /* \\","origin":{"source":"a\nb??/"}})"
                                    "\n"
                                    R"({"comm":"*/;\"%\\","ranks":[0]})"
                                    "\n"
                                    R"({"rank":0,"op":"barrier","comm":"*/;\"%\\","site":"*/ abort(); /*\n#error"})"
                                    "\n{\"end\":true}\n");
  EXPECT_THAT(text, HasSubstr("_/ abort(); /__#error */"));
  EXPECT_THAT(text, Not(HasSubstr("\n#error")));
  EXPECT_THAT(text, Not(HasSubstr("*/ int")));
  EXPECT_THAT(text, Not(HasSubstr("??")));
  EXPECT_THAT(text, HasSubstr("static MPI_Comm comm_1 = MPI_COMM_NULL;"));
}

TEST(CProgram, ReplaysAPollLoopOnlyWhereThePollSucceededOrTheRecordEnds) {
  const std::string text = exported(R"({"petri":1,"world":1}
{"rank":0,"op":"irecv","peer":0,"request":0}
{"rank":0,"op":"test","request":0,"flag":0}
{"rank":0,"op":"test","request":0,"flag":1}
{"rank":0,"op":"iprobe","peer":0,"flag":0,"polls":9}
{"rank":0,"end":"running"}
{"end":true}
)");
  EXPECT_THAT(text, HasSubstr("  MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);\n"
                              "  do MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE); while (!flag);\n"
                              "  do MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); while (!flag);"));
}

TEST(CProgram, LetsAThreadWaitForWhatAnotherMade) {
  const std::string text = exported(R"({"petri":1,"world":1}
{"rank":0,"op":"irecv","peer":0,"tag":1,"count":1,"dtype":"int32","request":7}
{"rank":0,"op":"wait","request":7,"thread":2}
{"rank":0,"op":"send","peer":0,"tag":1,"count":1,"dtype":"int32","thread":1}
{"end":true}
)");
  EXPECT_THAT(text, HasSubstr("static MPI_Request request[1];\nstatic int told[1];\n"));
  EXPECT_THAT(text, HasSubstr("static void *role_0_thread_2(void *unused) {\n  (void)unused;\n  await(0);\n"
                              "  MPI_Wait(&request[0], MPI_STATUS_IGNORE);\n  return NULL;\n}"));
  EXPECT_THAT(text, HasSubstr("  pthread_create(&thread[1], NULL, role_0_thread_2, NULL);\n"
                              "  MPI_Irecv(room(1, MPI_INT32_T), 1, MPI_INT32_T, 0, 1, MPI_COMM_WORLD, &request[0]);\n"
                              "  tell(0);\n  pthread_join(thread[0], NULL);\n  pthread_join(thread[1], NULL);\n"
                              "  MPI_Finalize();\n"));
}

TEST(CProgram, RefusesWhatItCannotExpress) {
  EXPECT_EQ(rejected(R"({"rank":1,"seq":7,"op":"win_fence","state":"completed"})"),
            "scenario: rank 1, event 7: win_fence names no window");
  EXPECT_THAT(rejected(R"({"rank":0,"op":"group_start"})"), HasSubstr("group_start cannot be written: it is NCCL's"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"stream_sync","device":0,"stream":"s"})"),
              HasSubstr("stream_sync cannot be written: it is work of a device"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"barrier","device":0,"stream":"s"})"), HasSubstr("it is work of a device"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"comm_spawn","root":0,"new":"c"})"),
              HasSubstr("comm_spawn cannot be written: all processes of the program start together"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"neighbor_alltoall"})"), HasSubstr("no event makes the topology"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"cart_create","new":"c"})"),
              HasSubstr("cart_create cannot be written: the extents of its grid are not known"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"intercomm_create","root":0,"new":"c"})"),
              HasSubstr("where its remote leader is, is not known"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"send","state":"completed"})"), HasSubstr("names no peer"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"wait","state":"completed"})"), HasSubstr("names no request"));
  EXPECT_THAT(rejected(R"({"comm":"i","ranks":[0],"remote":[1]}
{"rank":0,"op":"bcast","comm":"i","count":1,"state":"started"})"),
              HasSubstr("bcast names no root, nor on which side it is"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"allreduce","count":3000000000,"dtype":"int8"})"),
              HasSubstr("count of 3000000000"));
  EXPECT_THAT(rejected(R"({"rank":0,"op":"alltoallv","counts":[1],"dtype":"int8"})"),
              HasSubstr("1 counts for 2 members"));
}

TEST(CProgram, RefusesACommunicatorThatItCannotMake) {
  EXPECT_THROW(exported(R"({"petri":1,"world":2}
{"comm":"inter","ranks":"unknown"}
{"rank":0,"op":"barrier","comm":"inter"}
{"end":true}
)"),
               InputError);
}

}  // namespace
}  // namespace petri
