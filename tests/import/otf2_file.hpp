// OTF2 archives for tests, with the records that Score-P writes, in a folder that goes with the object.
#pragma once

#include <otf2/otf2.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace petri::test {

// Locations 0 … ranks-1 stand for the ranks; communicator 0 is the world and 1 each rank's own.
class Otf2File {
 public:
  explicit Otf2File(int ranks, const char* creator = "Score-P 8.4") : ranks_(ranks) {
    std::string name = std::filesystem::temp_directory_path() / "petri-otf2-test-XXXXXX";
    folder_ = mkdtemp(name.data());
    archive_ = OTF2_Archive_Open((folder_ / "scorep").c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static const OTF2_FlushCallbacks callbacks{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};
    OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_SetCreator(archive_, creator);
    OTF2_Archive_OpenEvtFiles(archive_);
    for (int rank = 0; rank < ranks; ++rank) add_location(rank);
    std::vector<std::uint64_t> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(static_cast<std::uint64_t>(rank));
    group(OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
    group(OTF2_GROUP_TYPE_COMM_SELF, {});
    comm("MPI_COMM_WORLD", all);
    comms_.push_back({text("MPI_COMM_SELF"), 1, OTF2_UNDEFINED_GROUP, OTF2_UNDEFINED_COMM});
  }
  ~Otf2File() {
    if (archive_ != nullptr) close();
    std::filesystem::remove_all(folder_);
  }
  Otf2File(const Otf2File&) = delete;
  Otf2File& operator=(const Otf2File&) = delete;

  // The group of those that stand for the ranks names other locations than there are.
  void misname_locations() {
    for (std::uint64_t& location : groups_.front().members) location *= 7;
  }
  // A thread of a rank; returns its location.
  int add_location(int rank) {
    locations_.push_back(rank);
    writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, locations_.size() - 1));
    return static_cast<int>(locations_.size() - 1);
  }
  OTF2_CommRef comm(const std::string& name, const std::vector<std::uint64_t>& members,
                    OTF2_CommRef parent = OTF2_UNDEFINED_COMM) {
    comms_.push_back({text(name), group(OTF2_GROUP_TYPE_COMM_GROUP, members), OTF2_UNDEFINED_GROUP, parent});
    return static_cast<OTF2_CommRef>(comms_.size() - 1);
  }
  OTF2_CommRef inter_comm(const std::vector<std::uint64_t>& one, const std::vector<std::uint64_t>& other) {
    const OTF2_GroupRef a = group(OTF2_GROUP_TYPE_COMM_GROUP, one), b = group(OTF2_GROUP_TYPE_COMM_GROUP, other);
    comms_.push_back({text("bridge"), a, b, 0});
    return static_cast<OTF2_CommRef>(comms_.size() - 1);
  }
  OTF2_RmaWinRef window(const std::string& name, OTF2_CommRef over) {
    windows_.emplace_back(text(name), over);
    return static_cast<OTF2_RmaWinRef>(windows_.size() - 1);
  }

  OTF2_EvtWriter* at(int location) const { return writers_[static_cast<std::size_t>(location)]; }
  std::uint64_t tick() { return ++tick_; }
  void enter(int location, const std::string& region) {
    OTF2_EvtWriter_Enter(at(location), nullptr, tick(), region_of(region));
  }
  void leave(int location, const std::string& region) {
    OTF2_EvtWriter_Leave(at(location), nullptr, tick(), region_of(region));
  }
  // Whole calls, as their wrappers write them.
  void send(int rank, std::uint32_t to, std::uint32_t tag, std::uint64_t bytes, OTF2_CommRef comm = 0) {
    enter(rank, "MPI_Send");
    OTF2_EvtWriter_MpiSend(at(rank), nullptr, tick(), to, comm, tag, bytes);
    leave(rank, "MPI_Send");
  }
  void recv(int rank, std::uint32_t from, std::uint32_t tag, std::uint64_t bytes, OTF2_CommRef comm = 0) {
    enter(rank, "MPI_Recv");
    OTF2_EvtWriter_MpiRecv(at(rank), nullptr, tick(), from, comm, tag, bytes);
    leave(rank, "MPI_Recv");
  }
  void collective(int rank, const std::string& region, OTF2_CollectiveOp operation, OTF2_CommRef comm = 0,
                  std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE, std::uint64_t sent = 0, std::uint64_t received = 0) {
    begin_collective(rank, region);
    OTF2_EvtWriter_MpiCollectiveEnd(at(rank), nullptr, tick(), operation, comm, root, sent, received);
    leave(rank, region);
  }
  void begin_collective(int rank, const std::string& region) {
    enter(rank, region);
    OTF2_EvtWriter_MpiCollectiveBegin(at(rank), nullptr, tick());
  }
  void finalize(int rank) {
    enter(rank, "MPI_Finalize");
    leave(rank, "MPI_Finalize");
  }

  // Ends the archive; returns its folder.
  std::filesystem::path close() {
    for (std::size_t i = 0; i < writers_.size(); ++i) OTF2_Archive_CloseEvtWriter(archive_, writers_[i]);
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (std::size_t i = 0; i < writers_.size(); ++i)
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, i));
    OTF2_Archive_CloseDefFiles(archive_);
    define();
    OTF2_Archive_Close(archive_);
    archive_ = nullptr;
    return folder_ / "scorep";
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Group {
    OTF2_GroupType type;
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    OTF2_StringRef name;
    OTF2_GroupRef group, remote;
    OTF2_CommRef parent;
  };

  OTF2_StringRef text(const std::string& text) {
    return texts_.try_emplace(text, static_cast<OTF2_StringRef>(texts_.size())).first->second;
  }
  OTF2_RegionRef region_of(const std::string& name) {
    return regions_.try_emplace(name, static_cast<OTF2_RegionRef>(regions_.size())).first->second;
  }
  OTF2_GroupRef group(OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    groups_.push_back({type, members});
    return static_cast<OTF2_GroupRef>(groups_.size() - 1);
  }

  void define() {
    OTF2_GlobalDefWriter* const to = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(to, 1000, 1, tick_ + 1, OTF2_UNDEFINED_TIMESTAMP);
    text("");
    for (const auto& [name, reference] : regions_) text(name);
    for (const auto& [name, reference] : texts_) OTF2_GlobalDefWriter_WriteString(to, reference, name.c_str());
    const OTF2_StringRef none = text("");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, none, none, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (int rank = 0; rank < ranks_; ++rank)
      OTF2_GlobalDefWriter_WriteLocationGroup(to, static_cast<std::uint32_t>(rank), none,
                                              OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
    for (std::size_t i = 0; i < locations_.size(); ++i)
      OTF2_GlobalDefWriter_WriteLocation(to, i, none, OTF2_LOCATION_TYPE_CPU_THREAD, 1,
                                         static_cast<std::uint32_t>(locations_[i]));
    for (const auto& [name, reference] : regions_)
      OTF2_GlobalDefWriter_WriteRegion(to, reference, text(name), text(name), none, OTF2_REGION_ROLE_FUNCTION,
                                       OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, none, 0, 0);
    for (std::size_t i = 0; i < groups_.size(); ++i)
      OTF2_GlobalDefWriter_WriteGroup(to, static_cast<std::uint32_t>(i), none, groups_[i].type, OTF2_PARADIGM_MPI,
                                      OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(groups_[i].members.size()),
                                      groups_[i].members.data());
    for (std::size_t i = 0; i < comms_.size(); ++i) {
      const auto self = static_cast<OTF2_CommRef>(i);
      if (comms_[i].remote != OTF2_UNDEFINED_GROUP)
        OTF2_GlobalDefWriter_WriteInterComm(to, self, comms_[i].name, comms_[i].group, comms_[i].remote,
                                            comms_[i].parent, OTF2_COMM_FLAG_NONE);
      else
        OTF2_GlobalDefWriter_WriteComm(to, self, comms_[i].name, comms_[i].group, comms_[i].parent,
                                       OTF2_COMM_FLAG_NONE);
    }
    for (std::size_t i = 0; i < windows_.size(); ++i)
      OTF2_GlobalDefWriter_WriteRmaWin(to, static_cast<std::uint32_t>(i), windows_[i].first, windows_[i].second,
                                       OTF2_RMA_WIN_FLAG_NONE);
  }

  int ranks_;
  std::filesystem::path folder_;
  OTF2_Archive* archive_ = nullptr;
  std::uint64_t tick_ = 0;
  std::vector<int> locations_;  // by location: its rank
  std::vector<OTF2_EvtWriter*> writers_;
  std::map<std::string, OTF2_StringRef> texts_;
  std::map<std::string, OTF2_RegionRef> regions_;
  std::vector<Group> groups_;
  std::vector<Comm> comms_;
  std::vector<std::pair<OTF2_StringRef, OTF2_CommRef>> windows_;
};

}  // namespace petri::test
