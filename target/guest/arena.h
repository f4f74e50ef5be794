// The arena of a unikernel (skein/arena.h), as bytes from outside: nothing in it is trusted.
//
//   Result<Arena> arena = read_arena(page);     // of the header, checked
//   for (const ArenaFile& file : arena->files) copy(file.offset, file.size);
#pragma once

#include <skein/arena.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace skein {

struct ArenaFile {
  std::string name;     // of a trace directory: ".tasks", "names-0", "s00000-3"
  uint64_t offset = 0;  // from the arena's begin
  uint64_t size = 0;
};

struct Arena {
  uint64_t address = 0;  // guest-physical
  uint64_t size = 0;
  std::array<uint8_t, 16> uuid{};
  format::ArenaClock clock = format::ArenaClock::kTsc;
  bool rate_may_vary = false;
  uint64_t ticks = 0;  // one moment
  uint64_t monotonic_ns = 0;
  uint64_t realtime_ns = 0;  // 0: unknown
  uint64_t ticks_per_second = 0;
  uint64_t note_ticks = 0;  // 0: no note
  std::string note = {};    // untrusted
  std::string program = {};
  std::vector<ArenaFile> files;  // inside the arena, without an overlap, each name once
};

// Whether a page of the guest begins with an arena's magic.
bool has_arena_magic(std::span<const uint8_t> page);

// The header in `page`, of at least 4096 bytes. Fails if it has no magic or contradicts itself.
Result<Arena> read_arena(std::span<const uint8_t> page);

// The text of the file `metadata` of a trace copied from the arena. `guest`: the name of its
// machine.
std::string arena_metadata(const Arena& arena, const std::string& guest);

}  // namespace skein
