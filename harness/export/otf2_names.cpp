#include "harness/export/otf2_names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <numeric>

namespace petri {
namespace {

constexpr std::uint64_t kTicksASecond = 1000000000;
constexpr std::string_view kOwnDescription = "petri operation";

bool is_nccl(const Scenario& scenario, const Event& event) {
  const std::string& backend = scenario.comm_of(event).backend;
  return (backend.empty() ? scenario.header.backend : backend) == "nccl";
}

// What is no call of MPI is called as a scenario calls it.
bool is_mpi(const Scenario& scenario, const Event& event) {
  switch (kind_of(event.op)) {
    case OpKind::host:
    case OpKind::device: return false;
    default: break;
  }
  switch (event.op) {
    case Op::comm_init_rank:
    case Op::comm_init_all:
    case Op::comm_finalize:
    case Op::comm_destroy:
    case Op::comm_abort:
    case Op::exit: return false;
    default: return !is_nccl(scenario, event);
  }
}

std::string mpi_name(Op op) {
  std::string name(name_of(op));
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "MPI_" + name;
}

OTF2_RegionRole role_of(Op op) {
  switch (kind_of(op)) {
    case OpKind::send:
    case OpKind::recv:
    case OpKind::sendrecv: return OTF2_REGION_ROLE_POINT2POINT;
    case OpKind::rma:
    case OpKind::window: return OTF2_REGION_ROLE_RMA;
    case OpKind::file: return OTF2_REGION_ROLE_FILE_IO;
    case OpKind::collective: break;
    default: return OTF2_REGION_ROLE_FUNCTION;
  }
  const std::string_view family = info(op).family;
  if (family == "barrier") return OTF2_REGION_ROLE_BARRIER;
  if (family == "bcast" || family.starts_with("scatter")) return OTF2_REGION_ROLE_COLL_ONE2ALL;
  if (family == "reduce" || family.starts_with("gather")) return OTF2_REGION_ROLE_COLL_ALL2ONE;
  if (family == "scan" || family == "exscan") return OTF2_REGION_ROLE_COLL_OTHER;
  return OTF2_REGION_ROLE_COLL_ALL2ALL;
}

}  // namespace

Otf2Names::Otf2Names() {
  text("");
}

OTF2_StringRef Otf2Names::text(std::string_view text) {
  const auto [place, is_new] = text_index_.try_emplace(std::string(text), static_cast<OTF2_StringRef>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return place->second;
}

OTF2_RegionRef Otf2Names::region(const Scenario& scenario, const Event& event) {
  const bool mpi = is_mpi(scenario, event);
  const auto [place, is_new] = region_index_.try_emplace({event.op, mpi}, static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new)
    regions_.push_back({text(mpi ? mpi_name(event.op) : std::string(name_of(event.op))),
                        text(mpi ? "" : kOwnDescription), role_of(event.op),
                        static_cast<OTF2_Paradigm>(mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER)});
  return place->second;
}

OTF2_AttributeRef Otf2Names::attribute(std::string_view key, OTF2_Type type) {
  const std::string name = fmt::format("petri.{}", key);
  const std::string typed = name + (type == OTF2_TYPE_STRING ? "" : "#");
  const auto [place, is_new] = attribute_index_.try_emplace(typed, static_cast<OTF2_AttributeRef>(attributes_.size()));
  if (is_new) attributes_.emplace_back(text(name), type);
  return place->second;
}

OTF2_RmaWinRef Otf2Names::window(const std::string& name, std::int32_t comm) {
  const auto [place, is_new] = window_index_.try_emplace(name, static_cast<OTF2_RmaWinRef>(windows_.size()));
  if (is_new) windows_.emplace_back(text(name), comm);
  return place->second;
}

void Otf2Names::fact(std::uint64_t location, std::string_view name, std::string_view value) {
  facts_.push_back({location, text(fmt::format("petri.{}", name)), text(value)});
}

void Otf2Names::write_machine(const Scenario& scenario, const std::vector<Location>& locations) {
  const auto host_of = [&](std::int32_t rank) {
    const auto place = static_cast<std::size_t>(rank);
    return place < scenario.header.hosts.size() ? scenario.header.hosts[place] : std::string("host");
  };
  const OTF2_StringRef machine = text("machine"), node = text("node");
  const OTF2_SystemTreeNodeRef none = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, text("petri"), machine, none));
  std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const std::string host = host_of(rank);
    const auto [place, is_new] = hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
    if (is_new) check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, place->second, text(host), node, 0));
    check(OTF2_GlobalDefWriter_WriteLocationGroup(
        writer_, static_cast<OTF2_LocationGroupRef>(rank), text(fmt::format("MPI Rank {}", rank)),
        OTF2_LOCATION_GROUP_TYPE_PROCESS, place->second, OTF2_UNDEFINED_LOCATION_GROUP));
  }
  for (const Location& location : locations) {
    const std::string name =
        location.thread == 0 ? std::string("Master thread") : fmt::format("Thread {}", location.thread);
    check(OTF2_GlobalDefWriter_WriteLocation(writer_, location.reference, text(name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                             location.events, static_cast<OTF2_LocationGroupRef>(location.rank)));
  }
}

// Group 0 is the list of ranks, by the locations that stand for them; then one for each group of a communicator.
void Otf2Names::write_groups(const Scenario& scenario) {
  std::vector<std::uint64_t> members(scenario.ranks.size());
  std::iota(members.begin(), members.end(), std::uint64_t{0});
  const OTF2_StringRef nameless = text("");
  check(OTF2_GlobalDefWriter_WriteGroup(writer_, 0, nameless, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                        members.data()));
  std::map<std::vector<std::int32_t>, OTF2_GroupRef> groups;
  const auto group_of = [&](const std::vector<std::int32_t>& ranks) {
    const auto [place, is_new] = groups.try_emplace(ranks, static_cast<OTF2_GroupRef>(groups.size() + 1));
    if (is_new) {
      members.assign(ranks.begin(), ranks.end());
      check(OTF2_GlobalDefWriter_WriteGroup(writer_, place->second, nameless, OTF2_GROUP_TYPE_COMM_GROUP,
                                            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                            static_cast<std::uint32_t>(members.size()), members.data()));
    }
    return place->second;
  };
  for (std::size_t i = 0; i < scenario.comms.size(); ++i) {
    const Communicator& comm = scenario.comms[i];
    const std::int32_t parent = comm.parent.empty() ? kNoComm : scenario.find_comm(comm.parent);
    const OTF2_CommRef above =
        parent < 0 || static_cast<std::size_t>(parent) >= i ? OTF2_UNDEFINED_COMM : Otf2Names::comm(parent);
    const OTF2_StringRef name = text(i == 0 ? "MPI_COMM_WORLD" : comm.name);
    const OTF2_GroupRef group = group_of(comm.ranks);
    const auto reference = static_cast<OTF2_CommRef>(i);
    check(comm.is_inter()
              ? OTF2_GlobalDefWriter_WriteInterComm(writer_, reference, name, group, group_of(comm.remote), above,
                                                    OTF2_COMM_FLAG_NONE)
              : OTF2_GlobalDefWriter_WriteComm(writer_, reference, name, group, above, OTF2_COMM_FLAG_NONE));
  }
  for (std::size_t i = 0; i < windows_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteRmaWin(writer_, static_cast<OTF2_RmaWinRef>(i), windows_[i].first,
                                           comm(windows_[i].second), OTF2_RMA_WIN_FLAG_NONE));
}

bool Otf2Names::write(OTF2_GlobalDefWriter* writer, const Scenario& scenario, const std::vector<Location>& locations,
                      std::uint64_t last_tick) {
  writer_ = writer;
  check(OTF2_GlobalDefWriter_WriteClockProperties(writer, kTicksASecond, 0, last_tick + 1, OTF2_UNDEFINED_TIMESTAMP));
  // Those that are only met below, too: a text is defined before what it names.
  for (const char* const name : {"petri", "machine", "node", "host", "MPI_COMM_WORLD", "Master thread"}) text(name);
  for (const std::string& host : scenario.header.hosts) text(host);
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) text(fmt::format("MPI Rank {}", rank));
  for (const Location& location : locations) text(fmt::format("Thread {}", location.thread));
  for (const Communicator& comm : scenario.comms) text(comm.name);
  for (std::size_t i = 0; i < texts_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteString(writer, static_cast<OTF2_StringRef>(i), texts_[i].c_str()));
  for (std::size_t i = 0; i < attributes_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteAttribute(writer, static_cast<OTF2_AttributeRef>(i), attributes_[i].first, 0,
                                              attributes_[i].second));
  write_machine(scenario, locations);
  for (std::size_t i = 0; i < regions_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteRegion(writer, static_cast<OTF2_RegionRef>(i), regions_[i].name, regions_[i].name,
                                           regions_[i].description, regions_[i].role, regions_[i].paradigm,
                                           OTF2_REGION_FLAG_NONE, 0, 0, 0));
  write_groups(scenario);
  for (const Fact& fact : facts_) {
    OTF2_AttributeValue value;
    value.stringRef = fact.value;
    check(OTF2_GlobalDefWriter_WriteLocationProperty(writer, fact.location, fact.name, OTF2_TYPE_STRING, value));
  }
  return good_;
}

}  // namespace petri
