# The program `skein`: cli/main.cc and one file per subcommand in cli/command. All but main.cc is in
# a library, so that unit tests can link to it.
find_package(CLI11 REQUIRED)

file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS cli/*.cc)
file(GLOB_RECURSE cli_tests CONFIGURE_DEPENDS cli/*_test.cc)
list(FILTER cli_sources EXCLUDE REGEX "(_test|/main)\\.cc$")
if(NOT TARGET skein_frames)
  list(FILTER cli_sources EXCLUDE REGEX "/(unprepared|awaited_text|coroutine_[a-z]+|recorded_meanwhile|thread_lines|thread_stacks|thread_stacks_text)\\.cc$")
  list(FILTER cli_tests EXCLUDE REGEX "/thread_lines_test\\.cc$")
endif()

add_library(skein_cli OBJECT ${cli_sources})
if(SKEIN_UNITY)
  skein_unity(skein_cli)
  # These have names of others in an unnamed namespace; memory.cc replaces operator new.
  set_property(SOURCE cli/command/render.cc cli/command/show.cc cli/input/thread_stacks.cc cli/check/case_list.cc cli/check/ctest_list.cc
    cli/output/window.cc cli/input/analysis.cc cli/memory.cc PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endif()
if(BUILD_TESTING)
  skein_precompiled(skein_cli standard_headers.h ${cli_sources})
endif()
target_link_libraries(skein_cli PUBLIC
  skein_record skein_target skein_profile_sched skein_profile_flame skein_report skein_trace_export skein_view_paint skein_view_viewer skein_view_web)
target_link_libraries(skein_cli PRIVATE CLI11::CLI11)  # included by cli/command_line.cc only
include(GNUInstallDirs)
target_compile_definitions(skein_cli PUBLIC
  SKEIN_VERSION="${PROJECT_VERSION}" SKEIN_LIBEXEC="${CMAKE_INSTALL_LIBEXECDIR}/skein")
set_property(SOURCE cli/output/cmake_file.cc APPEND PROPERTY COMPILE_DEFINITIONS
  SKEIN_CMAKE_DIR="${CMAKE_INSTALL_LIBDIR}/cmake/skein")
if(TARGET skein_view_cairo)
  target_link_libraries(skein_cli PUBLIC skein_view_cairo)
  target_compile_definitions(skein_cli PUBLIC SKEIN_HAS_CAIRO)
endif()
if(TARGET skein_trace_query)
  target_link_libraries(skein_cli PUBLIC skein_trace_query)
  set_property(SOURCE cli/command/query.cc cli/output/coroutine_table.cc APPEND PROPERTY COMPILE_DEFINITIONS
    SKEIN_HAS_SQLITE)
endif()
if(TARGET skein_frames)
  target_link_libraries(skein_cli PUBLIC skein_frames)
  set_property(SOURCE cli/input/callback_lines.cc cli/input/memory_check.cc
    cli/input/memory_trace.cc cli/command/core.cc cli/command/query.cc cli/output/memory_report.cc
    cli/output/memory_section.cc
    cli/output/unprepared_report.cc cli/check/explain_hang.cc
    APPEND PROPERTY COMPILE_DEFINITIONS SKEIN_HAS_SYMBOLS)
endif()
if(TARGET skein_profile_sample)
  target_link_libraries(skein_cli PUBLIC skein_profile_sample skein_profile_trace)
  set_property(SOURCE cli/input/stacks_input.cc cli/input/stack_functions.cc cli/input/profile_input.cc
    cli/command/profile.cc APPEND PROPERTY COMPILE_DEFINITIONS SKEIN_HAS_SYMBOLS)
endif()
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)  # without it the prompt of `skein query` has no editing
  pkg_check_modules(libedit QUIET libedit)
endif()
if(libedit_FOUND)  # its <histedit.h> needs no include path
  target_link_libraries(skein_cli PUBLIC ${libedit_LINK_LIBRARIES})
  set_property(SOURCE cli/input/prompt.cc APPEND PROPERTY COMPILE_DEFINITIONS SKEIN_HAS_LIBEDIT)
endif()
if(SKEIN_SANITIZED)  # with CLI11 and instrumentation: 30 s with -O1, 10 s with -O0
  set_property(SOURCE cli/command_line.cc APPEND PROPERTY COMPILE_OPTIONS -O0)
  set_property(SOURCE cli/command_line.cc PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endif()

add_executable(skein cli/main.cc)
target_link_libraries(skein PRIVATE skein_cli)

skein_unit_tests(cli_test skein_cli FILES ${cli_tests})
