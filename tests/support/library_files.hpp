// Where an MPI library that a test starts by itself puts its files.
#pragma once

#include <string>

namespace petri::test {

// Variables, as a shell takes them before a command, that keep all files of Open MPI in this folder: its session (4.1,
// 5.0), the shared memory of messages (4.1, 5.0) and of windows. Ranks that are killed leave it behind.
inline std::string library_files_in(const std::string& folder) {
  std::string settings = "PMIX_MCA_gds=^shmem";
  for (const char* variable : {"OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base",
                               "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory",
                               "OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_osc_rdma_backing_directory"})
    settings += std::string(" ") + variable + "='" + folder + "'";
  return settings;
}

}  // namespace petri::test
