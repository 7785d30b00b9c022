# Reproducers as CTest tests, for this project and for others:
#
#   find_package(Petri)              # an installed petri; from its sources instead:
#   list(APPEND CMAKE_MODULE_PATH <petri>/ci/cmake)
#   include(PetriReproducers)
#
#   petri_add_reproducers(FOLDER folder… [LIVE] [RUN_COMMANDS [PROGRAMS target…] [PROGRAM_PATH folder…]] [TIMEOUT seconds])
#
# Each folder at or below one of the FOLDERs that holds a scenario (*.jsonl, *.jsonl.zst) becomes one test,
# "reproducer.<folder>", which fails when the model no longer sees in it what it expects. With LIVE a second one,
# "reproducer.<folder>.live", with the label mpi, replays it under mpirun; what cannot run here counts as skipped. With
# RUN_COMMANDS each folder that holds a command (reproducer.json), too, has a third one, "reproducer.<folder>.command",
# which runs it and fails when the program fails in the scenario's way again, or when the program cannot be run; programs
# are looked for where the PROGRAMS, targets of this build, are made, in PROGRAM_PATH and in PATH.
#
# TIMEOUT (60) is the limit of each check and of each run of a command, enforced by petri itself, so that nothing is left
# behind. The program is the target `petri` where this build makes it, else $PETRI_PROGRAM or the `petri` in PATH. Folders
# are looked up when CMake configures, and again when one of them changes.
include_guard(GLOBAL)

function(_petri_program result)
  if(TARGET petri)
    set(${result} "$<TARGET_FILE:petri>" PARENT_SCOPE)
    return()
  endif()
  if(NOT PETRI_PROGRAM AND DEFINED ENV{PETRI_PROGRAM})
    set(PETRI_PROGRAM "$ENV{PETRI_PROGRAM}")
  endif()
  if(NOT PETRI_PROGRAM)
    find_program(PETRI_PROGRAM petri DOC "The petri command")
  endif()
  if(NOT PETRI_PROGRAM)
    message(FATAL_ERROR "petri_add_reproducers: no petri found; set PETRI_PROGRAM")
  endif()
  set(${result} "${PETRI_PROGRAM}" PARENT_SCOPE)
endfunction()

# _petri_add_check(name labels limit command…). Petri ends what takes too long; the margin is for its cleaning up.
function(_petri_add_check name labels limit)
  add_test(NAME "${name}" COMMAND ${ARGN} COMMAND_EXPAND_LISTS)
  math(EXPR limit "${limit} + 30")
  set_tests_properties("${name}" PROPERTIES LABELS "${labels}" TIMEOUT ${limit})
endfunction()

function(petri_add_reproducers)
  cmake_parse_arguments(arg "LIVE;RUN_COMMANDS" "TIMEOUT" "FOLDER;PROGRAMS;PROGRAM_PATH" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FOLDER)
    message(FATAL_ERROR "petri_add_reproducers(FOLDER folder... [LIVE] [RUN_COMMANDS [PROGRAMS target...] "
      "[PROGRAM_PATH folder...]] [TIMEOUT seconds])")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  _petri_program(petri)
  set(program_path "")
  foreach(program IN LISTS arg_PROGRAMS)
    list(APPEND program_path --program-path "$<TARGET_FILE_DIR:${program}>")
  endforeach()
  foreach(folder IN LISTS arg_PROGRAM_PATH)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND program_path --program-path "${folder}")
  endforeach()
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
      set(check "${petri}" check --timeout ${arg_TIMEOUT})
      _petri_add_check("${name}" cli ${arg_TIMEOUT} ${check} --model-only ${files})
      set_tests_properties("${name}" PROPERTIES SKIP_RETURN_CODE 3)  # nothing could run
      if(arg_LIVE)
        _petri_add_check("${name}.live" "cli;mpi" ${arg_TIMEOUT} ${check} --live-only ${files})
        set_tests_properties("${name}.live" PROPERTIES SKIP_RETURN_CODE 3)
      endif()
      file(GLOB command CONFIGURE_DEPENDS "${folder}/reproducer.json")
      if(arg_RUN_COMMANDS AND command)
        # Its runs may be many, and each has its limit. A guard that cannot run is no test that is passed over.
        _petri_add_check("${name}.command" "cli;mpi" 86400 ${check} --run-commands --commands-only ${program_path} ${files})
      endif()
    endforeach()
  endforeach()
endfunction()
