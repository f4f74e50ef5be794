# The recorder differs from the other modules: it becomes part of users' programs.
#
#   skein::record          libskein.a    core (freestanding) + POSIX host, position independent
#   skein::record_shared   libskein.so   the same objects
#   skein::coroutine       flags         every C++20 coroutine of the target is traced
#   skein::asio            flags         and every handler of Boost.Asio or standalone Asio
#
# It is compiled with -O2 for every build type, because it must not slow down the debug build of a
# program. Builds with a sanitizer use their own optimisation level.

if(NOT TARGET skein_record OR NOT EXISTS ${PROJECT_SOURCE_DIR}/record/core)
  return()
endif()
get_target_property(kind skein_record TYPE)
if(kind STREQUAL "INTERFACE_LIBRARY")
  return()
endif()

set(record_options -fno-exceptions -fno-rtti -fvisibility=hidden)
if(NOT SKEIN_SANITIZED)
  list(APPEND record_options -O2)
endif()
# Intel's Skylake to Cascade Lake decode a jump that crosses a 32-byte boundary again each time (the
# "jump conditional code" erratum), which costs 1 to 4 ns per event, depending on its address.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mbranches-within-32B-boundaries SKEIN_COMPILER_ALIGNS_BRANCHES)  # clang
check_cxx_compiler_flag(-Wa,-mbranches-within-32B-boundaries SKEIN_ASSEMBLER_ALIGNS_BRANCHES)  # gcc
if(SKEIN_COMPILER_ALIGNS_BRANCHES)
  list(APPEND record_options -mbranches-within-32B-boundaries)
elseif(SKEIN_ASSEMBLER_ALIGNS_BRANCHES)
  list(APPEND record_options -Wa,-mbranches-within-32B-boundaries)
endif()
target_compile_options(skein_record PRIVATE ${record_options})
set_target_properties(skein_record PROPERTIES
  POSITION_INDEPENDENT_CODE ON OUTPUT_NAME skein EXPORT_NAME record)
target_link_libraries(skein_record PUBLIC Threads::Threads)

file(GLOB core CONFIGURE_DEPENDS record/core/*.cc)
set_source_files_properties(${core} PROPERTIES
  COMPILE_OPTIONS "-ffreestanding;-fno-stack-protector")

add_library(skein_record_shared SHARED $<TARGET_OBJECTS:skein_record>)
set_target_properties(skein_record_shared PROPERTIES
  OUTPUT_NAME skein EXPORT_NAME record_shared LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(skein_record_shared PUBLIC skein_format Threads::Threads)
target_compile_features(skein_record_shared PUBLIC cxx_std_20)
target_include_directories(skein_record_shared PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/record/include> $<INSTALL_INTERFACE:include>)

# The folder skein/wrappers has a <coroutine> that traces coroutines, and includes the compiler's.
include(cmake/SkeinHeaders.cmake)
add_library(skein_coroutine INTERFACE)
target_link_libraries(skein_coroutine INTERFACE skein_record)
target_compile_options(skein_coroutine INTERFACE
  "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-I${PROJECT_SOURCE_DIR}/record/include/skein/wrappers>>"
  "$<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-I$<INSTALL_PREFIX>/include/skein/wrappers>>")
# A program without coroutines has an empty trace.
target_link_options(skein_coroutine INTERFACE LINKER:--undefined=skein_module_unloaded)
set_target_properties(skein_coroutine PROPERTIES EXPORT_NAME coroutine)

# -include finds the header through the include path of skein::record, so the flag is the same in a
# build tree, in a relocated prefix and in /usr. Targets with precompiled headers get the header from
# skein_precompile_headers, at the end of the project; the property SKEIN_ASIO reaches all targets that
# link skein::asio, directly or not.
add_library(skein_asio INTERFACE)
target_link_libraries(skein_asio INTERFACE skein_coroutine)
target_compile_options(skein_asio INTERFACE
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,${SKEIN_PLAIN}>:SHELL:-include skein/asio_tracking.h>")
set_target_properties(skein_asio PROPERTIES EXPORT_NAME asio
  INTERFACE_SKEIN_ASIO ON COMPATIBLE_INTERFACE_BOOL SKEIN_ASIO)
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL skein_precompile_headers)

foreach(name record record_shared coroutine asio format)
  add_library(skein::${name} ALIAS skein_${name})
endforeach()

# libskein-uv.so, for unmodified libuv programs with LD_PRELOAD.
find_path(SKEIN_UV_INCLUDE uv.h)
find_library(SKEIN_UV uv)
if(SKEIN_UV AND SKEIN_UV_INCLUDE)
  add_library(skein_uv SHARED record/preload/libuv.cc)
  target_include_directories(skein_uv PRIVATE ${SKEIN_UV_INCLUDE})
  target_link_libraries(skein_uv PRIVATE skein_record ${CMAKE_DL_LIBS})
  set_target_properties(skein_uv PROPERTIES OUTPUT_NAME skein-uv CXX_VISIBILITY_PRESET hidden)
endif()
