# One function for each kind of target, so that a room's CMakeLists names only what is in it.

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
endfunction()
