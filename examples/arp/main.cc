// A network stack in coroutines that sometimes hangs: the bug that first led to tracing tasks.
//
// An ARP query finds the card that has an address (arp.cc): it sends a request, waits until that is
// sent, and then waits for a condition that the reply notifies. A driver's write completes when
// the card has acknowledged its ring (driver.h), which may be after the reply has arrived. Then the
// notification wakes no task, and the wait never ends. The program arp_fixed has the fix that was
// adopted: a promise, which stores the result (arp.h).
//
// The peer is the kernel: its network stack behind a TAP device in a network namespace of this
// process, and a socket that listens there. Without permission for that, or with --pair, it is a
// second instance of this stack at the other end of a socket pair.
//
//   arp                  the acknowledgement comes first: one byte is sent and received
//   arp --reply-first    the reply comes first: no answer
//   arp --seed 7         a random order for each write
//
//   SKEIN_TRACE=bad arp --reply-first; skein why bad
//
// The stack itself uses only skein::condition; loop.h and promise.h state the targets of waits.
// Exit code 1: no answer within --deadline ms (2000).
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

#include "loop.h"
#include "stack.h"
#include "tap.h"

namespace {

constexpr Ip kOurs{0x0a00'0002};  // 10.0.0.2
constexpr Ip kPeers{0x0a00'0001};
constexpr Mac kOurCard = {2, 0, 0, 0, 0, 2};
constexpr Mac kPeersCard = {2, 0, 0, 0, 0, 1};
constexpr uint16_t kPort = 7;
constexpr uint8_t kByte = 42;

task<bool> send_one_byte(Stack& stack) {
  Tcp::Connection* connection = co_await stack.tcp.connect(kPeers, kPort);
  if (connection == nullptr) co_return false;
  co_await connection->send(Bytes(1, kByte));
  co_await connection->close();
  co_return true;
}

// Returns the bytes that the peer received: with the kernel's stack ...
task<Bytes> serve(Loop& loop, int listener) {
  co_await loop.readable(listener, "connection");
  const int connection = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  Bytes received;
  for (ssize_t size = 1; size > 0;) {
    co_await loop.readable(connection, "data");
    Bytes some(100);
    size = read(connection, some.data(), some.size());
    if (size > 0) received.insert(received.end(), some.begin(), some.begin() + size);
  }
  close(connection);
  co_return received;
}

// ... or with an instance of this one.
task<Bytes> serve(Stack& stack) {
  Tcp::Connection* connection = co_await stack.tcp.accept(kPort);
  Bytes received;
  if (connection == nullptr) co_return received;
  received = co_await connection->receive();
  co_await connection->close();
  co_return received;
}

struct Options {
  bool pair = false;
  bool reply_first = false;
  bool by_seed = false;
  unsigned seed = 0;
  std::chrono::milliseconds deadline{2000};
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i++) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--pair") {
      options.pair = true;
    } else if (word == "--reply-first") {
      options.reply_first = true;
    } else if (word == "--seed" && has_value) {
      options.by_seed = true;
      options.seed = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (word == "--deadline" && has_value) {
      options.deadline = std::chrono::milliseconds(std::atoi(argv[++i]));
    } else {
      return false;
    }
  }
  return true;
}

Driver::ReplyFirst order(const Options& options) {
  if (!options.by_seed) return [first = options.reply_first] { return first; };
  return [random = std::mt19937(options.seed)]() mutable { return random() % 2 == 1; };
}

// Declared before its users, so that it is closed last: removing a TAP device takes a while.
struct File {
  int fd;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

int failed(const char* what) {
  std::perror(what);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--pair] [--reply-first | --seed N] [--deadline MS]\n", *argv);
    return 2;
  }

  File wire{options.pair ? -1 : open_tap(kPeers)};
  Loop loop;
  File far_end{-1};  // the kernel's listening socket, or the peer's end of the wire
  std::unique_ptr<Stack> peer;
  if (wire.fd >= 0) {
    std::puts("the peer is the kernel");
    far_end.fd = listen_at(kPeers, kPort);
    if (far_end.fd < 0) return failed("cannot listen");
  } else {
    if (!options.pair) std::perror("no TAP device in a network namespace here");
    std::puts("the peer is a stack of this code");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
      return failed("no socket pair");
    wire.fd = ends[0];
    far_end.fd = ends[1];
    const auto acknowledges_first = [] { return false; };
    peer = std::make_unique<Stack>(loop, far_end.fd, kPeersCard, kPeers, acknowledges_first);
  }
  Stack stack(loop, wire.fd, kOurCard, kOurs, order(options));

  Background listening;
  listening.start(stack.listen());
  if (peer) listening.start(peer->listen());
  task<Bytes> serves = peer ? serve(*peer) : serve(loop, far_end.fd);
  serves.start();
  task<bool> sends = send_one_byte(stack);
  sends.start();

  const auto done = [&] { return sends.done() && (!sends.result() || serves.done()); };
  if (!loop.run(done, options.deadline)) {
    std::puts("no answer");
    std::exit(1);  // without cancelling the tasks
  }
  stack.driver.close();
  if (peer) peer->driver.close();
  if (!sends.result()) {
    std::puts("refused");
    return 1;
  }
  const Bytes received = serves.result();
  std::printf("the peer received %zu byte: %d\n", received.size(),
              received.empty() ? -1 : received[0]);
  return received == Bytes(1, kByte) ? 0 : 1;
}
