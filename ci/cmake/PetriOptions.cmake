# Build-wide settings: the standard, warnings, sanitizers and where programs go.
option(PETRI_BUILD_TESTS "Build the tests" ON)
option(PETRI_WITH_MPI "Build the recorder, the worker and the live tests" ON)
option(PETRI_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(PETRI_NIGHTLY "The long runs, as tests with the label nightly" OFF)
option(PETRI_FUZZ "Fuzz targets; needs clang with libFuzzer" OFF)
set(PETRI_FUZZ_SECONDS 20 CACHE STRING "How long CTest runs each fuzz target")
set(PETRI_FUZZ_SEED 1 CACHE STRING "What the fuzzers begin from; 0 is another one each time")
option(PETRI_PRECOMPILE "Precompiled standard headers: faster, but an include that is missing goes unnoticed" OFF)
set(PETRI_WITH_CUDA AUTO CACHE STRING "CUDA and NCCL: AUTO takes them where present, ON requires them, OFF does not look")
set_property(CACHE PETRI_WITH_CUDA PROPERTY STRINGS AUTO ON OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(PETRI_CCACHE ccache)
if(PETRI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${PETRI_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PETRI_CCACHE}")
endif()

add_library(petri_options INTERFACE)
# No contraction anywhere: a fused multiply-add changes the bits that Petri compares.
target_compile_options(petri_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of its own std::string in optimized builds (GCC bug 105651).
  target_compile_options(petri_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(PETRI_SANITIZE)
  target_compile_options(petri_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_link_options(petri_options INTERFACE -fsanitize=address,undefined)
endif()
if(PETRI_FUZZ)
  # Libraries get the coverage instrumentation alone; petri_fuzzer links the driver.
  target_compile_options(petri_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
