#include "cli/input/blocked_call.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "trace/ask/example.h"

namespace skein::cli {
namespace {

TEST_CASE("a system call is described by the connection of its descriptor") {
  AnalyzedExample e("0 create 1 as coroutine session\n 0 resource 1 of 30 as socket\n");
  const std::vector<SocketState> sockets = {{.descriptor = 12, .peer = "127.0.0.1:80"}};
  const auto describe = [&](const std::string& line) {
    return describe_blocked_call(line, sockets, e.subject());
  };
  const std::string recvmsg = std::to_string(SYS_recvmsg);
  CHECK(describe(recvmsg + " 0xc 0x7ffe 0x0") ==
        ", in recvmsg() on the connection to 127.0.0.1:80");
  CHECK(describe(recvmsg + " 0xd 0x7ffe 0x0") == "");
  CHECK(describe(std::to_string(SYS_close) + " 0xc 0x0") == "");
  CHECK(describe("running") == "");
  CHECK(describe("-1 0x7ffe 0x7fff") == "");
  CHECK(describe("") == "");
  e.e.model.objects[0].connection = e.e.trace.strings.intern("127.0.0.1:80 (tcp)");
  CHECK(describe(recvmsg + " 0xc") ==
        ", in recvmsg() on the connection to 127.0.0.1:80, whose acceptor is in this program");
  e.e.model.objects[0].connection = e.e.trace.strings.intern("127.0.0.1:80 > 127.0.0.1:9 (tcp)");
  CHECK(describe(recvmsg + " 0xc") == ", in recvmsg() on the connection to 127.0.0.1:80");
  e.e.model.objects[0].connection = e.e.trace.strings.intern("127.0.0.1:80 (tcp)");
  e.e.model.objects[0].end = 5;
  CHECK(describe(recvmsg + " 0xc") == ", in recvmsg() on the connection to 127.0.0.1:80");
}

TEST_CASE("a thread of this process that receives") {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(bind(listener, any, size) == 0);
  REQUIRE(listen(listener, 1) == 0);
  REQUIRE(getsockname(listener, any, &size) == 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(connect(client, any, size) == 0);
  const int server = accept(listener, nullptr, nullptr);

  std::promise<long> started;
  std::thread receives([&] {
    started.set_value(syscall(SYS_gettid));
    char byte = 0;
    CHECK(recv(client, &byte, 1, 0) == 1);
  });
  const auto tid = static_cast<uint64_t>(started.get_future().get());
  const AnalyzedExample e("0 create 1 as coroutine session");
  std::string text;
  // The file may be unreadable (a container), or the kernel may list no sockets.
  for (int i = 0; i < 200 && text.empty(); i++) {
    text = blocked_call(std::to_string(getpid()), tid, e.subject());
    usleep(1000);
  }
  CHECK(send(server, "x", 1, 0) == 1);
  receives.join();
  for (const int descriptor : {listener, client, server}) close(descriptor);
  const std::string peer = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  if (text.empty())
    MESSAGE("skipped: the calls of threads are hidden");
  else
    CHECK(text == ", in recvfrom() on the connection to " + peer);
  CHECK(blocked_call(std::to_string(getpid()), 4'000'000'000, e.subject()) == "");
}

}  // namespace
}  // namespace skein::cli
