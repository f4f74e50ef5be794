// The definitions stream: contains each string and place of the program once, in chunks that are
// never overwritten. A ring therefore has the definitions of all its events.
//
// Two lookups:
//   place of a source location: a hash table of immutable published entries, keyed by the addresses
//     of the strings, not by their bytes. No lock; about 2 ns for a known place.
//   string: a hash of the bytes, under the lock. The bytes are in the definitions stream, which is
//     never unmapped, so that no entry refers to a module that may be unloaded.
// The addresses of an unloaded module may be reused. Unloading therefore increments `epoch`;
// entries of an older epoch are looked up again by content.
#pragma once
#include <skein/format.h>
#include <skein/skein.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/writer.h"

namespace skein::record {

struct PlaceEntry {
  const char* file;
  const char* function;
  const char* name;
  uint64_t line_column;  // both, with the layout of skein_source
  uint32_t kind;
  uint32_t epoch;
  uint32_t id;
  uint32_t reserved;

  [[gnu::always_inline]] skein_source source() const {
    skein_source s{file, function, 0, 0};
    __builtin_memcpy(&s.line, &line_column, sizeof line_column);
    return s;
  }
};

struct NameEntry {  // a string; id 0: free
  uint32_t hash;
  uint32_t id;
  const char* text;
};

struct PlaceName {  // a place, by content; id 0: free
  uint32_t id;
  uint32_t kind, name, file, function, line, column;
};

// The size of the tables belongs to the host, which defines it for all of its sources: a constant,
// because a size that is loaded would cost each event two instructions. 15: 4.6 MB, for 32,768
// strings and as many places; 9: 72 kB, for 512.
#if !defined(SKEIN_NAMES_BITS)
#define SKEIN_NAMES_BITS 15
#endif

struct Names {
  static constexpr unsigned kCacheBits = SKEIN_NAMES_BITS - 1;
  static constexpr uint32_t kCache = 1 << kCacheBits;          // pointers to published entries
  static constexpr uint32_t kEntries = 1 << SKEIN_NAMES_BITS;  // of all epochs together
  static constexpr uint32_t kStrings = 2 << SKEIN_NAMES_BITS;  // at most half of them are used
  static constexpr uint32_t kPlaces = 2 << SKEIN_NAMES_BITS;

  Writer* stream;  // the definitions stream; null: no trace
  uint32_t lock;
  uint32_t epoch;
  uint32_t entries_used;
  uint32_t strings_used;
  uint32_t places_used;
  PlaceEntry* cache[kCache];
  PlaceEntry entries[kEntries];
  NameEntry strings[kStrings];
  PlaceName places[kPlaces];
};  // the host provides zeroed memory; on POSIX only used pages of it are resident

// Returns the id of a string; 0 for null, for an empty string, and if there is no room or the lock
// is held for too long (counted).
uint32_t string_of(Names& names, const char* text, size_t size);

// Write the other definitions. Without a stream they do nothing; without room they count a loss.
void define_thread(Names& names, uint64_t tid, const char* name, size_t size);
void define_module(Names& names, uint64_t base, uint64_t size, const char* build_id,
                   const char* path);
void define_clock_pair(Names& names, uint64_t ticks, uint64_t monotonic_ns, uint64_t realtime_ns,
                       uint64_t bracket_ns);

namespace detail {
inline constexpr skein_source kNowhere = {nullptr, nullptr, 0, 0};
// Line and column, which are adjacent: one load.
[[gnu::always_inline]] inline uint64_t line_column(const skein_source& where) {
  uint64_t both;
  __builtin_memcpy(&both, &where.line, sizeof both);
  return both;
}
static_assert(offsetof(skein_source, column) == offsetof(skein_source, line) + 4);
[[gnu::always_inline]] inline uint32_t cache_slot(const skein_source& where, const char* name,
                                                  uint32_t kind) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15ull;
  const uint64_t mixed = reinterpret_cast<uint64_t>(where.function) +
                         reinterpret_cast<uint64_t>(name) * 9 + line_column(where) * kOdd + kind;
  return static_cast<uint32_t>((mixed * kOdd) >> (64 - Names::kCacheBits));
}
uint32_t place_slow(Names& names, uint32_t kind, const char* name, const skein_source& where);
}  // namespace detail

// Returns the entry of a known place, or null. No lock, no call.
[[gnu::always_inline]] inline const PlaceEntry* known_place(const Names& names, uint32_t kind,
                                                            const char* name,
                                                            const skein_source& where) {
  const PlaceEntry* entry =
      __atomic_load_n(&names.cache[detail::cache_slot(where, name, kind)], __ATOMIC_ACQUIRE);
  if (entry != nullptr && entry->function == where.function && entry->file == where.file &&
      entry->line_column == detail::line_column(where) && entry->name == name &&
      entry->kind == kind && entry->epoch == __atomic_load_n(&names.epoch, __ATOMIC_RELAXED))
      [[likely]]
    return entry;
  return nullptr;
}

}  // namespace skein::record
