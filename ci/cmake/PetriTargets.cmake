# One function for each kind of target, so that a room's CMakeLists names only what is in it.

# For tests that call mpirun themselves; ci/environment.sh says why.
set(PETRI_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  OMPI_MCA_reachable=weighted)

# Options of the programs that tests record: line numbers for their call sites, by paths from the project's root.
file(RELATIVE_PATH _up "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}/")
set(PETRI_RECORDED_PROGRAM_OPTIONS -g1 "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${_up}=")

# petri_library(NAME SOURCES file… USES target…): a static library; includes are written from the project's root.
function(petri_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} petri_options)
endfunction()

# petri_test(NAME SOURCES file… USES target… LABELS label… [TIMEOUT seconds]): one GoogleTest program, run as one CTest test.
function(petri_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_USES} petri_options GTest::gmock_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  if("mpi" IN_LIST arg_LABELS)
    # Ranks that share cores with another test miss the time limits that they would meet alone.
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# petri_fuzzer(NAME SOURCES file… USES target… SEEDS folder…): a libFuzzer target and its CTest run of PETRI_FUZZ_SECONDS.
# From one seed a slower machine tries a beginning of what a faster one does: a change is not refused for a finding that
# chance made on another day. ci/nightly asks for another seed each time.
# Only with PETRI_FUZZ; new inputs go to the build folder, never to the seeds.
function(petri_fuzzer name)
  if(NOT PETRI_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;USES;SEEDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_USES} petri_options)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
  set(found "${PROJECT_BINARY_DIR}/corpus/${name}")
  file(MAKE_DIRECTORY "${found}")
  add_test(NAME ${name} COMMAND ${name} -seed=${PETRI_FUZZ_SEED} -max_total_time=${PETRI_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048
    -print_final_stats=1 "-artifact_prefix=${found}/../" "${found}" ${arg_SEEDS})
  math(EXPR limit "${PETRI_FUZZ_SECONDS} + 60")
  set_tests_properties(${name} PROPERTIES LABELS "fuzz" TIMEOUT ${limit})
endfunction()

# All targets, those of the outer folders first.
function(petri_all_targets out)
  set(folders "${PROJECT_SOURCE_DIR}")
  set(all "")
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND all ${targets})
  endwhile()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

# Writes every target's folder and the libraries it names, one target a line, for the layering test to read.
function(petri_write_links file)
  petri_all_targets(targets)
  set(lines "")
  foreach(target IN LISTS targets)
    get_target_property(links ${target} LINK_LIBRARIES)
    if(links)
      get_target_property(folder ${target} SOURCE_DIR)
      file(RELATIVE_PATH place "${PROJECT_SOURCE_DIR}" "${folder}")
      list(JOIN links " " links)
      string(APPEND lines "${target} ${place} ${links}\n")
    endif()
  endforeach()
  file(GENERATE OUTPUT "${file}" CONTENT "${lines}")
endfunction()

# Precompiled headers for every target that has enough sources to gain by them. Tests are what links GoogleTest.
function(petri_precompile)
  if(NOT PETRI_PRECOMPILE)
    return()
  endif()
  set(enough 8)
  petri_all_targets(targets)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    get_target_property(links ${target} LINK_LIBRARIES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(LENGTH sources count)
    if(count LESS enough)
      continue()
    endif()
    set(header "${PROJECT_SOURCE_DIR}/ci/cmake/precompiled.hpp")
    if(links MATCHES "GTest::")
      set(header "${PROJECT_SOURCE_DIR}/ci/cmake/precompiled_test.hpp")
    endif()
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endforeach()
endfunction()
