# What `cmake --install` puts where. The command finds its worker and its guardian beside itself and its recorder in
# ../lib, so that the whole can be moved; these names are therefore fixed.
include(CMakePackageConfigHelpers)

install(TARGETS petri petri-guardian RUNTIME DESTINATION bin)
if(TARGET petri-worker)
  # Beside the reproducible sums, and with an MPI library of the user's own.
  set_target_properties(petri-worker PROPERTIES INSTALL_RPATH "$ORIGIN/../lib" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS petri-worker RUNTIME DESTINATION bin)
endif()
if(TARGET petri_record)
  install(TARGETS petri_record LIBRARY DESTINATION lib)
endif()
install(FILES harness/record/petri.h DESTINATION include)
install(FILES harness/trace/scenario.schema.json harness/trace/reproducer.schema.json DESTINATION share/petri)

# find_package(Petri) in another project.
set(package lib/cmake/Petri)
configure_package_config_file(ci/cmake/PetriConfig.cmake.in "${PROJECT_BINARY_DIR}/PetriConfig.cmake"
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/PetriConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)

# The reproducible sums are an installation of their own, too: cmake --install … --component reproducible.
if(TARGET petri_reproducible)
  install(TARGETS petri_reproducible EXPORT PetriReproducible LIBRARY DESTINATION lib COMPONENT reproducible)
  install(FILES kernels/mpi/reproducible.hpp DESTINATION include/petri COMPONENT reproducible)
  install(EXPORT PetriReproducible NAMESPACE Petri:: DESTINATION ${package} COMPONENT reproducible)
endif()
foreach(component Unspecified reproducible)
  install(FILES
    "${PROJECT_BINARY_DIR}/PetriConfig.cmake" "${PROJECT_BINARY_DIR}/PetriConfigVersion.cmake"
    ci/cmake/PetriReproducers.cmake
    DESTINATION ${package} COMPONENT ${component})
endforeach()
