// Makes Boost.Asio and standalone Asio include skein/asio.h. The targets skein::asio (CMake) and
// skein_asio (pkg-config) include this header before every translation unit.
//
// Rejected: -D on the command line. The value contains < and >, and no quoting of them works in
// CMake, pkgconf (which writes \<), make and a shell.
#ifndef SKEIN_ASIO_TRACKING_H
#define SKEIN_ASIO_TRACKING_H
#ifdef __cplusplus
#ifndef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING <skein/asio.h>
#endif
#ifndef ASIO_CUSTOM_HANDLER_TRACKING
#define ASIO_CUSTOM_HANDLER_TRACKING <skein/asio.h>
#endif
#endif
#endif
