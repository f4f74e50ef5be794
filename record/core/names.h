// The definitions stream: every string and place of the program once, in chunks of its own that are
// never overwritten, so that a ring that forgot everything else still knows every name.
//
// Two look-ups, by cost:
//   place of a source location: open addressing over published, immutable entries, keyed by the
//     addresses of the strings and not by their bytes; no lock, about 2 ns when it was seen before.
//   text: a hash of the bytes, under the lock. The bytes lie in the definitions stream itself,
//     which is never unmapped: nothing refers to memory of the program, which may be dlclose'd.
// After a module is unloaded its addresses may mean something else: `epoch` moves on, entries of an
// older epoch are found again by content.
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
  uint64_t line_column;  // both as they lie in skein_source
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

struct NameEntry {  // of a string; id 0: free
  uint32_t hash;
  uint32_t id;
  const char* text;
};

struct PlaceName {  // of a place, by content; id 0: free
  uint32_t id;
  uint32_t kind, name, file, function, line, column;
};

struct Names {
  static constexpr uint32_t kCache = 1 << 14;    // pointers to published entries
  static constexpr uint32_t kEntries = 1 << 15;  // published entries, all epochs together
  static constexpr uint32_t kStrings = 1 << 16;
  static constexpr uint32_t kPlaces = 1 << 16;

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
};  // 4.9 MB of address space; the host gives zeroed memory, only what is used becomes real

// Id of a text; 0 for null, for an empty text, and when there is no room (counted).
uint32_t string_of(Names& names, const char* text, size_t size);

// Ways to write other definitions; no-ops without a stream.
void define_thread(Names& names, uint64_t tid, const char* name, size_t size);
void define_module(Names& names, uint64_t base, uint64_t size, const char* build_id,
                   const char* path);
void define_clock_pair(Names& names, uint64_t ticks, uint64_t monotonic_ns, uint64_t realtime_ns,
                       uint64_t bracket_ns);

namespace detail {
inline constexpr skein_source kNowhere = {nullptr, nullptr, 0, 0};
// Line and column as they lie side by side: one load.
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
  return static_cast<uint32_t>((mixed * kOdd) >> (64 - 14));
}
uint32_t place_slow(Names& names, uint32_t kind, const char* name, const skein_source& where);
}  // namespace detail

// A place that was seen before; null if it was not. No lock, no call.
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
