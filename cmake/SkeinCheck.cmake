# Makes ctest explain tests that hang, by `skein check`.
#
#   find_package(skein REQUIRED)          # or: include(<path>/SkeinCheck.cmake)
#   skein_check_tests(server_test client_test [TIMEOUT <seconds>] [OPTIONS <option>...])
#
# ctest then starts these executables with a launcher. A test that ends by itself does so as without
# it: output, exit code and signal are its own. One that does not end is explained shortly before
# ctest kills it, and fails with exit code 124. The build itself needs no change, and skein need not
# be linked.
#
# The time is that of the property TIMEOUT of the tests that the calling directory adds, less a fifth
# and at most 5 s; for others that of the argument TIMEOUT, or 1490 s. (ctest's default is 1500 s.) So
# tests of gtest_discover_tests(), which do not exist yet, need the argument. OPTIONS are others of
# skein-check(1), such as --budget "f p99 < 50ms running".
#
# With CMake 3.29 or later, the launcher is the property TEST_LAUNCHER; before, it is
# CROSSCOMPILING_EMULATOR, which tests that are added by add_test(NAME ... COMMAND <target>) use. A target
# that has one of them keeps it. Without the program `skein` (or SKEIN_PROGRAM), nothing changes.
cmake_policy(PUSH)
cmake_policy(VERSION 3.24)

# Passes the time of each test in this directory to its launcher.
function(skein_check_set_timeouts)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    if(NOT TEST "${test}")  # a part of a name with a semicolon
      continue()
    endif()
    get_property(limit TEST "${test}" PROPERTY TIMEOUT)
    if(NOT limit MATCHES "^[0-9]+(\\.[0-9]+)?$" OR limit EQUAL 0)
      continue()
    endif()
    string(REGEX REPLACE "\\..*" "" limit "${limit}")
    math(EXPR margin "${limit} * 200")  # ms
    if(margin GREATER 5000)
      set(margin 5000)
    endif()
    math(EXPR time "${limit} * 1000 - ${margin}")
    if(time GREATER 0)
      set_property(TEST "${test}" APPEND PROPERTY ENVIRONMENT_MODIFICATION
        "SKEIN_CHECK_TIMEOUT=set:${time}ms")
    endif()
  endforeach()
endfunction()

function(skein_check_tests)
  cmake_parse_arguments(ARG "" "TIMEOUT" "OPTIONS" ${ARGN})
  find_program(SKEIN_PROGRAM skein DOC "The program skein, which explains tests that hang")
  if(NOT SKEIN_PROGRAM)
    message(STATUS "skein: not found; tests that hang are not explained")
    return()
  endif()
  set(launcher "${SKEIN_PROGRAM}" check --launcher)
  if(DEFINED ARG_TIMEOUT)
    list(APPEND launcher --timeout "${ARG_TIMEOUT}s")
  endif()
  list(APPEND launcher ${ARG_OPTIONS} --)
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.29)
    set(property TEST_LAUNCHER)
  else()
    set(property CROSSCOMPILING_EMULATOR)
  endif()
  foreach(target IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(NOT TARGET "${target}")
      message(FATAL_ERROR "skein_check_tests: there is no target ${target}")
    endif()
    get_property(current TARGET "${target}" PROPERTY ${property})
    if(current)
      message(STATUS "skein: ${target} keeps its ${property}")
    else()
      set_property(TARGET "${target}" PROPERTY ${property} "${launcher}")
    endif()
  endforeach()
  get_property(is_deferred DIRECTORY PROPERTY SKEIN_CHECK_DEFERRED)
  if(NOT is_deferred)
    set_property(DIRECTORY PROPERTY SKEIN_CHECK_DEFERRED ON)
    cmake_language(DEFER CALL skein_check_set_timeouts)
  endif()
endfunction()
cmake_policy(POP)
