// The kernel's counts of a TCP connection's bytes.
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "record/host/posix/state.h"

namespace skein::record {

namespace {

// linux/net/tcp_states.h; <netinet/tcp.h> has them, but excludes <linux/tcp.h>.
enum TcpState : uint8_t {
  kFinWait1 = 4,
  kTimeWait = 6,
  kClose = 7,
  kCloseWait = 8,
  kLastAck = 9,
  kClosing = 11,
};

bool read_tcp_info(int descriptor, tcp_info& info) {
  constexpr size_t needed = offsetof(tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans;
  socklen_t size = sizeof info;
  return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= needed;
}

}  // namespace

// Written by the program: what was sent once, and what waits to be sent. A FIN that waits behind
// data counts there. Read by the program: what has arrived in order, without what it has not read
// yet and the peer's FIN. Between the two calls more may arrive, hence the third.
bool read_kernel_bytes(int descriptor, KernelBytes& bytes) {
  ErrnoGuard errno_guard;
  tcp_info info;
  tcp_info after;
  int unread = 0;
  if (!read_tcp_info(descriptor, after)) return false;
  int tries = 3;
  do {
    info = after;
    if (tries-- == 0 || info.tcpi_state == kClose ||  // whether a FIN is counted is unknown
        ioctl(descriptor, SIOCINQ, &unread) != 0 || !read_tcp_info(descriptor, after))
      return false;
  } while (info.tcpi_bytes_received != after.tcpi_bytes_received ||
           info.tcpi_state != after.tcpi_state);
  bytes.state = info.tcpi_state;
  const bool fin_waits =
      (bytes.state == kFinWait1 || bytes.state == kLastAck || bytes.state == kClosing) &&
      info.tcpi_notsent_bytes > 0;
  const bool fin_arrived = bytes.state == kCloseWait || bytes.state == kLastAck ||
                           bytes.state == kClosing || bytes.state == kTimeWait;
  bytes.sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes -
               (fin_waits ? 1U : 0U);
  bytes.received =
      info.tcpi_bytes_received - static_cast<unsigned long long>(unread) - (fin_arrived ? 1U : 0U);
  return true;
}

}  // namespace skein::record
