// Two threads begin the first operations of a socket at the same time: one sends, one receives. Its
// addresses are recorded once, and the kernel's first counts do not contain what either has moved.
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <map>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

// The ends of a TCP connection.
struct Pair {
  int ends[2] = {-1, -1};
};
Pair connect_pair() {
  Pair pair;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) == 0 && listen(listener, 1) == 0 &&
      getsockname(listener, any, &size) == 0) {
    pair.ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(pair.ends[0], any, size) == 0) pair.ends[1] = accept(listener, nullptr, nullptr);
  }
  close(listener);
  return pair;
}

void operate(int descriptor, uint32_t direction) {
  const skein_use use = skein_connection(descriptor, "socket", direction);
  skein_task task = {};
  skein_operation_on(&task, SKEIN_KIND_io, "operation", nullptr, nullptr, use);
  char byte = 'x';
  if (direction == SKEIN_SOCKET_sends) SKEIN_CHECK(write(descriptor, &byte, 1) == 1, "write");
  if (direction == SKEIN_SOCKET_receives) SKEIN_CHECK(read(descriptor, &byte, 1) == 1, "read");
  skein_resolve(&task, 0);
}

void first_uses(const std::string& directory) {
  constexpr int kSockets = 2000;
  SKEIN_CHECK(start_trace_at(directory, {.log = true, .tasks = 64 * 1024}) == 0, "start");
  int descriptor = -1;        // of the current round
  std::atomic<int> begun{0};  // rounds
  std::atomic<int> sent{0};
  std::thread sender([&] {
    for (int i = 1; i <= kSockets; i++) {
      while (begun < i) continue;
      operate(descriptor, SKEIN_SOCKET_sends);
      sent++;
    }
  });
  for (int i = 0; i < kSockets; i++) {
    const Pair pair = connect_pair();
    SKEIN_CHECK(pair.ends[1] >= 0, "connect");
    SKEIN_CHECK(write(pair.ends[1], "y", 1) == 1, "write");
    skein_connection(pair.ends[0], "socket", SKEIN_SOCKET_connects);
    descriptor = pair.ends[0];
    begun++;
    operate(pair.ends[0], SKEIN_SOCKET_receives);
    while (sent <= i) std::this_thread::yield();
    skein_object_end(static_cast<uintptr_t>(pair.ends[0]) + 1);
    close(pair.ends[0]);
    close(pair.ends[1]);
  }
  sender.join();
  skein_stop();
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.count("connection") == kSockets, "%zu", trace.count("connection"));
  std::map<uint64_t, int> readings;
  for (const Stream& stream : trace.streams)
    for (const Packet& packet : stream.packets)
      for (const Event& event : packet.socket_bytes) {
        const bool is_first = ++readings[event.a] == 1;
        SKEIN_CHECK(!is_first || event.b == 0, "%llu bytes sent before the first operation",
                    static_cast<unsigned long long>(event.b));
      }
}

}  // namespace

int main() {
  Scratch scratch("connected");
  first_uses(scratch / "trace");
  return verdict();
}
