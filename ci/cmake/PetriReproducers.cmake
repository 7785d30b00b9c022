# Reproducers as CTest tests, for this project and for others:
#
#   find_package(Petri)              # an installed petri; from its sources instead:
#   list(APPEND CMAKE_MODULE_PATH <petri>/ci/cmake)
#   include(PetriReproducers)
#
#   petri_add_reproducers(FOLDER folder… [LIVE] [RUN_COMMANDS [PROGRAMS target…] [PROGRAM_PATH folder…]] [TIMEOUT seconds])
#
# Each folder at or below one of the FOLDERs that holds a scenario (*.jsonl, *.jsonl.zst) becomes one test,
# "reproducer.<folder>" (with _ for spaces and the like), which fails when the model no longer sees in it what it
# expects. With LIVE a second one, "reproducer.<folder>.live", with the label mpi, replays it under mpirun; what cannot
# run here counts as skipped. With RUN_COMMANDS each folder that holds a command (reproducer.json), too, has a third one, "reproducer.<folder>.command",
# which runs it and fails when the program fails in the scenario's way again, or when the program cannot be run; programs
# are looked for where the PROGRAMS, targets of this build, are made, in PROGRAM_PATH and in PATH.
#
# TIMEOUT (60) is the limit of each check and of each run of a command, enforced by petri itself, so that nothing is left
# behind. The program is the target `petri` where this build makes it, else $PETRI_PROGRAM or the `petri` in PATH. Folders
# are looked up when CMake configures, and again when one of them changes.
#
# Needs CMake 3.19; a project may ask for less by its cmake_minimum_required.
include_guard(GLOBAL)
if(CMAKE_VERSION VERSION_LESS 3.19)
  message(FATAL_ERROR "petri_add_reproducers needs CMake 3.19, this is ${CMAKE_VERSION}")
endif()
cmake_policy(PUSH)  # functions keep the policies of their definition, whatever the project asks for
cmake_policy(VERSION 3.19)

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
  add_test(NAME "${name}" COMMAND ${ARGN})
  math(EXPR limit "${limit} + 30")
  set_tests_properties("${name}" PROPERTIES LABELS "${labels}" TIMEOUT ${limit})
  if("mpi" IN_LIST labels)
    set_tests_properties("${name}" PROPERTIES RUN_SERIAL ON)  # ranks want the cores for themselves
  endif()
endfunction()

# _petri_glob(result pattern…). file(GLOB) does not mark where a semicolon is part of a name: such a name comes in pieces,
# none of which is a file. Here it comes as $<SEMICOLON>, which add_test understands.
function(_petri_glob result)
  file(GLOB_RECURSE pieces CONFIGURE_DEPENDS LIST_DIRECTORIES false ${ARGN})
  set(files "")
  set(begun "")
  foreach(piece IN LISTS pieces)
    string(APPEND begun "${piece}")
    if(EXISTS "${begun}" AND NOT IS_DIRECTORY "${begun}" AND begun MATCHES "\\.(json|jsonl|zst)$")
      string(REPLACE ";" "$<SEMICOLON>" begun "${begun}")
      list(APPEND files "${begun}")
      set(begun "")
    else()
      string(APPEND begun ";")
    endif()
  endforeach()
  if(begun)
    message(FATAL_ERROR "petri_add_reproducers: no such file, or a link to none: ${begun}")
  endif()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

function(petri_add_reproducers)
  cmake_parse_arguments(arg "LIVE;RUN_COMMANDS" "TIMEOUT" "FOLDER;PROGRAMS;PROGRAM_PATH" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FOLDER)
    message(FATAL_ERROR "petri_add_reproducers(FOLDER folder... [LIVE] [RUN_COMMANDS [PROGRAMS target...] "
      "[PROGRAM_PATH folder...]] [TIMEOUT seconds])")
  endif()
  if((arg_PROGRAMS OR arg_PROGRAM_PATH) AND NOT arg_RUN_COMMANDS)
    message(FATAL_ERROR "petri_add_reproducers: PROGRAMS and PROGRAM_PATH are for RUN_COMMANDS, which is missing")
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
    _petri_glob(scenarios "${top}/*.jsonl" "${top}/*.jsonl.zst")
    _petri_glob(commands "${top}/reproducer.json")
    if(NOT scenarios)
      message(FATAL_ERROR "petri_add_reproducers: no scenario at or below ${top}")
    endif()
    get_filename_component(top_name "${top}" NAME)
    set(folders "")
    foreach(scenario IN LISTS scenarios)
      get_filename_component(folder "${scenario}" DIRECTORY)
      # The files of this folder only: those below it have a test of their own.
      string(MD5 key "${folder}")
      if(NOT folder IN_LIST folders)
        list(APPEND folders "${folder}")
        set(files_${key} "")
      endif()
      list(APPEND files_${key} "${scenario}")
    endforeach()
    foreach(folder IN LISTS folders)
      file(RELATIVE_PATH below "${top}" "${folder}")
      set(name "reproducer.${top_name}")
      if(below)
        string(APPEND name "/${below}")
      endif()
      # A project that asks for a CMake before 3.19 may not have any character in a test's name (CMP0110).
      string(REPLACE "$<SEMICOLON>" "_" name "${name}")
      string(REGEX REPLACE "[][ \t\r\n#;\"$()\\]" "_" name "${name}")
      if(TEST "${name}")
        string(MD5 other "${below}")
        string(SUBSTRING "${other}" 0 8 other)
        string(APPEND name "~${other}")
      endif()
      string(MD5 key "${folder}")
      set(files ${files_${key}})
      set(check "${petri}" check --timeout ${arg_TIMEOUT})
      _petri_add_check("${name}" cli ${arg_TIMEOUT} ${check} --model-only ${files})
      set_tests_properties("${name}" PROPERTIES SKIP_RETURN_CODE 3)  # nothing could run
      if(arg_LIVE)
        _petri_add_check("${name}.live" "cli;mpi" ${arg_TIMEOUT} ${check} --live-only ${files})
        set_tests_properties("${name}.live" PROPERTIES SKIP_RETURN_CODE 3)
      endif()
      if(arg_RUN_COMMANDS AND "${folder}/reproducer.json" IN_LIST commands)
        # Its runs may be many, and each has its limit. A guard that cannot run is no test that is passed over.
        _petri_add_check("${name}.command" "cli;mpi" 86400 ${check} --run-commands --commands-only ${program_path} ${files})
      endif()
    endforeach()
  endforeach()
endfunction()

cmake_policy(POP)
