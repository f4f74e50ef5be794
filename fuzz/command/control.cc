// The control protocol. Sends the input to the recorder in this process as a request; its reply
// must be one that `skein control` accepts. Parses the input as a reply; what it prints must be
// printable.
//
// Requests that create files (start, snapshot) are sent without an argument only: they are
// rejected, or fail, as the recorder has no directory.
#include <skein/skein.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/input/control_reply.h"
#include "fuzz/command/any_trace.h"

using namespace skein;
using fuzz::require;

namespace {

std::string path() { return std::getenv("SKEIN_CONTROL"); }

std::string reply_to(std::string_view request) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string to = path();
  require(to.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, to.c_str(), to.size() + 1);
  const int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(peer >= 0);
  while (connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    require(errno == EINTR || errno == EAGAIN);
  (void)!send(peer, request.data(), request.size(), MSG_NOSIGNAL);
  shutdown(peer, SHUT_WR);
  std::string reply;
  char piece[4096];
  for (ssize_t n; (n = recv(peer, piece, sizeof piece, 0)) > 0;)
    reply.append(piece, static_cast<size_t>(n));
  close(peer);
  return reply;
}

}  // namespace

// The recorder creates its socket before main, if the environment names one.
extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  if (std::getenv("SKEIN_CONTROL") == nullptr) {
    char folder[] = "/tmp/skein-fuzz-control-XXXXXX";
    require(mkdtemp(folder) != nullptr);
    setenv("SKEIN_CONTROL", (std::string(folder) + "/socket").c_str(), 1);
    execv("/proc/self/exe", *argv);
    std::abort();
  }
  (void)skein_enabled();  // links the recorder
  std::atexit([] {
    const std::string socket = path();
    unlink(socket.c_str());
    rmdir(socket.substr(0, socket.rfind('/')).c_str());
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto reply = cli::read_control_reply(text)) {
    fuzz::require_printable(reply->text());
  } else {
    require(!reply.error().what.empty());
  }
  if (text.starts_with("start ") || text.starts_with("snapshot ")) return 0;
  const std::string reply = reply_to(text);
  if (reply.empty()) return 0;  // closed by the recorder: too long, or not a line
  fuzz::require_printable(reply);
  const auto read = cli::read_control_reply(reply);
  require(read || read.error().what != "invalid reply");
  return 0;
}
