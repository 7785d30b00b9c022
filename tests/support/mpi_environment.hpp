// What a person sets who starts more ranks than there are cores, or starts them as root: petri adds nothing to the
// command of a user's own program.
#pragma once

#include <cstdlib>

namespace petri::test {

// For this process and what it starts.
inline void allow_root_and_oversubscription() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
                           "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
    setenv(name, "1", 1);
  setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 1);
}

}  // namespace petri::test
