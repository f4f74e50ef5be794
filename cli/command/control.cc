// skein control SOCKET status|start|stop|sample|snapshot ...
//
// Sends one request to the control socket of a running program and prints its reply. The protocol:
// record/host/posix/control.h.
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/control_reply.h"

namespace skein::cli {
namespace {

// Returns the timeout of a request. A snapshot takes as long as copying the trace. A program that
// is stopped, or in a debugger, never replies.
timeval timeout_of(const ControlOptions& options) {
  return {.tv_sec = options.request == "snapshot" ? 120 : 10, .tv_usec = 0};
}

// Sends the request and returns the reply. Each send and receive waits for at most `timeout`.
std::string send_request(const std::string& path, const std::string& request, timeval timeout) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) die(2, path + ": too long for a socket path");
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) die(1, std::string("socket: ") + strerror(errno));
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int reason = errno;
    close(fd);
    struct stat file;
    if (stat(path.c_str(), &file) == 0 && !S_ISSOCK(file.st_mode)) die(2, path + ": not a socket");
    die(2, path + ": " + strerror(reason) + "; start the program with SKEIN_CONTROL=" + path);
  }
  const std::string line = request + "\n";
  const bool sent =
      send(fd, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  const int send_error = errno;  // EPIPE: the program has refused the connection and says why
  std::string reply;
  char piece[4096];
  constexpr size_t longest = size_t{1} << 20;
  ssize_t n = 0;
  while (reply.size() < longest && (n = recv(fd, piece, sizeof piece, 0)) > 0)
    reply.append(piece, static_cast<size_t>(n));
  const bool late = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  close(fd);
  if (!sent && reply.empty()) die(1, path + ": " + strerror(send_error));
  if (late)
    die(1, path + ": no reply within " + std::to_string(timeout.tv_sec) +
               " s; the program may be stopped, or in a debugger");
  return reply;
}

}  // namespace

int run_control(const ControlOptions& options) {
  std::string request = options.request;
  if (!options.argument.empty()) {
    if (request != "start" && request != "sample" && request != "snapshot") die(2, request + " takes no argument");
    request += " " + options.argument;
  }
  if (request.find('\n') != std::string::npos) die(2, "a request cannot contain a line break");
  const std::string line = send_request(options.socket, request, timeout_of(options));
  const auto reply = read_control_reply(line);
  if (!reply) die(1, options.socket + ": " + reply.error().message());
  fputs(reply->text().c_str(), stdout);
  return 0;
}

}  // namespace skein::cli
