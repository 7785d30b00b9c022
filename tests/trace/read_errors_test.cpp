// What the reader says of bad input: file, line, column, and what was expected there.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

constexpr const char* kHeader = R"({"petri":1,"world":4})";
constexpr const char* kPair = R"({"comm":"dp0","ranks":[0,2]})";

struct BadInput {
  std::string name;
  std::string text;
  std::string message;  // without "case.jsonl:"
};

void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.name;
}

// Line 2 after a plain header.
BadInput second(std::string name, const std::string& line, const std::string& message) {
  return {std::move(name), kHeader + ("\n" + line + "\n"), "2:" + message};
}

// Line 3 after a header and a communicator of the ranks 0 and 2.
BadInput third(std::string name, const std::string& line, const std::string& message) {
  return {std::move(name), kHeader + ("\n" + std::string(kPair) + "\n" + line + "\n"), "3:" + message};
}

class ReadErrors : public testing::TestWithParam<BadInput> {};

TEST_P(ReadErrors, NameThePlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text), "case.jsonl:" + GetParam().message);
}

std::string name_of_case(const testing::TestParamInfo<BadInput>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Header, ReadErrors,
    testing::Values(
        BadInput{"EmptyFile", "", R"(1:1: expected a header such as {"petri":1,"world":2}, but the file is empty)"},
        BadInput{"Noise", std::string("\x7f\x45LF\0\0\xff", 7),
                 R"(1:1: expected a header such as {"petri":1,"world":2}: broken JSON: invalid literal)"},
        BadInput{"NoHeader", R"({"rank":0,"op":"barrier"})",
                 R"(1:1: expected a header such as {"petri":1,"world":2}: the key "petri" is missing)"},
        BadInput{"Array", "[1,2]\n", R"(1:1: expected a header such as {"petri":1,"world":2})"},
        BadInput{
            "HalfHeader", R"({"petri":1,"wor)",
            R"(1:16: expected a header such as {"petri":1,"world":2}: broken JSON: invalid string: missing closing quote; expected string literal)"},
        BadInput{"OtherVersion", R"({"petri":2,"world":4})",
                 R"(1:10: format version 2 is unknown; this petri reads version 1)"},
        BadInput{"NoWorld", R"({"petri":1})",
                 R"(1:1: expected the header to say how many ranks there are: "world" is missing)"},
        BadInput{"WorldOfNone", R"({"petri":1,"world":0})",
                 R"(1:20: "world" must be a whole number from 1 to 1048576, got 0)"},
        BadInput{"WorldTooLarge", R"({"petri":1,"world":1048577})",
                 R"(1:20: "world" must be a whole number from 1 to 1048576, got 1048577)"},
        BadInput{"UnknownKey", R"({"petri":1,"wrold":4})",
                 R"(1:12: expected a known key, got "wrold"; did you mean "world"?)"},
        BadInput{"FewHosts", R"({"petri":1,"world":4,"hosts":["a"]})",
                 R"(1:30: "hosts" must have one entry for each of the 4 ranks, got 1)"},
        BadInput{"ManyDevices", R"({"petri":1,"devices":["a","b"],"world":1})",
                 R"(1:22: "devices" must have one entry for each of the 1 rank, got 2)"},
        BadInput{"OriginOfFewRanks", R"({"petri":1,"world":4,"origin":{"ranks":[1]}})",
                 R"(1:31: "ranks" must have one entry for each of the 4 ranks, got 1)"},
        BadInput{"UnknownVerdict", R"({"petri":1,"world":4,"expect":{"verdict":"deadlok"}})",
                 R"(1:42: "verdict" must be a known verdict (did you mean "deadlock"?), got "deadlok")"},
        BadInput{"ExpectWord", R"({"petri":1,"world":4,"expect":"gone"})",
                 R"(1:31: "expect" must be an object or "absent", got "gone")"},
        BadInput{"EnvironmentOfNumbers", R"({"petri":1,"world":4,"environment":{"A":1}})",
                 R"(1:41: "A" must be text, got 1)"},
        BadInput{"EnvironmentTwice", R"({"petri":1,"world":4,"environment":{"A":"1","A":"2"}})",
                 R"(1:45: expected each key once, got "A" again)"},
        BadInput{"NothingElse",
                 R"({"petri":1,"world":10000})"
                 "\n",
                 R"(1: the file has a header for 10000 ranks and nothing else: expected events and an end line)"},
        BadInput{"NothingButHalfALine",
                 R"({"petri":1,"world":10000})"
                 "\n{\"rank\":",
                 R"(2: the file has a header for 10000 ranks and nothing else: expected events and an end line)"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Lines, ReadErrors,
    testing::Values(
        second("SecondHeader", kHeader, R"(1: expected no second header)"),
        second("NotJson", "rank 0 op barrier", R"(1: broken JSON: invalid literal)"),
        second("TwoObjects", R"({"rank":0,"op":"barrier"}{"rank":0,"op":"barrier"})",
               R"(26: broken JSON: unexpected '{'; expected end of input)"),
        second("TextBehind", R"({"rank":0,"op":"barrier"} x)",
               R"(27: broken JSON: invalid literal; expected end of input)"),
        second("NoColon", R"({"rank" 0,"op":"barrier"})", R"(9: broken JSON: unexpected number literal; expected ':')"),
        second("InvalidUtf8", "{\"rank\":0,\"op\":\"barrier\",\"site\":\"\xff\"}",
               R"(34: broken JSON: invalid string: ill-formed UTF-8 byte)"),
        second("BadEscape", R"({"rank":0,"op":"barrier","site":"\q"})",
               R"(35: broken JSON: invalid string: forbidden character after backslash)"),
        second("ControlCharacter", "{\"rank\":0,\"op\":\"barrier\",\"site\":\"\x01\"}",
               R"(34: broken JSON: invalid string: control character U+0001 (SOH) must be escaped to \u0001)"),
        second("NeitherEventNorEnd", R"({"label":"x"})",
               R"(1: expected an event ("rank" and "op"), a communicator ("comm" and "ranks") or an end line ("end"))"),
        second("BadFreeValue", R"({"rank":0,"op":"barrier","x_a":[1 2]})",
               R"(35: broken JSON: unexpected number literal; expected ']')"),
        second("DeepFreeValue",
               R"({"rank":0,"op":"barrier","x_a":)" + std::string(100, '[') + std::string(100, ']') + "}",
               R"(96: nested deeper than 64 levels)"),
        second("FreeKeyTwice", R"({"rank":0,"op":"barrier","x_a":1,"x_a":2})",
               R"(34: expected each key once, got "x_a" again)"),
        BadInput{"BrokenInside", std::string(kHeader) + "\n{\"rank\":0,\n{\"rank\":1,\"op\":\"barrier\"}\n",
                 R"(2:11: broken JSON: unexpected end of input; expected string literal)"},
        BadInput{"BehindTheEnd",
                 std::string(kHeader) + "\n{\"end\":true,\"events\":0}\n\n{\"rank\":0,\"op\":\"barrier\"}\n",
                 R"(4:1: expected nothing after the end line)"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Communicators, ReadErrors,
    testing::Values(second("NoMembersKey", R"({"comm":"a"})",
                           R"(1: expected the members of the communicator: "ranks" is missing)"),
                    second("NoMember", R"({"comm":"a","ranks":[]})",
                           R"(21: a communicator must have a member, got an empty "ranks")"),
                    second("MemberTwice", R"({"comm":"a","ranks":[1,0,1]})",
                           R"(21: "ranks" must name each rank once, got 1 twice)"),
                    second("MemberOutside", R"({"comm":"a","ranks":[1,4]})",
                           R"(24: "ranks" must be a whole number from 0 to 3, got 4)"),
                    second("World", R"({"comm":"world","ranks":[0]})",
                           R"(9: the communicator "world" is already declared: it is implied)"),
                    second("NoName", R"({"comm":"","ranks":[0]})", R"(9: "comm" must be a name, got "")"),
                    second("NameIsNumber", R"({"comm":1,"ranks":[0]})", R"(9: "comm" must be text, got 1)"),
                    third("Again", kPair, R"(9: the communicator "dp0" is already declared)"),
                    second("MemberOfBothGroups", R"({"comm":"i","ranks":[0,1],"remote":[1,2]})",
                           R"(21: "ranks" and "remote" must name each rank once, got 1 twice)"),
                    third("MisspeltKey", R"({"comm":"b","ranks":[0],"lable":"x"})",
                          R"(25: expected a known key, got "lable"; did you mean "label"?)"),
                    BadInput{"AfterEvents", std::string(kHeader) + "\n{\"rank\":0,\"op\":\"barrier\"}\n" + kPair,
                             R"(3:1: expected communicators before the first event)"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Events, ReadErrors,
    testing::Values(
        second("UnknownRank", R"({"rank":4,"op":"barrier"})", R"(9: "rank" must be less than the world of 4, got 4)"),
        second("NegativeRank", R"({"rank":-1,"op":"barrier"})", R"(9: "rank" must be a whole number ≥ 0, got -1)"),
        second("NoRank", R"({"op":"barrier"})", R"(1: expected an event: "rank" is missing)"),
        second("NoOp", R"({"rank":0,"comm":"world"})", R"(1: expected an event: "op" is missing)"),
        second("UnknownOp", R"({"rank":0,"op":"allredcue"})",
               R"(16: "op" must be a known operation (did you mean "allreduce"?), got "allredcue")"),
        second("NoSuchOp", R"({"rank":0,"op":"teleportation"})",
               R"(16: "op" must be a known operation, got "teleportation")"),
        second("UnknownLock", R"({"rank":0,"op":"win_lock","win":"w","target":1,"lock":"sharde"})",
               R"(55: "lock" must be a known lock (did you mean "shared"?), got "sharde")"),
        second("HalfBuffer", R"({"rank":0,"op":"isend","sendbuffer":[4096]})",
               R"(37: "sendbuffer" must be an address and a number of bytes, got an array)"),
        second("UnknownKey", R"({"rank":0,"op":"barrier","cuont":1})",
               R"(26: expected a known key, got "cuont"; did you mean "count"?)"),
        second("KeyOfAnotherLine", R"({"rank":0,"op":"barrier","hosts":["a"]})",
               R"(26: expected a known key, got "hosts" here)"),
        second("KeyTwice", R"({"rank":0,"op":"barrier","rank":0})", R"(26: expected each key once, got "rank" again)"),
        second("NegativeCount", R"({"rank":0,"op":"bcast","count":-3})",
               R"(32: "count" must be a whole number ≥ 0, got -3)"),
        second("CountIsText", R"({"rank":0,"op":"bcast","count":"3"})",
               R"(32: "count" must be a whole number ≥ 0, got "3")"),
        second("CountIsFraction", R"({"rank":0,"op":"bcast","count":1.5})",
               R"(32: "count" must be a whole number ≥ 0, got 1.5)"),
        second("CountTooLarge", R"({"rank":0,"op":"bcast","count":9223372036854775808})",
               R"(32: "count" must be a whole number ≥ 0, got 9223372036854775808)"),
        second("NegativeCounts", R"({"rank":0,"op":"alltoallv","counts":[1,-1]})",
               R"(40: "counts" must be a whole number ≥ 0, got -1)"),
        second("UnknownType", R"({"rank":0,"op":"bcast","dtype":"flaot32"})",
               R"(32: "dtype" must be a known element type (did you mean "float32"?), got "flaot32")"),
        second("UnknownReduction", R"({"rank":0,"op":"allreduce","reduce":"summ"})",
               R"(37: "reduce" must be a known reduction (did you mean "sum"?), got "summ")"),
        second("UnknownState", R"({"rank":0,"op":"barrier","state":"done"})",
               R"(34: "state" must be a known state, got "done")"),
        second("NegativeTag", R"({"rank":0,"op":"recv","peer":1,"tag":-1})",
               R"(38: "tag" must be a whole number ≥ 0 or "any", got -1)"),
        second("TagWord", R"({"rank":0,"op":"recv","peer":1,"tag":"all"})",
               R"(38: "tag" must be a whole number ≥ 0 or "any", got "all")"),
        second("SendToAny", R"({"rank":0,"op":"send","peer":"any"})", R"(30: "peer" cannot be "any" in a send)"),
        second("SendAnyTag", R"({"rank":0,"op":"sendrecv","peer":1,"sendtag":"any"})",
               R"(46: "sendtag" cannot be "any" in a send)"),
        second("RequestTooLarge", R"({"rank":0,"op":"wait","request":4294967295})",
               R"(33: "request" must be a whole number from 0 to 4294967294, got 4294967295)"),
        second("RequestsNegative", R"({"rank":0,"op":"waitall","requests":[0,-1]})",
               R"(40: "requests" must be a whole number ≥ 0, got -1)"),
        second("FlagOfTwo", R"({"rank":0,"op":"test","flag":2})",
               R"(30: "flag" must be a whole number from 0 to 1, got 2)"),
        second(
            "ValuesThatADoubleRounds",
            R"({"rank":0,"op":"bcast","count":1,"dtype":"int64","values":[9007199254740993]})",
            R"(59: "values" of int64 must be whole numbers from -9007199254740991 to 9007199254740991, got 9007199254740992)"),
        second("ValuesThatAnIntegerIsNot", R"({"rank":0,"op":"bcast","count":1,"dtype":"int32","values":["nan"]})",
               R"(59: "values" of int32 must be whole numbers from -2147483648 to 2147483647, got nan)"),
        second("ValuesWithAFraction", R"({"rank":0,"op":"bcast","count":2,"dtype":"int32","values":[1,1.5]})",
               R"(59: "values" of int32 must be whole numbers from -2147483648 to 2147483647, got 1.5)"),
        second("ValuesBeyondTheType", R"({"rank":0,"op":"bcast","count":2,"dtype":"uint8","values":[255,256]})",
               R"(59: "values" of uint8 must be whole numbers from 0 to 255, got 256)"),
        second("ValuesBelowTheType", R"({"rank":0,"op":"bcast","count":2,"dtype":"int8","values":[-128,-129]})",
               R"(58: "values" of int8 must be whole numbers from -128 to 127, got -129)"),
        second("NpyWithoutName", R"({"rank":0,"op":"bcast","npy":""})",
               R"(30: "npy" must be the name of a file, without NUL, got "")"),
        second("NpyWithNul", R"({"rank":0,"op":"bcast","npy":"x.npy\u0000y"})",
               R"(30: "npy" must be the name of a file, without NUL, got "x.npy\u0000y")"),
        second("ValuesOfWords", R"({"rank":0,"op":"bcast","values":[1,"one"]})",
               R"(36: "values" must be a number, "nan", "inf", "-inf" or "-0", got "one")"),
        second("TimeIsText", R"({"rank":0,"op":"bcast","time":"noon"})",
               R"(31: "time" must be a number, "nan", "inf", "-inf" or "-0", got "noon")"),
        second("SummaryIsText", R"({"rank":0,"op":"bcast","in":"x"})", R"(29: "in" must be an object, got "x")"),
        second("SummaryKey", R"({"rank":0,"op":"bcast","in":{"mean":1}})",
               R"(30: expected a known key, got "mean"; did you mean "min"?)"),
        second("PeerOutside", R"({"rank":0,"op":"send","peer":4})",
               R"(30: "peer" must be a group rank of "world", which has 4 ranks, got 4)"),
        second("UnknownComm", R"({"rank":0,"op":"barrier","comm":"wordl"})",
               R"(33: no communicator is called "wordl"; did you mean "world"?)"),
        third("RankIsNoMember", R"({"rank":1,"op":"barrier","comm":"dp0"})",
              R"(33: rank 1 is no member of the communicator "dp0")"),
        third("RootOutside", R"({"rank":0,"root":2,"op":"bcast","comm":"dp0"})",
              R"(18: "root" must be a group rank of "dp0", which has 2 ranks, got 2)"),
        third("MatchedOutside", R"({"rank":0,"op":"recv","peer":"any","matched":3,"comm":"dp0"})",
              R"(46: "matched" must be a group rank of "dp0", which has 2 ranks, got 3)"),
        third("TargetOutside", R"({"rank":0,"op":"put","target":2,"comm":"dp0","win":"w"})",
              R"(31: "target" must be a group rank of "dp0", which has 2 ranks, got 2)"),
        third("GroupOutside", R"({"rank":0,"op":"comm_create","ranks":[0,2],"comm":"dp0","new":"n"})",
              R"(38: "ranks" must be a group rank of "dp0", which has 2 ranks, got 2)"),
        third("GroupTwice", R"({"rank":0,"op":"comm_create","ranks":[1,1],"comm":"dp0","new":"n"})",
              R"(38: "ranks" must name each rank once, got 1 twice)"),
        second("NewIsWorld", R"({"rank":0,"op":"comm_dup","new":"world"})",
               R"(33: "new" must be the name of a new communicator, got "world")"),
        BadInput{"SeqFalls", std::string(kHeader) + R"(
{"rank":0,"op":"barrier","seq":5}
{"rank":0,"op":"barrier","seq":5})",
                 R"(3:32: "seq" must rise within rank 0, got 5 after 5)"},
        BadInput{"SeqIsMissing", std::string(kHeader) + R"(
{"rank":0,"op":"barrier","seq":5}
{"rank":0,"op":"barrier"})",
                 R"(3:9: "seq" must rise within rank 0, got 1 after 5 (without it, an event's position counts))"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Ends, ReadErrors,
    testing::Values(
        second("UnknownEnd", R"({"rank":0,"end":"finalised"})",
               R"(17: "end" must be a known end of a rank (did you mean "finalized"?), got "finalised")"),
        second("OfUnknownRank", R"({"rank":4,"end":"exited"})",
               R"(9: "rank" must be a whole number from 0 to 3, got 4)"),
        second("EndIsFalse", R"({"end":false})", R"(8: "end" must be true, got false)"),
        second("WrongCount", R"({"end":true,"events":3})", R"(22: the end line counts 3 events, but 0 were read)"),
        second("KeyOfAnEvent", R"({"rank":0,"end":"exited","count":1})",
               R"(26: expected a known key, got "count" here)"),
        BadInput{"EventBehind",
                 std::string(kHeader) + "\n{\"rank\":1,\"end\":\"exited\"}\n{\"rank\":1,\"op\":\"barrier\"}\n",
                 R"(3:9: rank 1 has ended: no event of it may follow)"},
        BadInput{"EndTwice",
                 std::string(kHeader) + "\n{\"rank\":1,\"end\":\"exited\"}\n{\"rank\":1,\"end\":\"exited\"}\n",
                 R"(3:9: rank 1 has already ended)"}),
    name_of_case);

// Which keys stand with an operation: op_keys.inc. The schema test holds the rest of the table.
INSTANTIATE_TEST_SUITE_P(
    Keys, ReadErrors,
    testing::Values(
        second("LockWithoutLock", R"({"rank":0,"op":"win_lock","win":"w","target":1})",
               R"(1: win_lock needs "lock", which is missing)"),
        second("LockWithoutTarget", R"({"rank":0,"op":"win_lock","win":"w","lock":"shared"})",
               R"(1: win_lock needs "target", which is missing)"),
        second("PostWithoutGroup", R"({"rank":0,"op":"win_post","win":"w"})",
               R"(1: win_post needs "ranks", which is missing)"),
        second("PutWithoutTarget", R"({"rank":0,"op":"put","win":"w"})", R"(1: put needs "target", which is missing)"),
        second("PutWithoutWindow", R"({"rank":0,"op":"put","target":1})", R"(1: put needs "win", which is missing)"),
        second("FenceWithoutWindow", R"({"rank":0,"op":"win_fence"})", R"(1: win_fence needs "win", which is missing)"),
        second("ReadyWithoutPartition", R"({"rank":0,"op":"pready","request":1})",
               R"(1: pready needs "index", which is missing)"),
        second("RangeOfOnePartition", R"({"rank":0,"op":"pready_range","request":1,"index":0})",
               R"(51: "index" is no argument of pready_range, which needs "indices")"),
        second("ArrivedWithoutRequest", R"({"rank":0,"op":"parrived","index":0})",
               R"(1: parrived needs "request", which is missing)"),
        second("RecordOfNoEvent", R"({"rank":0,"op":"event_record","stream":"s"})",
               R"(1: event_record needs "event", which is missing)"),
        second("CloseOfNoFile", R"({"rank":0,"op":"file_close"})", R"(1: file_close needs "file", which is missing)"),
        second("WaitForNothing", R"({"rank":0,"op":"wait"})", R"(1: wait needs "request", which is missing)"),
        second("WaitallForOne", R"({"rank":0,"op":"waitall","request":1})",
               R"(36: "request" is no argument of waitall, which needs "requests")"),
        second("SendToNobody", R"({"rank":0,"op":"send","count":1})", R"(1: send needs "peer", which is missing)"),
        second("HalfAnExchange", R"({"rank":0,"op":"sendrecv","sendpeer":1})",
               R"(1: sendrecv needs "recvpeer" or "peer", which is missing)"),
        second("WindowOfABarrier", R"({"rank":0,"op":"barrier","win":"w"})", R"(32: "win" is no argument of barrier)"),
        second("RootOfAnAllreduce", R"({"rank":0,"op":"allreduce","root":0})",
               R"(35: "root" is no argument of allreduce)"),
        second("LockOfAPut", R"({"rank":0,"op":"put","win":"w","target":1,"lock":"shared"})",
               R"(50: "lock" is no argument of put)"),
        second("RequestOfASend", R"({"rank":0,"op":"send","peer":1,"request":3})",
               R"(42: "request" is no argument of send)")),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Values, ReadErrors,
    testing::Values(
        second("UnknownAssertion", R"({"rank":0,"op":"win_fence","win":"w","assert":"noput,nosuceed"})",
               R"(47: "assert" must be a known assertion (did you mean "nosucceed"?), got "noput,nosuceed")"),
        second("UnknownMode", R"({"rank":0,"op":"file_open","file":"f","mode":"create,wronyl"})",
               R"(46: "mode" must be a known access mode (did you mean "wronly"?), got "create,wronyl")"),
        second("WindowWithoutName", R"({"rank":0,"op":"win_fence","win":""})",
               R"(34: "win" must be the name of a window, got "")"),
        second("RootWordOfOneGroup", R"({"rank":0,"op":"bcast","root":"root"})",
               R"(31: "root" can be "root" on an intercommunicator only, and "world" is none)"),
        second("NoRootOfOneGroup", R"({"rank":0,"op":"bcast","root":"null"})",
               R"(31: "root" can be "null" on an intercommunicator only, and "world" is none)"),
        second("IndexOutside", R"({"rank":0,"op":"waitany","requests":[1,2],"index":2})",
               R"(51: "index" must be a place in the list of 2 requests, from 0, got 2)"),
        second("IndicesOutside", R"({"rank":0,"op":"waitsome","requests":[1],"indices":[0,1]})",
               R"(52: "indices" must be a place in the list of 1 request, from 0, got 1)"),
        second("NeighbourOutside", R"({"rank":0,"op":"dist_graph_create_adjacent","new":"g","sources":[4]})",
               R"(65: "sources" must be a group rank of "world", which has 4 ranks, got 4)"),
        second("GridTooLarge", R"({"rank":0,"op":"cart_create","new":"g","dims":[3,2]})",
               R"(47: "dims" must not have more places than "world" has ranks, which are 4)"),
        second("GridOverflows", R"({"rank":0,"op":"cart_create","new":"g","dims":[2147483647,2147483647,2147483647]})",
               R"(47: "dims" must not have more places than "world" has ranks, which are 4)"),
        second("PeriodsOfOtherDims", R"({"rank":0,"op":"cart_create","new":"g","dims":[2,2],"periods":[1]})",
               R"(63: "periods" must have one entry for each of the 2 "dims", got 1)"),
        second("MoreBytesThanMemoryHas", R"({"rank":0,"op":"bcast","count":4611686018427387904,"dtype":"float64"})",
               R"(32: "count" must be fewer than 2^63 bytes, got 4611686018427387904 of float64)"),
        second("MoreElementsThanANumberHolds", R"({"rank":0,"op":"alltoallv","counts":[9223372036854775807,1]})",
               R"(37: "counts" must be fewer than 2^63 elements in all)")),
    name_of_case);

// What earlier lines made, by the names of later ones.
INSTANTIATE_TEST_SUITE_P(
    Made, ReadErrors,
    testing::Values(
        BadInput{"RequestOfNoCall", std::string(kHeader) + R"(
{"rank":0,"op":"irecv","peer":1,"request":1}
{"rank":0,"op":"wait","request":2})",
                 R"(3:33: no earlier call of rank 0 made the request 2; the last that it made is 1)"},
        BadInput{"RequestOfAnotherRank", std::string(kHeader) + R"(
{"rank":0,"op":"irecv","peer":1,"request":1}
{"rank":1,"op":"waitall","requests":[1]})",
                 R"(3:37: no earlier call of rank 1 made the request 1: it made none)"},
        BadInput{"WindowMistyped", std::string(kHeader) + R"(
{"rank":0,"op":"win_create","win":"halo"}
{"rank":0,"op":"win_fence","win":"hola"})",
                 R"(3:34: no earlier call of rank 0 made the window "hola"; did you mean "halo"?)"},
        BadInput{"FileMistyped", std::string(kHeader) + R"(
{"rank":0,"op":"file_open","file":"out"}
{"rank":0,"op":"file_close","file":"uot"})",
                 R"(3:36: no earlier call of rank 0 made the file "uot"; did you mean "out"?)"},
        BadInput{
            "WindowsInCrossedOrder", std::string(kHeader) + R"(
{"rank":0,"op":"win_create","win":"w"}
{"rank":0,"op":"win_create","win":"v"}
{"rank":1,"op":"win_create","win":"v"}
{"rank":1,"op":"win_create","win":"w"})",
            R"(4:35: rank 1 names "v" what rank 0 names "w" in line 2: both make it by the same win_create on "world", which joins by position, so it must have one name)"},
        BadInput{
            "CommunicatorsInCrossedOrder", std::string(kHeader) + R"(
{"rank":0,"op":"comm_split","color":0,"new":"a"}
{"rank":0,"op":"comm_dup","new":"b"}
{"rank":1,"op":"comm_split","color":1,"new":"c"}
{"rank":1,"op":"comm_dup","new":"d"})",
            R"(5:33: rank 1 names "d" what rank 0 names "b" in line 3: both make it by the same comm_dup on "world", which joins by position, so it must have one name)"}),
    name_of_case);

// What looks like one of these errors and is none.
TEST(Read, TakesWhatARecordMayLack) {
  const std::string header = std::string(kHeader) + "\n";
  for (const char* lines : {
           // Observed: what the call was given, no MPI accepts, or the record lost it.
           R"({"rank":0,"op":"put","win":"w","state":"completed","error":"MPI_ERR_RANK"})",
           R"({"rank":0,"op":"wait","request":7,"state":"completed"})",
           // Events were lost before the first one.
           "{\"rank\":0,\"op\":\"wait\",\"request\":7}\n{\"rank\":0,\"end\":\"running\",\"dropped\":3}",
           R"({"rank":0,"seq":3,"op":"wait","request":7})",
           // Made before the scenario begins, or by a call that this rank lacks.
           "{\"rank\":0,\"op\":\"win_create\",\"win\":\"new\"}\n{\"rank\":0,\"op\":\"win_fence\",\"win\":\"early\"}",
           "{\"rank\":0,\"op\":\"win_create\",\"win\":\"w\"}\n{\"rank\":0,\"op\":\"win_fence\",\"win\":\"v\"}\n"
           "{\"rank\":1,\"op\":\"win_create\",\"win\":\"w\"}\n{\"rank\":1,\"op\":\"win_create\",\"win\":\"v\"}\n{"
           "\"rank\":1,\"op\":\"win_fence\",\"win\":\"v\"}\n{\"end\":true}",
           // Ranks that went apart give no name to the same thing.
           "{\"rank\":0,\"op\":\"barrier\"}\n{\"rank\":0,\"op\":\"comm_dup\",\"new\":\"b\"}\n"
           "{\"rank\":1,\"op\":\"comm_dup\",\"new\":\"a\"}\n{\"rank\":1,\"op\":\"comm_dup\",\"new\":\"c\"}",
           // A grid with fewer places than ranks, an access to nobody (MPI 4.1, section 12.3), an exchange by halves.
           R"({"rank":0,"op":"cart_create","new":"g","dims":[3],"periods":[0]})",
           R"({"rank":0,"op":"put","win":"w","target":"null"})",
           R"({"rank":0,"op":"sendrecv","sendpeer":1,"peer":2})",
       })
    EXPECT_EQ(error_of(header + lines + "\n"), "") << lines;
}

}  // namespace
}  // namespace petri::test
