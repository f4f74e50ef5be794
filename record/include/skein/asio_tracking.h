// Included in front of every translation unit of a program that is built with skein::asio (CMake)
// or skein_asio (pkg-config): makes Boost.Asio and standalone Asio report their handlers to
// skein/asio.h.
//
// Why not -D on the command line: the value holds < and >, and no quoting of them survives all of
// CMake, pkgconf (which writes \<), make and a plain shell.
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
