#include "tap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace {

sockaddr_in socket_address(Ip address, uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(address.number);
  to.sin_port = htons(port);
  return to;
}

bool bring_up(const ifreq& device, Ip address) {
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return false;
  const auto ask = [&](unsigned long request, ifreq what) {
    return ioctl(control, request, &what) == 0;
  };
  const auto with_address = [&](Ip ip) {
    ifreq what = device;
    const sockaddr_in to = socket_address(ip, 0);
    std::memcpy(&what.ifr_addr, &to, sizeof to);
    return what;
  };
  ifreq up = device;
  up.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool ok = ask(SIOCSIFADDR, with_address(address)) &&
                  ask(SIOCSIFNETMASK, with_address(Ip{0xffff'ff00})) && ask(SIOCSIFFLAGS, up);
  close(control);
  return ok;
}

}  // namespace

int open_tap(Ip kernel) {
  if (unshare(CLONE_NEWNET) != 0) return -1;
  const int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tap < 0) return -1;
  ifreq device{};
  std::strcpy(device.ifr_name, "tap0");
  ifreq kind = device;
  kind.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(tap, TUNSETIFF, &kind) == 0 && bring_up(device, kernel)) return tap;
  close(tap);
  return -1;
}

int listen_at(Ip address, uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_in at = socket_address(address, port);
  if (listener >= 0 && bind(listener, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
      listen(listener, 1) == 0)
    return listener;
  if (listener >= 0) close(listener);
  return -1;
}
