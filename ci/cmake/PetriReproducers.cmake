# Reproducers as CTest tests, for this project and for others:
#
#   list(APPEND CMAKE_MODULE_PATH <petri>/ci/cmake)
#   include(PetriReproducers)
#   petri_add_reproducers(FOLDER folder… [LIVE] [TIMEOUT seconds])
#
# Each folder at or below one of the FOLDERs that holds a scenario (*.jsonl, *.jsonl.zst) becomes one test,
# "reproducer.<folder>", which fails when the model no longer sees in it what it expects. With LIVE a second one,
# "reproducer.<folder>.live", with the label mpi, replays it under mpirun; what cannot run here counts as skipped.
# TIMEOUT (60) is the limit of each check, enforced by petri itself, so that nothing is left behind. The program is the target `petri` where this build
# makes it, else $PETRI_PROGRAM or the `petri` in PATH. Folders are looked up when CMake configures, and again when one
# of them changes.
include_guard(GLOBAL)

function(_petri_program result)
  if(TARGET petri)
    set(${result} "$<TARGET_FILE:petri>" PARENT_SCOPE)
    return()
  endif()
  if(NOT PETRI_PROGRAM AND DEFINED ENV{PETRI_PROGRAM})
    set(PETRI_PROGRAM "$ENV{PETRI_PROGRAM}")
  endif()
  find_program(PETRI_PROGRAM petri DOC "The petri command")
  if(NOT PETRI_PROGRAM)
    message(FATAL_ERROR "petri_add_reproducers: no petri found; set PETRI_PROGRAM")
  endif()
  set(${result} "${PETRI_PROGRAM}" PARENT_SCOPE)
endfunction()

function(_petri_add_check name label timeout)
  add_test(NAME "${name}" COMMAND ${ARGN})
  # 3: nothing could run. Petri ends a check that takes too long; the margin is for its cleaning up.
  math(EXPR limit "${timeout} + 30")
  set_tests_properties("${name}" PROPERTIES LABELS "${label}" TIMEOUT ${limit} SKIP_RETURN_CODE 3)
endfunction()

function(petri_add_reproducers)
  cmake_parse_arguments(arg "LIVE" "TIMEOUT" "FOLDER" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FOLDER)
    message(FATAL_ERROR "petri_add_reproducers(FOLDER folder... [LIVE] [TIMEOUT seconds])")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  _petri_program(petri)
  foreach(top IN LISTS arg_FOLDER)
    get_filename_component(top "${top}" ABSOLUTE)
    file(GLOB_RECURSE scenarios CONFIGURE_DEPENDS LIST_DIRECTORIES false "${top}/*.jsonl" "${top}/*.jsonl.zst")
    if(NOT scenarios)
      message(FATAL_ERROR "petri_add_reproducers: no scenario at or below ${top}")
    endif()
    get_filename_component(top_name "${top}" NAME)
    set(folders "")
    foreach(scenario IN LISTS scenarios)
      get_filename_component(folder "${scenario}" DIRECTORY)
      list(APPEND folders "${folder}")
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
      file(RELATIVE_PATH below "${top}" "${folder}")
      set(name "reproducer.${top_name}")
      if(below)
        string(APPEND name "/${below}")
      endif()
      # The files of this folder only: those below it have a test of their own.
      file(GLOB files CONFIGURE_DEPENDS "${folder}/*.jsonl" "${folder}/*.jsonl.zst")
      _petri_add_check("${name}" cli ${arg_TIMEOUT} "${petri}" check --model-only --timeout ${arg_TIMEOUT} ${files})
      if(arg_LIVE)
        _petri_add_check("${name}.live" "cli;mpi" ${arg_TIMEOUT} "${petri}" check --live-only --timeout ${arg_TIMEOUT} ${files})
      endif()
    endforeach()
  endforeach()
endfunction()
