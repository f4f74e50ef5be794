// The arena of a guest, copied through a server of the gdb remote protocol.
//
//   Result<std::unique_ptr<GdbSocket>> socket = connect_to_gdb(*parse_gdb_address(":1234"));
//   GdbClient client(**socket);
//   Result<GdbArena> arena = copy_gdb_arena(client, {});
//   (*socket)->release();                               // the guest goes on
//   ArenaFiles files(*arena->memory, arena->found, "web");
//
// The guest is stopped while this reads, so that all of the arena is of one moment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/guest/gdb_client.h"
#include "target/guest/guest_memory.h"

namespace skein {

// The state in which the guest was found.
struct GdbGuestState {
  bool was_running = true;  // also: unknown
  std::string state = {};   // if not: "shutdown", "prelaunch", "guest-panicked", "paused"
};
// Of a client that has started. Servers other than QEMU's do not report it. One of QEMU 8.1 and
// later does not distinguish a guest that ran from one that QEMU's monitor had paused.
Result<GdbGuestState> gdb_guest_state(GdbClient& client);

// The parts of physical memory that are RAM, ascending, of `info mtree -f` of QEMU's monitor.
std::vector<MemoryRange> qemu_ram(std::string_view tree);

struct GdbArena {
  std::unique_ptr<GuestMemory> memory;  // a copy; nothing is read from the guest any more
  FoundArena found;
};

// Copies the arena at `address`, physical or, if there is none, virtual. Without an address, the
// first one in physical memory, of which 16 bytes of each page are read: 10 us. A guest whose RAM
// is shared (memory-backend-file, memory-backend-memfd) is given the pages that are read so; those
// of private RAM have one page of zeros in common.
Result<GdbArena> copy_gdb_arena(GdbClient& client, std::optional<uint64_t> address);

}  // namespace skein
