// Arenas that are read through a gdb server.
#include "target/guest/gdb_arena.h"

#include <doctest/doctest.h>
#include <skein/format.h>

#include <cstring>

#include "target/guest/arena_files.h"
#include "target/guest/gdb_fake.h"

using namespace skein;

namespace {

constexpr uint64_t gdb_page = format::kArenaPage;
constexpr uint64_t gdb_arena_address = 300 * gdb_page;

format::ArenaHeader gdb_arena_header() {
  format::ArenaHeader header{};
  header.magic[0] = format::kArenaMagicFirst;
  header.magic[1] = format::kArenaMagicSecond;
  header.version = format::kArenaVersion;
  header.address = gdb_arena_address;
  header.size = 64 * gdb_page;
  header.uuid[0] = 7;
  header.clock = static_cast<uint32_t>(format::ArenaClock::kTsc);
  header.ticks_per_second = 1000;
  header.regions = 1;
  std::strcpy(header.region[0].name, "s00000-0");
  header.region[0].offset = 2 * gdb_page;
  header.region[0].size = 3 * gdb_page;
  return header;
}

struct ArenaServer : FakeServer {
  ArenaServer() : FakeServer(2 << 20) {
    put(gdb_arena_address, gdb_arena_header());
    memory[gdb_arena_address + 2 * gdb_page] = 99;
    monitor["info mtree -f"] =
        "FlatView #0\r\n AS \"I/O\", root: io\r\n"
        "  0000000000000000-00000000000fffff (prio 0, ram): not.memory\r\n\r\n"
        "FlatView #1\r\n AS \"memory\", root: system\r\n AS \"cpu-memory-0\", root: system\r\n"
        " Root memory region: system\r\n"
        "  0000000000000000-00000000000effff (prio 0, ram): pc.ram\r\n"
        "  00000000000f0000-00000000000fffff (prio 0, rom): pc.bios\r\n"
        "  0000000000100000-00000000001fffff (prio 0, ram): pc.ram @0000000000100000\r\n"
        "  00000000fee00000-00000000feefffff (prio 4096, i/o): apic-msi\r\n";
  }
  void put(uint64_t position, const format::ArenaHeader& header) {
    std::memcpy(memory.data() + position, &header, sizeof header);
  }
};

std::string copy_error(ArenaServer& server, std::optional<uint64_t> address) {
  GdbClient client(server);
  REQUIRE(client.start());
  const Result<GdbArena> arena = copy_gdb_arena(client, address);
  return arena ? "" : arena.error().message();
}

GdbGuestState state_of(FakeServer& server) {
  GdbClient client(server);
  REQUIRE(client.start());
  return *gdb_guest_state(client);
}

}  // namespace

TEST_CASE("the arena is found in physical memory, and by its addresses") {
  ArenaServer server;
  for (const std::optional<uint64_t> address :
       {std::optional<uint64_t>(), std::optional(gdb_arena_address),
        std::optional(server.virtual_base + gdb_arena_address)}) {
    GdbClient client(server);
    REQUIRE(client.start());
    const Result<GdbArena> arena = copy_gdb_arena(client, address);
    REQUIRE(arena);
    CHECK(arena->found.position == gdb_arena_address);
    CHECK_FALSE(server.is_physical);  // as it was
    ArenaFiles files(*arena->memory, arena->found, "web");
    CHECK(*files.list("") == std::vector<std::string>{"metadata", "s00000-0"});
    const auto bytes = files.open("s00000-0");
    REQUIRE(bytes);
    CHECK(bytes->size() == 3 * gdb_page);
    CHECK(bytes->bytes()[0] == 99);
  }
}

TEST_CASE("a server without physical memory needs the arena's address") {
  ArenaServer server;
  server.has_physical = false;
  CHECK(copy_error(server, {}).find("--arena") != std::string::npos);
  GdbClient client(server);
  REQUIRE(client.start());
  const auto arena = copy_gdb_arena(client, server.virtual_base + gdb_arena_address);
  REQUIRE(arena);
  CHECK(arena->found.position == server.virtual_base + gdb_arena_address);
  CHECK(copy_error(server, server.virtual_base + 4096).find("no arena") != std::string::npos);
}

TEST_CASE("no arena, and addresses of none") {
  ArenaServer server;
  CHECK(copy_error(server, 4096) ==
        "no arena at 0x1000; the guest prints the address, or see "
        "docs/arena.md");
  CHECK(copy_error(server, 4097) == "0x1001 is no page's address");
  CHECK(copy_error(server, UINT64_MAX - 4095).find("no arena") != std::string::npos);
  server.memory.assign(server.memory.size(), 0);
  CHECK(copy_error(server, {}).find("no arena in its memory") != std::string::npos);
  server.monitor.clear();
  CHECK(copy_error(server, {}).find("does not report") != std::string::npos);
}

TEST_CASE("a copy of a header, and headers that lie") {
  ArenaServer server;
  server.put(20 * gdb_page, gdb_arena_header());
  CHECK(copy_error(server, {}) == "");
  CHECK(copy_error(server, 20 * gdb_page).find("no arena at") != std::string::npos);
  format::ArenaHeader header = gdb_arena_header();
  header.size = uint64_t{1} << 31;  // more than there is
  server.put(gdb_arena_address, header);
  CHECK(copy_error(server, {}).find("no arena in its memory") != std::string::npos);
  header.size = 1;
  server.put(gdb_arena_address, header);
  CHECK(copy_error(server, {}).find("damaged arena") != std::string::npos);
  header.size = uint64_t{1} << 32;
  header.region[0].size = header.size - 2 * gdb_page;
  server.put(gdb_arena_address, header);
  CHECK(copy_error(server, gdb_arena_address).find("more than 1 GiB") != std::string::npos);
  header.region[0].size = 8 << 20;
  server.put(gdb_arena_address, header);
  CHECK(copy_error(server, gdb_arena_address).find("cannot be read") != std::string::npos);
}

TEST_CASE("RAM in QEMU's description of memory") {
  CHECK(qemu_ram("").empty());
  const ArenaServer server;
  const std::vector<MemoryRange> ram = qemu_ram(server.monitor.at("info mtree -f"));
  REQUIRE(ram.size() == 2);
  CHECK(ram[0].end == 0xf0000);
  CHECK(ram[1].begin == 0x100000);
  CHECK(ram[1].end == 0x200000);
  const auto of = [](const std::string& line) {
    return qemu_ram("FlatView #0\n AS \"memory\", root: system\n" + line).size();
  };
  CHECK(of("  1000-1fff (prio 0, ram): x") == 1);
  CHECK(of("  1000-1fff (prio 0, ram): x\n  2000-2fff (prio 0, ram): y") == 1);
  for (const char* wrong :
       {"  1000 (prio 0, ram): x", "  -1fff (prio 0, ram): x", "  2000-1fff (prio 0, ram): x",
        "  1001-1fff (prio 0, ram): x", "  1000-ffffffffffffffff (prio 0, ram): x",
        "  1000-1fff (prio 0, ramd): x", "  1000-1ffe (prio 0, ram): x", "  1000-1fff", "-", " - ",
        "  1000-1fff, ram"})
    CHECK_MESSAGE(of(wrong) == 0, wrong);
}

TEST_CASE("the state in which a guest was found") {
  FakeServer server;
  CHECK(state_of(server).was_running);  // unknown
  server.monitor["info status"] = "VM status: paused (shutdown)\r\n";
  CHECK_FALSE(state_of(server).was_running);
  CHECK(state_of(server).state == "shutdown");
  // Paused by the client, if the server has reported that.
  server.monitor["info status"] = "VM status: paused\r\n";
  server.monitor["info version"] = "7.2.22Debian 1:7.2+dfsg-7\r\n";
  CHECK_FALSE(state_of(server).was_running);
  CHECK(state_of(server).state == "paused");
  server.monitor["info version"] = "8.1.0\r\n";
  CHECK(state_of(server).was_running);
  server.monitor["info version"] = "7.2.22\r\n";
  server.send("T02thread:01;");
  CHECK(state_of(server).was_running);
}
