// Messages in partitions (MPI 4.1, section 4.2). `count` is of one partition.
#include <fmt/format.h>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"

namespace petri::c {

void RankWriter::write_partitioned_init(const Event& event) {
  program_.needs_mpi_4 = true;
  const std::int32_t partitions = event.extras.partitions().value_or(1);
  const Amount each = sent(event, true);
  const std::string all = std::to_string(each.count * partitions);
  put(fmt::format("{}({}, {}, {}, {}, {}, {}, {}, MPI_INFO_NULL, {});", function_name(event.op),
                  room(event.op == Op::psend_init ? "out" : "in", event, all, each.type_text), partitions,
                  each.count_text, each.type_text, peer(event.peer, "peer"), tag(event.tag), comm_of(event),
                  request_of(event)));
}

void RankWriter::write_partition(const Event& event) {
  program_.needs_mpi_4 = true;
  const std::string handle = request_of(event).substr(1);  // by value
  const std::int32_t index = event.extras.index().value_or(0);
  const std::vector<std::uint32_t>& listed = event.extras.indices();
  switch (event.op) {
    case Op::pready: return put(fmt::format("MPI_Pready({}, {});", index, handle));
    case Op::parrived:
      body_->scalars.insert("flag");
      return put_loop(polls_until_success(event), "!flag", fmt::format("MPI_Parrived({}, {}, &flag);", handle, index));
    default: break;
  }
  if (listed.empty()) reject("names no partitions");
  if (event.op == Op::pready_range)
    return put(fmt::format("MPI_Pready_range({}, {}, {});", listed.front(), listed.back(), handle));
  put("{");
  put(fmt::format("  static const int partitions[] = {{{}}};",
                  join(std::vector<std::int64_t>(listed.begin(), listed.end()))));
  put(fmt::format("  MPI_Pready_list({}, partitions, {});", listed.size(), handle));
  put("}");
}

}  // namespace petri::c
