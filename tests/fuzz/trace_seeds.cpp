#include "tests/fuzz/trace_seeds.hpp"

#include <fmt/format.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tests/fuzz/trace_input.hpp"
#include "tests/import/chakra_bytes.hpp"
#include "tests/import/torch_trace_text.hpp"

namespace petri::fuzz {
namespace {

namespace fs = std::filesystem;
using test::ChakraBytes;
using test::KinetoText;
using test::PytorchEtText;
using test::TorchTestCall;

class Seeds {
 public:
  explicit Seeds(const fs::path& folder) : folder_(folder) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void write(const std::string& name, const std::vector<std::string>& files) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    for (std::size_t i = 0; i < files.size(); ++i) out << (i == 0 ? "" : kFileMark) << files[i];
  }

 private:
  fs::path folder_;
};

const std::vector<std::string> kNames{"allreduce",
                                      "broadcast",
                                      "_allgather_base",
                                      "_reduce_scatter_base",
                                      "all_to_all",
                                      "all_to_allv",
                                      "gather",
                                      "scatter",
                                      "reduce",
                                      "barrier",
                                      "send",
                                      "recv",
                                      "wait",
                                      "allreduce_coalesced",
                                      "unheard_of"};

TorchTestCall call(const std::string& name, int rank, int seq, int members = 2) {
  TorchTestCall made;
  made.name = name;
  made.rank = rank;
  made.seq = seq;
  made.members.resize(static_cast<std::size_t>(members));
  std::iota(made.members.begin(), made.members.end(), 0);
  if (name == "all_to_allv") made.in_split = "[1, 3]", made.out_split = "[3, 1]";
  return made;
}

void make_chakra(const Seeds& seeds) {
  std::vector<std::string> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ChakraBytes made;
    for (int kind = 0; kind < 10; ++kind)
      made.collective(static_cast<std::uint64_t>(kind), kind, 64, kind % 3 == 0 ? "" : "g",
                      {kind > 0 ? kind - 1U : 9U});
    made.message(20, true, rank, (rank + 1) % 3, 8, 4).message(21, false, (rank + 2) % 3, rank, 8, 4);
    ranks.push_back(made.bytes());
  }
  seeds.write("three-ranks", ranks);
  const std::string schema = test::bytes_field(1, ChakraBytes::text("schema", "1.0.1"));
  ChakraBytes old("", schema + test::bytes_field(2, ChakraBytes::attribute("start_ts", 7, 13)));
  for (const int field : {7, 9, 11, 13, 15, 17, 27})
    old.add({static_cast<std::uint64_t>(field),
             7,
             {ChakraBytes::attribute("comm_type", 0, field), ChakraBytes::attribute("comm_size", 4, field)},
             {1},
             {2},
             "node",
             "",
             field % 4 == 1});
  old.add({1, 1, {}, {}, {}, "process_group:init", R"(['[{"pg_name": "g", "ranks": [0, 2], "group_size": 2}]'])"});
  seeds.write("old", {old.collective(40, 0, 8, "g").bytes()});
  seeds.write("cut", {old.bytes().substr(0, old.bytes().size() - 9)});
}

template <class Text>
Text all_calls(Text text, int rank, int members = 2) {
  int place = 1;
  for (const std::string& name : kNames) {
    const bool rooted = name == "broadcast" || name == "reduce" || name == "gather" || name == "scatter";
    const TorchTestCall made = call(name,
                                    rooted                             ? 1
                                    : name == "send" || name == "recv" ? 1 - rank
                                                                       : rank,
                                    place, members);
    if constexpr (requires { text.kernel(made, 0.0, 0); }) {
      text.call(made, 10.0 * place, place);
      if (place % 3 != 0) text.kernel(made, 10.0 * place + 3, place);
    } else {
      text.call(made);
    }
    ++place;
  }
  return text;
}

void make_pytorch_et(const Seeds& seeds) {
  const std::string groups =
      R"([{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "group_size": 2, "backend_id": 7}])";
  for (const bool attributes : {false, true}) {
    std::vector<std::string> ranks;
    for (int rank = 0; rank < 2; ++rank)
      ranks.push_back(all_calls(PytorchEtText(attributes).groups(groups), rank).node("nccl:coalesced", "", "").text());
    seeds.write(attributes ? "attributes" : "positions", ranks);
  }
  seeds.write(
      "oldest",
      {R"({"schema":"1.0.1","start_ts":1,"nodes":[{"name":"record_param_comms","id":4,"inputs":[[[9,10,0,7,8,"c"]],)"
       R"j(41,7,1,"allreduce",[],[],2],"input_types":["Tensor(int)"]}]})j"});
  seeds.write("cut", {PytorchEtText().groups(groups).call(call("allreduce", 0, 1)).text().substr(0, 900)});
}

void make_kineto(const Seeds& seeds) {
  const std::string groups = R"([{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]}])";
  seeds.write("two-ranks",
              {all_calls(KinetoText(0, 2, groups), 0).text(), all_calls(KinetoText(1, 2, groups), 1).text()});
  seeds.write("cut-lists", {all_calls(KinetoText(0, 64), 0, 64).text()});
  KinetoText launches(-1);
  launches.call(call("send", 1, 3), 1, 1).event("user_annotation", "nccl:send 0->1", 2, "\"a\": 1");
  launches.event("kernel", "ncclDevKernel_SendRecv", 4, "\"stream\": 1");
  launches.behind(R"("distributedInfo": {"rank": "0", "world_size": , "pg_config": [{"ranks": "[0, 1, ..., 63]"}]})");
  seeds.write("launches", {launches.text(), launches.text()});
  seeds.write("list", {R"([{"ph":"B","name":"record_param_comms","ts":1,"args":{"Collective name":"barrier"}}])"});
}

}  // namespace

void make_trace_seeds(const fs::path& folder) {
  make_chakra(Seeds(folder / "import_chakra"));
  make_pytorch_et(Seeds(folder / "import_pytorch_et"));
  make_kineto(Seeds(folder / "import_kineto"));
}

}  // namespace petri::fuzz
