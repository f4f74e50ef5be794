/* Makes Boost.Asio and standalone Asio include skein/asio.h. The targets skein::asio (CMake) and
   skein_asio (pkg-config) include this header before every translation unit. Does nothing in C, and
   in C++ before C++20.

   A program's own custom handler tracking stays in use, and Asio's operations are not recorded:
   Asio has room for one. If the program defines it in a source, after this header, the compiler
   reports that the macro is redefined.

   Rejected: -D on the command line. The value contains < and >, and no quoting of them works in
   CMake, pkgconf (which writes \<), make and a shell.

   A comment of C90, because -include adds this header to C sources too. */
#ifndef SKEIN_ASIO_TRACKING_H
#define SKEIN_ASIO_TRACKING_H
#if defined(__cplusplus) && __cplusplus > 201703L && defined(__cpp_concepts) && \
    !defined(SKEIN_DISABLE)

#include <skein/link.h>

// clang-format would insert spaces into <skein/asio.h>.
// clang-format off
#ifndef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING <skein/asio.h>  // if redefined: Asio is not recorded
#else
#warning "skein does not record Asio's operations: BOOST_ASIO_CUSTOM_HANDLER_TRACKING is in use"
#endif

#ifndef ASIO_CUSTOM_HANDLER_TRACKING
#define ASIO_CUSTOM_HANDLER_TRACKING <skein/asio.h>  // if redefined: Asio is not recorded
#else
#warning "skein does not record Asio's operations: ASIO_CUSTOM_HANDLER_TRACKING is in use"
#endif
// clang-format on

#endif
#endif
