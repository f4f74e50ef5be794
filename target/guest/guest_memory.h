// The memory of a virtual machine, from outside: that of a process such as QEMU, or the file that a
// process had as the machine's RAM. Nothing here stops the machine or writes to it.
//
//   Result<std::unique_ptr<GuestMemory>> memory = open_guest_process(4711);
//   Result<FoundArena> found = find_arena(**memory);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/guest/arena.h"

namespace skein {

struct MemoryRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class GuestMemory {
 public:
  virtual ~GuestMemory() = default;

  // Reads at a position: an offset in a file, an address of a process. Returns false if some of it
  // cannot be read; the guest may have ended.
  virtual bool read(uint64_t position, std::span<uint8_t> to) const = 0;

  // The parts that have data, ascending, of whole pages. Reading another part may give the guest
  // memory that it has never used.
  virtual std::vector<MemoryRange> data() const = 0;

  // Whether the guest-physical address of what is at `position` may be `address`, and `size` bytes
  // after it are memory.
  virtual bool may_be_at(uint64_t position, uint64_t address, uint64_t size) const = 0;

  virtual bool is_running() const { return false; }
};

struct FoundArena {
  uint64_t position = 0;  // of its header, in the GuestMemory
  Arena arena;
};

// Finds the arena. A copy of a header elsewhere in memory is none, because it has the address of
// the first one. Fails if there is none, or if there are two. Time: one read for each MiB of data.
Result<FoundArena> find_arena(const GuestMemory& memory);

// The RAM of a process that runs a virtual machine. Fails if it has ended or may not be read.
Result<std::unique_ptr<GuestMemory>> open_guest_process(uint64_t pid);

// A file that is or was a machine's RAM (QEMU: memory-backend-file).
Result<std::unique_ptr<GuestMemory>> open_ram_file(const std::string& path);

struct Guest {
  uint64_t pid = 0;
  std::string name;  // by -name; empty: it has none
};
// The machines of QEMU that run on this computer, by pid.
std::vector<Guest> find_guests();
// The name of the guest on a command line of QEMU: of `-name guest=web,debug-threads=on`, "web".
std::string guest_name(std::span<const std::string> command_line);

}  // namespace skein
