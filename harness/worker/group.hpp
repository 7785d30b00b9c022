// A group of processes that lives as long as its name.
#pragma once

#include <mpi.h>

#include <vector>

namespace petri {

class Group {
 public:
  // Of these ranks of a communicator's own group.
  Group(MPI_Comm parent, const std::vector<int>& members) {
    MPI_Group all = MPI_GROUP_NULL;
    PMPI_Comm_group(parent, &all);
    PMPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &group_);
    PMPI_Group_free(&all);
  }
  ~Group() {
    if (group_ != MPI_GROUP_EMPTY) PMPI_Group_free(&group_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace petri
