# skein_check_asio(<variable> <folder> <prefix>): sets the variable if the Asio with headers in
# <folder> is installed and the compiler supports its coroutines. (Boost 1.74 does not work with
# clang 14.)
#
# With clang, Boost 1.74 detects only the coroutines of the TS. For clang 15 and later, this defines
# Boost's macros for those of C++20, for all targets of the calling folder.
include(CheckCXXSourceCompiles)
function(skein_check_asio variable folder prefix)
  set(CMAKE_CXX_STANDARD 20)
  set(definitions)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
    set(definitions BOOST_ASIO_HAS_CO_AWAIT=1 ASIO_HAS_CO_AWAIT=1)
  endif()
  list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE CMAKE_REQUIRED_DEFINITIONS)
  check_cxx_source_compiles("
    #include <${folder}/detail/config.hpp>
    #if !defined(${prefix}_HAS_CO_AWAIT) || !defined(${prefix}_HAS_STD_COROUTINE)
    #error no coroutines
    #endif
    int main() {}" ${variable})
  if(${variable})
    add_compile_definitions(${definitions})
  endif()
endfunction()
