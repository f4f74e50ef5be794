#include "record/host/posix/control.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <skein/skein.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "record/host/posix/options.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr int kPatienceMs = 5000;  // time limit of a request line
constexpr size_t kLongestRequest = 2048;
int listener = -1;
ino_t listener_inode = 0;

// A program that closes all descriptors may have reused the number for another socket.
bool listener_is_ours() {
  struct stat facts;
  return fstat(listener, &facts) == 0 && S_ISSOCK(facts.st_mode) && facts.st_ino == listener_inode;
}

// Closes the socket in a forked child: no thread there would reply, and while the child held the
// socket no other process could bind the path.
void leave_to_parent() {
  ErrnoGuard errno_guard;
  if (listener_is_ours()) close(listener);
  listener = -1;
}

struct Reply {
  char data[6 * kLongestRequest + 2048];  // room for a quoted request
  size_t size = 0;
  Reply& add(const char* text) {
    while (*text != 0 && size + 1 < sizeof data) data[size++] = *text++;
    return *this;
  }
  Reply& add(uint64_t number) {
    Text digits;
    return add(digits.add(number).data);
  }
  Reply& quoted(const char* text) {
    add("\"");
    for (; *text != 0; ++text) {
      const auto c = static_cast<unsigned char>(*text);
      if (c == '"' || c == '\\') add("\\");
      if (c < 0x20) {
        constexpr char kHex[] = "0123456789abcdef";
        const char code[7] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15], 0};
        add(code);
      } else {
        const char one[2] = {*text, 0};
        add(one);
      }
    }
    return add("\"");
  }
  Reply& error(const char* what, int number) {
    add("{\"ok\":false,\"error\":");
    if (number == 0) return quoted(what).add("}\n");
    Text line;
    return quoted(line.add(what).add(": ").add(strerror(number)).data).add("}\n");
  }
};

void add_status(Reply& reply) {
  skein_status status;
  skein_get_status(&status);
  reply.add("{\"ok\":true,\"pid\":").add(static_cast<uint64_t>(getpid()));
  reply.add(",\"on\":").add(status.on != 0 ? "true" : "false");
  reply.add(",\"generation\":").add(uint64_t{status.generation});
  reply.add(",\"streams\":").add(uint64_t{status.streams});
  reply.add(",\"clock\":");
  reply.add(status.directory[0] == 0   ? "null"
            : status.clock_is_tsc != 0 ? "\"tsc\""
                                       : "\"monotonic\"");
  reply.add(",\"bytes\":").add(status.bytes).add(",\"lost\":").add(status.lost);
  reply.add(",\"directory\":").quoted(status.directory).add("}\n");
}

void do_start(const char* argument, Reply& reply) {
  Options options;
  const bool anew = argument[0] != 0;
  if (anew) {
    if (const char* wrong = parse_options(argument, options); wrong != nullptr) {
      reply.error(wrong, 0);
      return;
    }
  }
  const int error = start_trace(anew ? &options : nullptr);
  if (error == EINVAL && !anew)
    reply.error("no trace to resume; use: start DIR", 0);
  else if (error != 0)
    reply.error("start", error);
  else
    add_status(reply);
}

void do_snapshot(const char* argument, Reply& reply) {
  if (argument[0] == 0) {
    reply.error("snapshot requires a directory that does not exist", 0);
    return;
  }
  SnapshotResult result;
  if (const int error = take_snapshot(argument, result); error != 0) {
    reply.error(argument, error);
    return;
  }
  reply.add("{\"ok\":true,\"directory\":").quoted(argument);
  reply.add(",\"files\":").add(uint64_t{result.files});
  reply.add(",\"retries\":").add(uint64_t{result.retries});
  reply.add(",\"missed\":").add(uint64_t{result.missed}).add("}\n");
}

void answer(char* request, Reply& reply) {
  char* argument = request + strcspn(request, " ");
  if (*argument != 0) *argument++ = 0;
  if (strcmp(request, "status") == 0) {
    add_status(reply);
  } else if (strcmp(request, "start") == 0) {
    do_start(argument, reply);
  } else if (strcmp(request, "stop") == 0) {
    skein_stop();
    add_status(reply);
  } else if (strcmp(request, "snapshot") == 0) {
    do_snapshot(argument, reply);
  } else {
    reply.error("unknown request; use: status, start [DIR[,OPTIONS]], stop, snapshot DIR", 0);
  }
}

bool is_permitted(int peer) {
  ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return false;
  return credentials.uid == geteuid() || credentials.uid == 0;
}

// Reads one line, without its end. Returns null, or an error message; an empty one means that the
// peer is gone. All of the peer's input is read even after an error, because closing the connection
// before that could discard the reply.
const char* read_request(int peer, char (&request)[kLongestRequest]) {
  size_t size = 0;
  bool too_long = false;
  const uint64_t until = monotonic_ns() + uint64_t{kPatienceMs} * 1'000'000;
  for (;;) {
    const uint64_t now = monotonic_ns();
    pollfd waiting = {peer, POLLIN, 0};
    if (now >= until || poll(&waiting, 1, static_cast<int>((until - now) / 1'000'000) + 1) == 0)
      return "timed out after 5 s waiting for a request line";
    const ssize_t n = recv(peer, request + size, sizeof request - size, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0 || (n == 0 && size == 0)) return "";
    auto* end = static_cast<char*>(memchr(request + size, '\n', static_cast<size_t>(n)));
    size += static_cast<size_t>(n);
    if (end != nullptr || n == 0) {
      if (too_long) return "request is longer than 2047 bytes";
      if (end == nullptr) end = request + size;
      *end = 0;
      return memchr(request, 0, static_cast<size_t>(end - request)) == nullptr
                 ? nullptr
                 : "request contains a zero byte";
    }
    if (size < sizeof request) continue;
    too_long = true;
    size = 1;  // not 0: the peer has sent something
  }
}

void serve(int peer) {
  Reply reply;
  char request[kLongestRequest];
  const char* wrong = read_request(peer, request);
  if (!is_permitted(peer))
    reply.error("permission denied", 0);
  else if (wrong == nullptr)
    answer(request, reply);
  else if (wrong[0] != 0)
    reply.error(wrong, 0);
  // A reply fits the socket's buffer, so this does not wait for a peer that does not read.
  for (size_t at = 0; at < reply.size;) {
    const ssize_t n = ::send(peer, reply.data + at, reply.size - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

void* control_thread(void*) {
  prctl(PR_SET_NAME, "skein-control");
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  while (listener_is_ours()) {
    const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer >= 0) {
      serve(peer);
      close(peer);
    } else if (errno != EINTR && errno != ECONNABORTED) {
      poll(nullptr, 0, 100);  // no descriptor or memory: retry
    }
  }
  return nullptr;
}

// True if the socket belongs to no process, so that it may be replaced.
bool is_abandoned(const sockaddr_un& address) {
  struct stat facts;
  if (lstat(address.sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode) || facts.st_uid != geteuid())
    return false;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool refused =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno == ECONNREFUSED;
  close(probe);
  return refused;
}

const char* bind_listener(const sockaddr_un& address) {
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return "control socket";
  // Before bind, so that no other user can connect in between.
  if (fchmod(listener, 0600) != 0) return "control socket: permissions";
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  int error = bind(listener, generic, sizeof address);
  if (error != 0 && errno == EADDRINUSE && is_abandoned(address)) {
    unlink(address.sun_path);
    error = bind(listener, generic, sizeof address);
  }
  if (error != 0) return "control socket: bind";
  return listen(listener, 8) == 0 ? nullptr : "control socket: listen";
}

}  // namespace

const char* listen_for_control(const char* path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  Text expanded;
  for (const char* at = path; *at != 0; ++at) {
    const char one[2] = {*at, 0};
    if (at[0] == '%' && at[1] == 'p') {
      expanded.add(static_cast<uint64_t>(getpid()));
      ++at;
    } else {
      expanded.add(one);
    }
  }
  if (expanded.size >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return "control socket";
  }
  memcpy(address.sun_path, expanded.data, expanded.size + 1);
  if (const char* wrong = bind_listener(address); wrong != nullptr) {
    if (listener >= 0) close(listener);
    return wrong;
  }
  struct stat facts;
  if (fstat(listener, &facts) == 0) listener_inode = facts.st_ino;
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  // The program's signals must not be delivered to this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, size_t{128} << 10);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, control_thread, nullptr);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return nullptr;
  errno = error;
  unlink(address.sun_path);
  close(listener);
  return "control thread";
}

}  // namespace skein::record
