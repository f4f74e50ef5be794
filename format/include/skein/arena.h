// The arena: a trace in the memory of a unikernel, which another machine's program copies out
// (skein grab). Part of the trace format; docs/arena.md explains it.
//
//    +-------------+----------+----------+----------+-- .. --+----------------+
//    | ArenaHeader | .tasks   | names-0  | s00000-0 |        | not yet in use |
//    +-------------+----------+----------+----------+-- .. --+----------------+
//    0             kArenaPage                                               size
//
// It is contiguous in guest-physical memory and begins at a page. A region is a file of a trace
// directory (format.h): the arena has no metadata, which `skein grab` writes.
//
// The guest writes everything but `control` and `beacon`. It writes the magic last, and a region
// before it counts it. A reader trusts none of it.
//
// This header is freestanding.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace skein::format {

inline constexpr uint32_t kArenaVersion = 1;
inline constexpr size_t kArenaPage = 4096;  // the size of the header, and the arena's alignment
inline constexpr unsigned kMostRegions = 48;
inline constexpr size_t kRegionName = 16;  // with the 0 at its end
inline constexpr uint64_t kLargestArena = uint64_t{1} << 32;
// Two words that are stored one by one, so that the code of the guest does not contain them
// together.
inline constexpr uint64_t kArenaMagicFirst = 0x414e45494b530a1aull;   // "\x1a\nSKIENA"
inline constexpr uint64_t kArenaMagicSecond = 0x0a1a0d54524f4345ull;  // "ECORT\r\x1a\n"

enum class ArenaClock : uint32_t {
  kTsc = 1,      // x86's time stamp counter
  kCounter = 2,  // arm64's CNTVCT_EL0
};

struct ArenaRegion {
  char name[kRegionName];  // as a file of a trace directory
  uint64_t offset;         // from the arena's begin; a multiple of kArenaPage
  uint64_t size;           // so is this
};
static_assert(sizeof(ArenaRegion) == 32);

struct ArenaHeader {
  uint64_t magic[2];  // kArenaMagicFirst and kArenaMagicSecond
  uint32_t version;   // kArenaVersion
  uint32_t regions;   // number of `region`
  uint64_t address;   // guest-physical, of this header: a copy of it elsewhere is no arena
  uint64_t size;      // bytes, this page included
  uint8_t uuid[16];   // of the trace
  uint32_t clock;     // ArenaClock
  uint32_t flags;     // ArenaFlags
  // One moment, when recording began.
  uint64_t ticks;         // format.h
  uint64_t monotonic_ns;  // since the guest's boot
  uint64_t realtime_ns;   // since 1970; 0: unknown
  uint64_t ticks_per_second;
  // Words that are written from outside; 0 until then.
  uint64_t control[4];
  uint64_t beacon[4];
  // What the guest wrote when it failed: arena_note.
  uint64_t note_ticks;  // 0: none
  char note[128];
  char procname[64];
  uint64_t reserved[15];
  ArenaRegion region[kMostRegions];
};
static_assert(sizeof(ArenaHeader) <= kArenaPage);
static_assert(offsetof(ArenaHeader, region) == 480);

enum ArenaFlags : uint32_t {
  kArenaVariantRate = 1,  // the processor does not promise that the clock's rate is constant
};

}  // namespace skein::format
