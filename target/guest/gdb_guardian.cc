#include "target/guest/gdb_guardian.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace skein {

namespace {

// Everything below runs in a child of fork() and may call only what signal-safety(7) lists.

constexpr int kLongestEnd = 2000;  // ms

int64_t guardian_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

bool wait_for_socket(int socket, short events, int64_t until) {
  const int64_t rest = until - guardian_clock();
  pollfd wait = {.fd = socket, .events = events, .revents = 0};
  return rest > 0 && poll(&wait, 1, static_cast<int>(rest)) > 0;
}

bool send_all(int socket, const char* bytes, int64_t until) {
  for (size_t rest = strlen(bytes); rest > 0;) {
    const ssize_t count = send(socket, bytes, rest, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes += count;
      rest -= static_cast<size_t>(count);
    } else if (errno != EAGAIN || !wait_for_socket(socket, POLLOUT, until)) {
      return false;
    }
  }
  return true;
}

// Whether `count` packets "OK" arrive. What else arrives is read, because a server may be unable to
// read before its replies are.
bool receive_oks(int socket, unsigned count, int64_t until) {
  constexpr char kOk[] = "$OK#9a";
  size_t matched = 0;
  while (wait_for_socket(socket, POLLIN, until)) {
    char bytes[4096];
    const ssize_t size = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN)) return false;
    for (ssize_t i = 0; i < size; i++) {
      matched = bytes[i] == kOk[matched] ? matched + 1 : bytes[i] == '$' ? 1 : 0;
      if (kOk[matched] != 0) continue;
      matched = 0;
      if (--count == 0) return true;
    }
  }
  return false;
}

void close_range_of(unsigned first, unsigned last) {
  if (first > last) return;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  constexpr unsigned most = 1024;
  for (unsigned i = first; i <= last && i < most; i++) close(static_cast<int>(i));
}

// The pipe of this child's parent is closed when the parent is gone; no copy of its other end, and
// nothing else, may stay open here.
void close_all_but(int a, int b) {
  const auto low = static_cast<unsigned>(a < b ? a : b),
             high = static_cast<unsigned>(a < b ? b : a);
  if (low > 0) close_range_of(0, low - 1);
  close_range_of(low + 1, high - 1);
  close_range_of(high + 1, ~0u);
}

[[noreturn]] void guard_guest(int socket, int pipe, int64_t longest_stop) {
  close_all_but(socket, pipe);
  bool keeps = false, is_physical = false, is_running = false;
  for (int64_t end = guardian_clock() + longest_stop;;) {
    const bool is_limited = !keeps && !is_running;
    pollfd wait = {.fd = pipe, .events = POLLIN, .revents = 0};
    const int64_t rest = end > guardian_clock() ? end - guardian_clock() : 0;
    const int ready = poll(&wait, 1, is_limited ? static_cast<int>(rest) : -1);
    if (ready == 0) break;
    if (ready < 0) continue;
    char state = 0;
    const ssize_t count = read(pipe, &state, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    if (state == 'k') keeps = true;
    if (state == 'p' || state == 'v') is_physical = state == 'p';
    if (state == 'r' || state == 's') is_running = state == 'r';
    if (state == 's') end = guardian_clock() + longest_stop;
  }
  if (keeps && !is_physical) _exit(0);
  const int64_t until = guardian_clock() + kLongestEnd;
  // "#00" ends a packet that was written in part; where none was, servers ignore what is before
  // '$'. A running guest is stopped first: QEMU does that at the first byte, whatever it is.
  bool is_sent = send_all(socket, is_running ? "\x03" : "#00", until);
  unsigned expected = 0;
  if (is_sent && is_physical) {
    is_sent = send_all(socket, "+$Qqemu.PhyMemMode:0#76", until);
    expected++;
  }
  if (is_sent && !keeps) {
    is_sent = send_all(socket, "+$D#44", until);
    expected++;
  }
  const bool is_confirmed = is_sent && receive_oks(socket, expected, until);
  shutdown(socket, SHUT_RDWR);  // a byte of the parent's would stop the guest again
  _exit(is_confirmed ? 0 : 1);
}

}  // namespace

std::optional<GdbGuardian> GdbGuardian::start(int socket, std::chrono::milliseconds longest_stop) {
  int pipe[2];  // a socket, because writing to it raises no signal
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pipe) != 0) return {};
  // Ctrl-C is for all processes of a terminal: the child has every signal blocked.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  // A signal to the group of this process, such as timeout(1) sends, must not reach the child. Both
  // do it, so that it is done before either goes on.
  if (child >= 0) setpgid(child, child);
  if (child == 0) guard_guest(socket, pipe[0], longest_stop.count());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(pipe[0]);
  if (child < 0) {
    close(pipe[1]);
    return {};
  }
  return GdbGuardian(child, pipe[1]);
}

GdbGuardian::GdbGuardian(GdbGuardian&& other) noexcept
    : child_(std::exchange(other.child_, -1)), pipe_(std::exchange(other.pipe_, -1)) {}

GdbGuardian& GdbGuardian::operator=(GdbGuardian&& other) noexcept {
  std::swap(child_, other.child_);
  std::swap(pipe_, other.pipe_);
  return *this;
}

GdbGuardian::~GdbGuardian() { finish(); }

void GdbGuardian::note(char state) const {
  while (pipe_ >= 0 && send(pipe_, &state, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool GdbGuardian::finish() {
  if (child_ < 0) return true;
  close(std::exchange(pipe_, -1));
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child_, &status, 0)) < 0 && errno == EINTR) {
  }
  const bool is_known = ended == std::exchange(child_, -1);
  return is_known && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace skein
