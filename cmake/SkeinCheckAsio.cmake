# skein_check_asio(<variable> <folder> <prefix>): is the Asio whose headers are in <folder> here, and
# can this compiler use its coroutines? (Boost 1.74 and clang 14 do not go together.)
include(CheckCXXSourceCompiles)
function(skein_check_asio variable folder prefix)
  set(CMAKE_CXX_STANDARD 20)
  check_cxx_source_compiles("
    #include <${folder}/detail/config.hpp>
    #if !defined(${prefix}_HAS_CO_AWAIT)
    #error no coroutines
    #endif
    int main() {}" ${variable})
endfunction()
