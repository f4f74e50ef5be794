// The texts of error codes. error_code::message() would allocate, and may be a function of the
// program: the recorder calls neither.
#include <stdio.h>
#include <string.h>

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

struct KnownError {
  const char* category;
  int value;
  const char* text;
};
// As Boost.Asio 1.81, Boost.Beast 1.81 and OpenSSL's adapter word them.
constexpr KnownError kErrors[] = {
    {"asio.misc", 1, "Already open"},
    {"asio.misc", 2, "End of file"},
    {"asio.misc", 3, "Element not found"},
    {"asio.misc", 4, "The descriptor does not fit into the select call's fd_set"},
    {"asio.netdb", 1, "Host not found (authoritative)"},
    {"asio.netdb", 2, "Host not found (non-authoritative), try again later"},
    {"asio.netdb", 3, "A non-recoverable error occurred during database lookup"},
    {"asio.netdb", 4, "The query is valid, but it does not have associated data"},
    {"asio.addrinfo", -8, "Service not found"},
    {"asio.addrinfo", -7, "Socket type not supported"},
    {"asio.channel", 1, "Channel closed"},
    {"asio.channel", 2, "Channel cancelled"},
    {"asio.ssl.stream", 1, "stream truncated"},
    {"boost.beast", 1, "The operation timed out"},
    {"beast.http", 1, "end of stream"},
    {"beast.http", 2, "partial message"},
    {"boost.beast.websocket", 1, "The WebSocket stream was gracefully closed at both endpoints"},
};

const char* find_text(const char* category, int value) {
  if (strcmp(category, "system") == 0 || strcmp(category, "generic") == 0 ||
      strcmp(category, "asio.system") == 0) {
#if defined(__GLIBC__)  // 2.32, older than Debian 12's
    return strerrordesc_np(value);
#else
    return nullptr;
#endif
  }
  for (const KnownError& error : kErrors)
    if (error.value == value && strcmp(error.category, category) == 0) return error.text;
  return nullptr;
}

}  // namespace
}  // namespace skein::record

extern "C" __attribute__((noinline)) void skein_error_text(const char* category, int value,
                                                           char* text, size_t size) {
  if (size == 0) return;
  if (const char* known = skein::record::find_text(category, value); known != nullptr) {
    const size_t length = strnlen(known, size - 1);
    memcpy(text, known, length);
    text[length] = 0;
  } else {
    skein::record::ErrnoGuard errno_guard;
    snprintf(text, size, "%s error %d", category, value);
  }
}
