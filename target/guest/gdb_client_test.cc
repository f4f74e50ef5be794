// The gdb protocol against servers in memory: right ones, and ones that send anything.
#include "target/guest/gdb_client.h"

#include <doctest/doctest.h>

#include <numeric>

#include "target/guest/gdb_fake.h"

using namespace skein;

namespace {

std::string error_of(const std::string& input) {
  ScriptedStream stream(input);
  GdbPackets packets(stream);
  const Result<std::string> packet = packets.receive();
  return packet ? "" : packet.error().what;
}

std::string content_of(const std::string& input, size_t step = SIZE_MAX) {
  ScriptedStream stream(input, step);
  GdbPackets packets(stream);
  const Result<std::string> packet = packets.receive();
  return packet ? *packet : "error: " + packet.error().what;
}

// Each call of the client must fail, or return, whatever the server sends instead of a reply.
void call_all(GdbClient& client) {
  std::vector<uint8_t> bytes(5000);
  (void)client.stop_reason();
  (void)client.set_physical(true);
  (void)client.read(0x1000, bytes);
  (void)client.threads();
  (void)client.select("1");
  (void)client.registers(Architecture::X86_64);
  (void)client.register_value(3);
  (void)client.architecture();
  (void)client.monitor("info status");
  (void)client.resume();
  (void)client.interrupt();
}

}  // namespace

TEST_CASE("packets arrive whole, in any steps") {
  CHECK(content_of("$OK#9a") == "OK");
  CHECK(content_of("+$OK#9a") == "OK");
  CHECK(content_of("+$OK#9a$E01#a6", 1) == "OK");
  CHECK(content_of("$#00") == "");
  CHECK(content_of("%Stop:T05#23$OK#9a", 2) == "OK");  // a notification
}

TEST_CASE("runs are expanded") {
  CHECK(content_of(gdb_packet("0* ")) == "0000");
  CHECK(content_of(gdb_packet("a0*\"1")) == "a0000001");
  CHECK(error_of(gdb_packet("* ")).find("run without a length") != std::string::npos);
  CHECK(error_of(gdb_packet("0*")).find("run without a length") != std::string::npos);
  CHECK(error_of(gdb_packet("0*\x1f")).find("run without a length") != std::string::npos);
  std::string bomb = "0";
  for (int i = 0; i < 100'000; i++) bomb += "*~";
  CHECK(error_of(gdb_packet(bomb)).find("too long") != std::string::npos);
}

TEST_CASE("wrong checksums are reported, and the packet is sent again") {
  ScriptedStream stream("$OK#9b$OK#9a");
  GdbPackets packets(stream);
  CHECK(*packets.receive() == "OK");
  CHECK(packets.flush());
  CHECK(stream.output == "-+");
  CHECK(error_of("$OK#9b$OK#zz$OK#9b$OK#9b").find("wrong checksums") != std::string::npos);
  ScriptedStream silent("$OK#9b");
  GdbPackets without(silent);
  without.stop_acknowledging();
  CHECK_FALSE(without.receive());
  CHECK(silent.output.empty());
}

TEST_CASE("a packet that the server has not understood is sent again") {
  ScriptedStream stream("-$OK#9a");
  GdbPackets packets(stream);
  packets.add("?");
  CHECK(*packets.receive() == "OK");
  CHECK(packets.flush());
  CHECK(stream.output == "$?#3f$?#3f+");
  CHECK(error_of("-----").find("no packet that it has understood") != std::string::npos);
}

TEST_CASE("a peer that sends no packets, or one without an end") {
  CHECK(error_of("").find("silent") != std::string::npos);
  CHECK(error_of("HTTP/1.1 400 Bad Request\r\n").find("silent") != std::string::npos);
  CHECK(error_of(std::string(300'000, 'x')).find("no packets") != std::string::npos);
  CHECK(error_of("$" + std::string(300'000, 'x')).find("too long") != std::string::npos);
  CHECK(error_of("$OK#9").find("silent") != std::string::npos);
}

TEST_CASE("what a server can do") {
  FakeServer server;
  server.send("T02thread:01;");  // QEMU 7.2 does so if the guest ran
  GdbClient client(server);
  REQUIRE(client.start());
  CHECK(client.was_stopped_by_connecting());
  CHECK(client.largest_read() == 2048);
  CHECK(client.stop_reason()->signal == 5);

  FakeServer other;
  other.replies["qSupported:xmlRegisters=i386"] = "PacketSize=ffffffffffffffffff;QStartNoAckMode+";
  other.replies["QStartNoAckMode"] = "OK";
  other.has_physical = false;
  GdbClient second(other);
  REQUIRE(second.start());
  CHECK_FALSE(second.was_stopped_by_connecting());
  CHECK(second.largest_read() == 32);
  CHECK(*second.set_physical(true) == false);
  CHECK(other.acknowledged == 2);  // none after QStartNoAckMode
}

TEST_CASE("memory is read in pieces of the server's size, in order") {
  FakeServer server(100'000);
  std::iota(server.memory.begin(), server.memory.end(), uint8_t{0});
  for (const bool is_qemu : {true, false}) {
    server.has_physical = is_qemu;
    server.virtual_base = 0;
    GdbClient client(server);
    REQUIRE(client.start());
    std::vector<uint8_t> bytes(90'000);
    CHECK(*client.read(5, bytes) == bytes.size());
    CHECK(std::equal(bytes.begin(), bytes.end(), server.memory.begin() + 5));
    std::array<uint8_t, 16> one, two, three;
    std::vector<Piece> pieces = {{.address = 4096, .to = one},
                                 {.address = 99'990, .to = two},  // behind the end
                                 {.address = 7, .to = {}},
                                 {.address = 8192, .to = three}};
    REQUIRE(client.read(pieces));
    CHECK(pieces[0].count == 16);
    CHECK(pieces[1].count == 0);
    CHECK(pieces[3].count == 16);
    CHECK(three[0] == server.memory[8192]);
    Piece last = {.address = UINT64_MAX - 3, .to = one};
    CHECK_FALSE(client.read(std::span(&last, 1)));
  }
}

TEST_CASE("a server that returns less than it was to, and one that returns more") {
  FakeServer server(10'000);
  server.virtual_base = 0;
  std::iota(server.memory.begin(), server.memory.end(), uint8_t{0});
  server.replies["m0,10"] = "000102";  // the rest by another request
  GdbClient client(server);
  REQUIRE(client.start());
  std::array<uint8_t, 16> bytes;
  CHECK(*client.read(0, bytes) == 16);
  CHECK(bytes[15] == 15);
  server.replies["m3,d"] = "E14";
  CHECK(*client.read(0, bytes) == 3);
  server.replies["m3,d"] = "";
  CHECK(*client.read(0, bytes) == 3);
  for (const char* wrong : {"00112", "0x", "OK", "00112233445566778899aabbccddeeff00"}) {
    server.replies["m0,10"] = wrong;
    CHECK_FALSE(client.read(0, bytes));
  }
}

TEST_CASE("memory is read to its end, also if a server refuses a request in part unreadable") {
  FakeServer server(3 * 4096);
  server.virtual_base = 0;
  server.has_physical = false;
  server.replies["qSupported:xmlRegisters=i386"] = "PacketSize=fff";
  GdbClient client(server);
  REQUIRE(client.start());
  CHECK(client.largest_read() == 1024);
  std::vector<uint8_t> bytes(3 * 4096);
  CHECK(*client.read(5000, bytes) == 3 * 4096 - 5000);
}

TEST_CASE("binary reads, with escapes") {
  FakeServer server;
  server.replies["qSupported:xmlRegisters=i386"] = "PacketSize=1000;binary-upload+";
  server.replies["x10,4"] = std::string("b") + "}\x03" + "a" + "}\x0a" + "}]";
  server.replies["x20,4"] = "01020304";
  GdbClient client(server);
  REQUIRE(client.start());
  std::array<uint8_t, 4> bytes;
  CHECK(*client.read(16, bytes) == 4);
  CHECK(bytes == std::array<uint8_t, 4>{'#', 'a', '*', '}'});
  CHECK_FALSE(client.read(32, bytes));
}

TEST_CASE("registers by their DWARF numbers") {
  FakeServer server;
  std::string all;
  for (char i = 0; i < 33; i++) all += gdb_hex_text(std::string(1, i) + std::string(7, 0));
  all.replace(16, 16, "xxxxxxxxxxxxxxxx");
  server.replies["g"] = all + "00000000";
  GdbClient client(server);
  REQUIRE(client.start());
  const Registers x86 = *client.registers(Architecture::X86_64);
  CHECK(x86.get(0) == 0);
  CHECK_FALSE(x86.get(3));   // rbx is gdb's second
  CHECK(x86.get(1) == 3);    // rdx
  CHECK(x86.get(2) == 2);    // rcx
  CHECK(x86.get(16) == 16);  // rip
  CHECK_FALSE(x86.get(17));
  const Registers arm = *client.registers(Architecture::Aarch64);
  CHECK(arm.get(30) == 30);
  CHECK(arm.get(32) == 32);
  server.replies["g"] = all.substr(0, 100);
  CHECK_FALSE(client.registers(Architecture::X86_64));
  server.replies["g"] = "E01";
  CHECK_FALSE(client.registers(Architecture::X86_64));
  server.replies["p1b"] = "0010000000000000";
  CHECK(**client.register_value(27) == 0x1000);
  server.replies["p1b"] = "E45";
  CHECK_FALSE(*client.register_value(27));
}

TEST_CASE("the processor of a server's description") {
  FakeServer server;
  const auto described = [&](const std::string& first, const std::string& second) {
    server.replies["qXfer:features:read:target.xml:0,800"] = first;
    server.replies["qXfer:features:read:target.xml:" + gdb_hex(first.size() - 1) + ",800"] = second;
    GdbClient client(server);
    REQUIRE(client.start());
    const auto architecture = client.architecture();
    return architecture ? *architecture : std::optional<Architecture>();
  };
  CHECK(described("l<target><architecture>aarch64</architecture>", "") == Architecture::Aarch64);
  CHECK(described("m<target><architecture>i386:", "lx86-64</architecture>") ==
        Architecture::X86_64);
  CHECK_FALSE(described("l<target><architecture>riscv:rv64</architecture>", ""));
  CHECK_FALSE(described("mabc", "m"));
  CHECK_FALSE(described("E00", ""));
}

TEST_CASE("threads, and lists that do not end") {
  FakeServer server;
  server.replies["qfThreadInfo"] = "m01,p1.2";
  server.replies["qsThreadInfo"] = "l";
  server.replies["Hgp1.2"] = "OK";
  GdbClient client(server);
  REQUIRE(client.start());
  const auto threads = client.threads();
  REQUIRE(threads);
  CHECK(*threads == std::vector<std::string>{"01", "p1.2"});
  CHECK(client.select("p1.2"));
  CHECK_FALSE(client.select("3"));
  server.replies["qsThreadInfo"] = "m01";
  CHECK_FALSE(client.threads());
  for (const char* wrong : {"m", "m1,,2", "m$x", "OK"}) {
    server.replies["qfThreadInfo"] = wrong;
    CHECK_FALSE(client.threads());
  }
}

TEST_CASE("the output of a monitor") {
  FakeServer server;
  server.monitor["info status"] = "VM status: running\r\n";
  GdbClient client(server);
  REQUIRE(client.start());
  CHECK(**client.monitor("info status") == "VM status: running\r\n");
  CHECK_FALSE(*client.monitor("info nothing"));
  server.replies["qRcmd,61"] = "6f6b";  // text without an O
  CHECK(**client.monitor("a") == "ok");
  server.replies["qRcmd,61"] = "Ozz";
  CHECK_FALSE(client.monitor("a"));
}

TEST_CASE("running, and stopped again") {
  FakeServer server;
  GdbClient client(server);
  REQUIRE(client.start());
  REQUIRE(client.resume());
  CHECK(server.requests.back() == "vCont;c");
  std::array<uint8_t, 4> bytes;
  CHECK_FALSE(client.read(0, bytes));  // QEMU would stop the guest, and wait for what was not sent
  CHECK(client.interrupt()->signal == 2);
  CHECK(*client.read(0xffffffff80000000, bytes) == 0);

  FakeServer old;
  old.replies["vCont?"] = "";
  GdbClient second(old);
  REQUIRE(second.start());
  REQUIRE(second.resume());
  CHECK(old.requests.back() == "c");
  old.send("W00");
  CHECK(second.interrupt()->has_ended);
}

TEST_CASE("reports of stops") {
  CHECK(parse_gdb_stop("S05")->signal == 5);
  CHECK(parse_gdb_stop("T0bthread:1;")->signal == 11);
  CHECK(parse_gdb_stop("W00;process:1")->has_ended);
  CHECK(parse_gdb_stop("X09")->has_ended);
  for (const char* other : {"", "OK", "T", "T0", "Tzz", "S055", "W1", "W001", "E01", "0505"})
    CHECK_FALSE(parse_gdb_stop(other));
}

TEST_CASE("any reply at any time") {
  const std::vector<std::string> packets = {
      "",  "OK", "E01", "E.no", "T05", "S", "W00", "m1", "l",
      "b", "xx", "O",   "00",   "O41", "}", "m}",  "1",  "PacketSize=;PacketSize=0"};
  for (const std::string& first : packets)
    for (const std::string& second : packets) {
      std::string input;
      for (int i = 0; i < 40; i++) input += gdb_packet(first) + gdb_packet(second);
      ScriptedStream stream(input);
      GdbClient client(stream);
      (void)client.start();
      call_all(client);
      CHECK(stream.output.size() < 100'000);
    }
}
