#include "record/host/posix/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "record/host/posix/open_file.h"
#include "record/host/posix/options.h"
#include "record/host/posix/own_thread.h"
#include "record/host/posix/sampling.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kPatience = 5000 * kMillisecond;  // time limit of a request line
// A connection may be replaced by another one only after this time, so that a flood of silent ones
// cannot displace a client between its connect and its send.
constexpr uint64_t kGrace = 100 * kMillisecond;
constexpr size_t kLongestRequest = 2048;
constexpr unsigned kMostPeers = 16;  // connections without a complete request
int listener = -1;
ino_t listener_inode = 0;
bool control_runs = false;   // the control thread
pthread_t main_thread = {};  // none in a forked child, which has no control thread

ino_t inode_of_socket(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? info.st_ino : 0;
}
// A program that closes all descriptors may have reused the number for another socket.
bool is_still(int fd, ino_t inode) { return fd >= 0 && inode != 0 && inode_of_socket(fd) == inode; }
bool listener_is_ours() { return is_still(listener, listener_inode); }

// Moves a descriptor to a high number, if there is one, so that the program gets the numbers that
// it would get without the recorder.
int moved_high(int fd) {
  const int high = duplicate_high(fd);
  if (high < 0) return fd;
  close(fd);
  return high;
}

// Closes the socket in a forked child: no thread there would reply, and while the child held the
// socket no other process could bind the path.
void leave_to_parent() {
  ErrnoGuard errno_guard;
  if (listener_is_ours()) close(listener);
  listener = -1;
  main_thread = {};
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
  reply.add(",\"sample_rate\":").add(uint64_t{sample_rate()});
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
  else if (const char* wrong = sample_as_requested(); wrong != nullptr)
    reply.error(wrong, 0);
  else
    add_status(reply);
}

void do_sample(const char* argument, Reply& reply) {
  uint32_t rate = kDefaultSampleRate;
  if (strcmp(argument, "off") == 0) {
    stop_sampling();
    return add_status(reply);
  }
  if (argument[0] != 0)
    if (const char* wrong = parse_sample_rate(argument, rate); wrong != nullptr) {
      reply.error(wrong, 0);
      return;
    }
  if (const char* wrong = sample_trace(rate); wrong != nullptr)
    reply.error(wrong, 0);
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
  } else if (strcmp(request, "sample") == 0) {
    do_sample(argument, reply);
  } else {
    reply.error(
        "unknown request; use: status, start [DIR[,OPTIONS]], stop, sample [HZ|off], snapshot DIR",
        0);
  }
}

bool is_permitted(int peer) {
  ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return false;
  return credentials.uid == geteuid() || credentials.uid == 0;
}

// A connection whose request is not complete.
struct Peer {
  int fd = -1;  // -1: none
  ino_t inode = 0;
  uint64_t since = 0;  // when it was accepted, by monotonic_ns
  bool too_long = false;
  size_t size = 0;
  char request[kLongestRequest] = {};
};

// Closes a connection. The shutdown reaches the peer even if a forked child has a copy of it.
void hang_up(Peer& peer) {
  if (is_still(peer.fd, peer.inode)) {
    shutdown(peer.fd, SHUT_RDWR);
    close(peer.fd);
  }
  peer.fd = -1;
}

// Sends the reply, which fits the socket's buffer, without waiting, and closes the connection.
void finish(Peer& peer, const Reply& reply) {
  for (size_t at = 0; at < reply.size && is_still(peer.fd, peer.inode);) {
    const ssize_t n =
        ::send(peer.fd, reply.data + at, reply.size - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) break;
    at += static_cast<size_t>(n);
  }
  hang_up(peer);
}
void finish(Peer& peer, const char* error) {
  Reply reply;
  finish(peer, reply.error(error, 0));
}

// The request ends at `end`: a line feed, or the end of the input.
void complete(Peer& peer, char* end) {
  if (peer.too_long) return finish(peer, "request is longer than 2047 bytes");
  *end = 0;
  if (memchr(peer.request, 0, static_cast<size_t>(end - peer.request)) != nullptr)
    return finish(peer, "request contains a zero byte");
  Reply reply;
  answer(peer.request, reply);
  finish(peer, reply);
}

// Reads what the peer has sent. All of a request that is too long is read, because closing the
// connection before could discard the reply.
void read_more(Peer& peer) {
  if (!is_still(peer.fd, peer.inode)) return hang_up(peer);
  char* to = peer.request + peer.size;
  const ssize_t n = recv(peer.fd, to, sizeof peer.request - peer.size, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n < 0 || (n == 0 && peer.size == 0)) return hang_up(peer);
  auto* end = static_cast<char*>(memchr(to, '\n', static_cast<size_t>(n)));
  peer.size += static_cast<size_t>(n);
  if (end != nullptr || n == 0)
    return complete(peer, end != nullptr ? end : peer.request + peer.size);
  if (peer.size < sizeof peer.request) return;
  peer.too_long = true;
  peer.size = 1;  // not 0: the peer has sent something
}

void wait_a_moment() {
  constexpr timespec kMoment = {0, 100 * kMillisecond};
  nanosleep(&kMoment, nullptr);
}

// Returns the place of the next connection: a free one, or that of the oldest.
Peer& next_place(Peer (&peers)[kMostPeers]) {
  Peer* oldest = &peers[0];
  for (Peer& peer : peers) {
    if (peer.fd < 0) return peer;
    if (peer.since < oldest->since) oldest = &peer;
  }
  return *oldest;
}

void accept_peer(Peer (&peers)[kMostPeers]) {
  Peer fresh;
  fresh.fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fresh.fd < 0) {
    if (errno != EINTR && errno != ECONNABORTED) wait_a_moment();  // no descriptor or memory
    return;
  }
  fresh.fd = moved_high(fresh.fd);
  fresh.inode = inode_of_socket(fresh.fd);
  fresh.since = monotonic_ns();
  // Before anything is read, and before it takes another one's place.
  if (!is_permitted(fresh.fd)) return finish(fresh, "permission denied");
  Peer& place = next_place(peers);
  if (place.fd >= 0) finish(place, "too many connections without a request");
  place = fresh;
}

// Waits for a connection, a request, or the end of a peer's time. Replies to all requests before it
// accepts a connection.
void serve(Peer (&peers)[kMostPeers]) {
  pollfd waiting[kMostPeers + 1];
  uint64_t until = UINT64_MAX;
  const auto wake_at = [&](uint64_t time) { until = time < until ? time : until; };
  for (unsigned i = 0; i < kMostPeers; ++i) {
    waiting[i] = {peers[i].fd, POLLIN, 0};  // poll ignores -1
    if (peers[i].fd >= 0) wake_at(peers[i].since + kPatience);
  }
  const uint64_t before = monotonic_ns();
  const Peer& place = next_place(peers);
  const bool may_accept = place.fd < 0 || before >= place.since + kGrace;
  if (!may_accept) wake_at(place.since + kGrace);
  waiting[kMostPeers] = {may_accept ? listener : -1, POLLIN, 0};
  const uint64_t rest = until > before ? until - before : 0;
  const int timeout = until == UINT64_MAX ? -1 : static_cast<int>(rest / kMillisecond) + 1;
  // EINVAL: the program permits itself fewer descriptors than these.
  if (poll(waiting, kMostPeers + 1, timeout) < 0) return wait_a_moment();
  const uint64_t now = monotonic_ns();
  for (unsigned i = 0; i < kMostPeers; ++i) {
    if (peers[i].fd < 0) continue;
    if (waiting[i].revents != 0)
      read_more(peers[i]);
    else if (now >= peers[i].since + kPatience)
      finish(peers[i], "timed out after 5 s waiting for a request line");
  }
  if (waiting[kMostPeers].revents != 0 && listener_is_ours()) accept_peer(peers);
}

void* control_thread(void*) {
  prctl(PR_SET_NAME, "skein-control");
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  Peer peers[kMostPeers];
  while (listener_is_ours()) serve(peers);
  for (Peer& peer : peers) hang_up(peer);
  __atomic_store_n(&control_runs, false, __ATOMIC_RELAXED);
  return nullptr;
}

// ---- the end of the process after that of main ----

enum class Rest { kOthers, kNone, kUnknown };

// Finds out whether the process has threads other than main, which has ended, and the recorder's.
Rest rest_of_process() {
  const unsigned expected = 2u + (__atomic_load_n(&control_runs, __ATOMIC_RELAXED) ? 1u : 0u) +
                            (sampling_has_thread() ? 1u : 0u);
  const OpenFile file(AT_FDCWD, "/proc/self/stat", O_RDONLY);
  char text[1024];
  const ssize_t n = read(file.fd(), text, sizeof text - 1);
  if (n <= 0) return Rest::kUnknown;
  text[n] = 0;
  const char* at = strrchr(text, ')');  // the end of the name, which may contain anything
  if (at == nullptr || strncmp(at, ") Z ", 4) != 0) return Rest::kOthers;
  constexpr int kThreads = 18;  // fields after the name
  for (int field = 0; at != nullptr && field < kThreads; ++field) at = strchr(at + 1, ' ');
  return at != nullptr && strtoul(at, nullptr, 10) <= expected ? Rest::kNone : Rest::kOthers;
}

// The C library then counts the program's threads only. Without the control thread it ends the
// process when they have ended.
void end_control() {
  if (listener_is_ours()) shutdown(listener, SHUT_RDWR);
  listener_inode = 0;
}

// Ends the process when the program's last thread has ended, as the C library would in that thread.
void* wait_for_last_thread(void* mask_of_main) {
  prctl(PR_SET_NAME, "skein-end");
  constexpr long kLongest = 100 * static_cast<long>(kMillisecond);
  timespec pause = {0, static_cast<long>(kMillisecond)};
  Rest rest = Rest::kOthers;
  while ((rest = rest_of_process()) == Rest::kOthers) {
    nanosleep(&pause, nullptr);
    pause.tv_nsec = pause.tv_nsec < kLongest / 2 ? 2 * pause.tv_nsec : kLongest;
  }
  if (rest == Rest::kUnknown) end_control();
  pthread_sigmask(SIG_SETMASK, static_cast<const sigset_t*>(mask_of_main), nullptr);
  if (rest == Rest::kNone) exit(0);
  return nullptr;
}

// Returns the parent of a process, or 0 if it is unknown.
pid_t parent_of(pid_t process) {
  Text name;
  name.add("/proc/").add(static_cast<uint64_t>(process)).add("/stat");
  const OpenFile file(AT_FDCWD, name.data, O_RDONLY);
  char text[1024];
  const ssize_t n = read(file.fd(), text, sizeof text - 1);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* at = strrchr(text, ')');  // "PID (NAME) STATE PARENT"; the name may contain anything
  return at != nullptr && strlen(at) > 4 ? static_cast<pid_t>(strtol(at + 4, nullptr, 10)) : 0;
}

bool is_ancestor(pid_t process) {
  constexpr int kMost = 64;
  pid_t at = process > 0 ? getppid() : 0;
  for (int i = 0; i < kMost && at > 0 && at != process; ++i) at = parent_of(at);
  return at > 0 && at == process;
}

enum class Holder {
  kNone,      // the socket belongs to no process, so that it may be replaced
  kAncestor,  // from which this process has inherited SKEIN_CONTROL
  kOther,     // also if unknown
};

Holder holder_of(const sockaddr_un& address) {
  struct stat facts;
  if (lstat(address.sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode) || facts.st_uid != geteuid())
    return Holder::kOther;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return Holder::kOther;
  Holder holder = Holder::kOther;
  ucred listens = {};
  socklen_t size = sizeof listens;
  if (connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    holder = errno == ECONNREFUSED ? Holder::kNone : Holder::kOther;
  else if (getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &listens, &size) == 0)
    holder = is_ancestor(listens.pid) ? Holder::kAncestor : Holder::kOther;
  close(probe);
  return holder;
}

// Sets `listener`, or leaves -1 if an ancestor listens there. Returns null, or the step that
// failed.
const char* bind_listener(const sockaddr_un& address) {
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return "control socket";
  listener = moved_high(listener);
  // Before bind, so that no other user can connect in between.
  if (fchmod(listener, 0600) != 0) return "control socket: permissions";
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  int error = bind(listener, generic, sizeof address);
  if (error != 0 && errno == EADDRINUSE) {
    const Holder holder = holder_of(address);
    if (holder == Holder::kAncestor) {
      close(listener);
      listener = -1;
      return nullptr;
    }
    errno = EADDRINUSE;
    if (holder == Holder::kNone) {
      unlink(address.sun_path);
      error = bind(listener, generic, sizeof address);
    }
  }
  if (error != 0) return "control socket: bind";
  return listen(listener, 64) == 0 ? nullptr : "control socket: listen";
}

}  // namespace

void at_end_of_thread() {
  static bool main_has_ended = false;
  static sigset_t mask;
  if (pthread_equal(main_thread, pthread_self()) == 0 || main_has_ended) return;
  main_has_ended = true;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  if (start_thread(wait_for_last_thread, &mask, 0) != 0) end_control();
}

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
  if (listener < 0) return nullptr;  // an ancestor listens
  listener_inode = inode_of_socket(listener);
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  control_runs = true;
  // Before the control thread, which may start a trace. Another thread may call dlopen, and main is
  // not known then.
  const bool is_main = syscall(SYS_gettid) == getpid() && watch_thread_end();
  const int error = start_thread(control_thread, nullptr, size_t{256} << 10);  // peers: 33 KiB
  if (error == 0) {
    pin_module();
    if (is_main) main_thread = pthread_self();
    return nullptr;
  }
  errno = error;
  unlink(address.sun_path);
  close(listener);
  return "control thread";
}

}  // namespace skein::record
