#include "target/guest/gdb_stream.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "target/guest/gdb_clients.h"

namespace skein {

namespace {

// The client before may just have gone.
bool wait_until_free(const sockaddr* address, socklen_t size, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds pause{10};
  const auto until = GdbSocket::Clock::now() + patience;
  while (has_client(address, size)) {
    if (GdbSocket::Clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

// Null: a socket or the guardian could not be made.
std::unique_ptr<GdbSocket> connect_one(int family, const sockaddr* address, socklen_t size,
                                       std::chrono::milliseconds patience) {
  if (!wait_until_free(address, size, patience)) {
    errno = EAGAIN;
    return nullptr;
  }
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return nullptr;
  auto made = std::make_unique<GdbSocket>(descriptor, patience);
  const int on = 1;  // else a packet after an acknowledgement waits for the server's, 40 ms
  if (family != AF_UNIX) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Before it connects: there is no moment at which this process may die and leave the guest
  // stopped.
  std::optional<GdbGuardian> guardian = GdbGuardian::start(descriptor);
  if (!guardian) {
    errno = ECHILD;  // not EAGAIN of fork(), which is a busy server's
    return nullptr;
  }
  int error = connect(descriptor, address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd wait = {.fd = descriptor, .events = POLLOUT, .revents = 0};
    int ready = 0;
    while ((ready = poll(&wait, 1, static_cast<int>(patience.count()))) < 0 && errno == EINTR) {
    }
    socklen_t length = sizeof error;
    if (ready <= 0)
      error = ETIMEDOUT;
    else
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length);
  }
  if (error != 0) {
    guardian->keep();
    guardian->finish();
    errno = error;
    return nullptr;
  }
  made->set_guardian(*std::move(guardian));
  return made;
}

Error connect_failure(const std::string& where, const char* option) {
  const int error = errno;
  if (error == ECHILD)
    return Error{.what = "no process can be made that lets the guest go on", .file = where};
  return Error{.what = error == EAGAIN ? "it is busy" : std::strerror(error),
               .file = where,
               .advice = error == EAGAIN ? "another debugger may be connected"
                                         : "QEMU listens with " + std::string(option)};
}

}  // namespace

std::optional<GdbAddress> parse_gdb_address(std::string_view text) {
  if (text.find('/') != text.npos) {
    if (text.size() >= sizeof(sockaddr_un::sun_path) || text.find('\0') != text.npos) return {};
    return GdbAddress{.path = std::string(text)};
  }
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return {};
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 ||
      !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    return {};
  return GdbAddress{.host = host.empty() ? "localhost" : std::string(host),
                    .port = std::string(port)};
}

GdbSocket::GdbSocket(int descriptor, std::chrono::milliseconds patience)
    : descriptor_(descriptor), patience_(patience) {
  fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

GdbSocket::~GdbSocket() { release(); }

bool GdbSocket::release() {
  const bool is_confirmed = !guardian_ || guardian_->finish();
  guardian_.reset();
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  return is_confirmed;
}

bool GdbSocket::wait_for(short events) const {
  const Clock::time_point until = std::min(Clock::now() + patience_, deadline_);
  for (;;) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd wait = {.fd = descriptor_, .events = events, .revents = 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::max<long>(rest, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

Result<void> GdbSocket::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Error{.what = "the gdb server has closed the connection"};
    if (!wait_for(POLLOUT)) return Error{.what = "the gdb server reads nothing"};
  }
  return {};
}

Result<size_t> GdbSocket::read(std::span<char> to) {
  for (;;) {
    if (Clock::now() >= deadline_) return Error{.what = "the gdb server is too slow"};
    const ssize_t count = recv(descriptor_, to.data(), to.size(), 0);
    if (count > 0) return static_cast<size_t>(count);
    if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return Error{.what = "the gdb server has closed the connection"};
    if (errno == EAGAIN && !wait_for(POLLIN))
      return Error{.what = Clock::now() >= deadline_ ? "the gdb server is too slow"
                                                     : "the gdb server does not answer",
                   .advice = "another debugger may be connected"};
  }
}

Result<std::unique_ptr<GdbSocket>> connect_to_gdb(const GdbAddress& address,
                                                  std::chrono::milliseconds patience) {
  if (address.host.empty()) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    address.path.copy(name.sun_path, sizeof name.sun_path - 1);
    auto made =
        connect_one(AF_UNIX, reinterpret_cast<const sockaddr*>(&name), sizeof name, patience);
    if (made == nullptr) return connect_failure(address.path, "-gdb unix:PATH,server=on,wait=off");
    return made;
  }
  const std::string where = address.host + ":" + address.port;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found))
    return Error{.what = gai_strerror(error), .file = where};
  std::unique_ptr<GdbSocket> made;
  for (const addrinfo* one = found; one != nullptr && made == nullptr; one = one->ai_next)
    made = connect_one(one->ai_family, one->ai_addr, one->ai_addrlen, patience);
  const int error = errno;
  freeaddrinfo(found);
  errno = error;
  if (made == nullptr) return connect_failure(where, "-gdb tcp:HOST:PORT");
  return made;
}

}  // namespace skein
