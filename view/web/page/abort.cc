// What the module's library does when it gives up: stop, without a text. Its own would bring printf
// and stdio with it, 14 kB of 300. The page reports the trap.
#include <cstdlib>

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { std::abort(); }
_LIBCPP_END_NAMESPACE_STD

extern "C" [[noreturn]] void abort_message(const char*, ...) { std::abort(); }
