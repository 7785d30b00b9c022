// What a replay cannot perform is refused before anything starts: exit status 2, with the line and the reason.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Refused {
  const char* name;
  int line;            // on which what cannot be done stands, the header's being 1
  const char* reason;  // in the message
  std::vector<std::string> lines;
};

void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

std::vector<std::string> many_threads() {
  std::vector<std::string> lines;
  for (int thread = 0; thread < 64; ++thread)
    lines.push_back(R"({"rank":0,"op":"iprobe","peer":0,"flag":false,"thread":)" + std::to_string(thread) + "}");
  return lines;
}

// clang-format off
const std::vector<Refused> kRefused{
    {"Stream", 3, "a replay has no device streams",
     {R"({"rank":0,"op":"barrier"})", R"({"rank":0,"op":"stream_sync","stream":"s"})"}},
    {"Spawn", 2, "all processes of a replay start together", {R"({"rank":0,"op":"comm_spawn","root":0})"}},
    {"Accept", 2, "all processes of a replay start together", {R"({"rank":0,"op":"comm_accept","root":0})"}},
    {"FromGroups", 2, "from communicators only", {R"({"rank":0,"op":"intercomm_create_from_groups","ranks":[0]})"}},
    {"NcclGroup", 2, "it is NCCL's", {R"({"rank":0,"op":"group_start"})"}},
    {"UnknownMembers", 3, "the members of its communicator are not known",
     {R"({"comm":"c","ranks":"unknown"})", R"({"rank":0,"op":"barrier","comm":"c"})"}},
    {"Peer", 2, "its peer is not known", {R"({"rank":0,"op":"send","count":1,"state":"completed"})"}},
    {"Request", 2, "its request is not known", {R"({"rank":0,"op":"start","state":"completed"})"}},
    {"Window", 2, "its window is not known", {R"({"rank":0,"op":"put","target":0,"state":"completed"})"}},
    {"File", 2, "its file is not known", {R"({"rank":0,"op":"file_sync","state":"completed"})"}},
    {"Target", 3, "its target is not known",
     {R"({"rank":0,"op":"win_allocate","win":"w"})", R"({"rank":0,"op":"put","win":"w","count":1,"dtype":"int32","state":"completed"})"}},
    {"GridUnknown", 2, "the extents of its grid are not known", {R"({"rank":0,"op":"cart_create","state":"completed"})"}},
    {"GridEmpty", 2, "its grid has an extent below 1", {R"({"rank":0,"op":"cart_create","dims":[0],"periods":[0]})"}},
    {"GridReordered", 3, "another order",
     {R"({"comm":"c","ranks":[1,0]})", R"({"rank":0,"op":"cart_create","dims":[2],"periods":[0],"new":"c"})"}},
    {"PartOfNoGrid", 3, "which part of which grid it is, is not known",
     {R"({"comm":"c","ranks":[0]})", R"({"rank":0,"op":"cart_sub","new":"c","dims":[1],"periods":[0]})"}},
    {"TopologyBetweenGroups", 3, "it is made from an intercommunicator",
     {R"({"comm":"c","ranks":[0],"remote":[1]})",
      R"({"rank":0,"op":"dist_graph_create_adjacent","comm":"c","sources":[0],"destinations":[0]})"}},
    {"NoTopology", 2, "no event makes the topology of its communicator",
     {R"({"rank":0,"op":"neighbor_allgather","count":1,"dtype":"int32"})"}},
    {"RemoteLeader", 2, "where its remote leader is, is not known", {R"({"rank":0,"op":"intercomm_create","root":0,"state":"completed"})"}},
    {"SplitByHost", 3, "all ranks of a replay are on one",
     {R"({"comm":"c","ranks":[0]})", R"({"rank":0,"op":"comm_split_type","new":"c"})"}},
    {"NumpyPayload", 2, "a payload in a NumPy file cannot be replayed yet",
     {R"({"rank":0,"op":"bcast","root":0,"npy":"x.npy"})"}},
    {"Size", 2, "it moves more than the 1024 MiB",
     {R"({"rank":0,"op":"allgather","count":1000000000,"dtype":"float64"})"}},
    {"Threads", 65, "its rank has more than 63 threads", many_threads()},
    {"WindowTooLarge", 2, "window w: its accesses need more than the 1024 MiB",
     {R"({"rank":0,"op":"win_allocate","win":"w"})",
      R"({"rank":0,"op":"put","win":"w","target":0,"disp":9000000000000000,"count":1,"dtype":"int8"})"}},
    {"WindowOfNobody", 4, "window w: no event makes it",
     {R"({"comm":"c","ranks":[0]})", R"({"rank":0,"op":"comm_split","new":"c"})",
      R"({"rank":0,"op":"win_fence","comm":"c","win":"w"})"}},
    {"FileOfNobody", 4, "file f: no event opens it",
     {R"({"comm":"c","ranks":[0]})", R"({"rank":0,"op":"comm_split","new":"c"})",
      R"({"rank":0,"op":"file_sync","comm":"c","file":"f"})"}},
    {"FileOffset", 3, "an offset beyond 4 GiB",
     {R"({"rank":0,"op":"file_open","file":"f","mode":"create,rdwr"})",
      R"({"rank":0,"op":"file_set_size","file":"f","disp":9000000000000})"}},
    {"FilesTooLarge", 4, "that a replay allows",
     {R"({"rank":0,"op":"file_open","file":"f","mode":"create,rdwr"})",
      R"({"rank":0,"op":"file_preallocate","file":"f","disp":900000000})",
      R"({"rank":0,"op":"file_preallocate","file":"f","disp":900000000})"}},
};
// clang-format on

class Refusals : public ::testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameTheLineBeforeAnythingStarts) {
  const Refused& refused = GetParam();
  std::string text = "{\"petri\":1,\"world\":2}\n";
  std::size_t events = 0;
  for (const std::string& line : refused.lines) {
    text += line + "\n";
    events += line.starts_with(R"({"rank")") ? 1 : 0;
  }
  text += R"({"end":true,"events":)" + std::to_string(events) + "}\n";
  const Scratch scratch;
  scratch.write("refused.jsonl", text);
  const Ran ran = scratch.petri({"replay", "refused.jsonl"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("petri: refused.jsonl:" + std::to_string(refused.line) + ": "));
  EXPECT_THAT(ran.err, HasSubstr(refused.reason));
}

INSTANTIATE_TEST_SUITE_P(Reasons, Refusals, ::testing::ValuesIn(kRefused),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace petri::cli::testing
