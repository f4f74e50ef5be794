# Speeds up builds with tests; included before the first target. Packages and release builds
# (BUILD_TESTING off) use only unity builds.
#
#   ccache   if installed. Objects are shared between clones: the presets set CCACHE_BASEDIR and
#            CCACHE_NOHASHDIR, and -ffile-prefix-map keeps the clone's path out of the objects.
#            All three are necessary for hits in another clone.
#   mold     if installed. Links `skein` in 0.3 s instead of 2 s; there are about 100 programs.
#   unity    SKEIN_UNITY (all presets but dev and coverage, and .ci/run): modules of trace/, view/ and report/,
#            and unit tests of most modules, are compiled 16 sources at once (SkeinModule.cmake), in
#            40 % of the CPU time. Names in unnamed namespaces of one module therefore differ.
#   headers  SKEIN_PRECOMPILED (clang14, the sanitizers' presets, and .ci/run): modules and their unit
#            tests begin with the standard headers of cmake/standard_headers.h, in 60 % of the CPU time.
#            The other presets, and tools/nightly, check that each file includes what it uses.
#
# Targets for some of the tests: `unit_tests` (label unit); `threaded` (label threads), for tests
# with threads, which are worth running with the thread sanitizer.
find_program(SKEIN_CCACHE ccache)
if(SKEIN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SKEIN_CCACHE})
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()

find_program(SKEIN_MOLD mold)
if(SKEIN_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# skein_precompiled(<target> <header> <source>...): with SKEIN_PRECOMPILED, a precompiled header of this
# folder for the target, if it has enough sources to be worth it.
function(skein_precompiled target header)
  list(LENGTH ARGN count)
  if(SKEIN_PRECOMPILED AND count GREATER 3)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
    # g++ forgets that precompiled code is the standard library's, and warns of it.
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                             -Wno-stringop-overread -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

add_custom_target(unit_tests)
add_custom_target(threaded)

# skein_threaded(<test> <target>...): declares that the test uses threads and needs these targets.
function(skein_threaded test)
  set_property(TEST ${test} APPEND PROPERTY LABELS threads)
  add_dependencies(threaded ${ARGN})
endfunction()
