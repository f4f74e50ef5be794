// skein control SOCKET status|start|stop|snapshot ...
//
// Talks to the control port of a running program (record/host/posix/control.h says the protocol):
// one request, one line of JSON in answer.
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/fail.h"

namespace skein::cli {
namespace {

// How long the program may take: it copies its trace for a snapshot. One that is stopped, or waits
// for a debugger, never answers.
timeval patience(const ControlOptions& options) {
  return {.tv_sec = options.request == "snapshot" ? 120 : 10, .tv_usec = 0};
}

std::string ask(const std::string& path, const std::string& request, timeval patience) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) fail(2, path + ": too long for a socket path");
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail(1, std::string("socket: ") + strerror(errno));
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const std::string reason = strerror(errno);
    close(fd);
    fail(2, path + ": " + reason + "; start the program with SKEIN_CONTROL=" + path);
  }
  const std::string line = request + "\n";
  if (send(fd, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    close(fd);
    fail(1, path + ": " + strerror(errno));
  }
  std::string answer;
  char piece[4096];
  constexpr size_t kMost = size_t{1} << 20;  // no answer is as long
  ssize_t n = 0;
  while (answer.size() < kMost && (n = recv(fd, piece, sizeof piece, 0)) > 0)
    answer.append(piece, static_cast<size_t>(n));
  const bool late = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  close(fd);
  if (late)
    fail(1, path + ": no answer for " + std::to_string(patience.tv_sec) +
                " s; the program may be stopped, or in a debugger");
  return answer;
}

}  // namespace

int run_control(const ControlOptions& options) {
  std::string request = options.request;
  if (!options.argument.empty()) {
    if (request != "start" && request != "snapshot") fail(2, request + " takes no argument");
    request += " " + options.argument;
  }
  if (request.find('\n') != std::string::npos) fail(2, "a request cannot contain a line break");
  const std::string answer = ask(options.socket, request, patience(options));
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (!json.is_object()) fail(1, options.socket + ": invalid answer");
  if (!json.value("ok", false)) fail(1, json.value("error", std::string("refused")));
  printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return 0;
}

}  // namespace skein::cli
