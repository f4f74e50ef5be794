// One stream's write position: what an executor needs to record an event, and nothing shared.
//
//           packet                pos      limit      window_end           chunk end
//             v                    v         v            v                   v
//    chunk:   | header | committed |  room   |   margin   | not yet touched   |
//
// Exactly one executor writes to a Writer at a time (an OS thread, a vCPU); signal handlers that
// interrupt it in an event have a Writer of their own (`nested`). All Writers lie in memory that is
// wiped on fork: in a child each reads as zeros, so that the first event finds no room (pos ==
// limit == 0) and asks the host, which knows better than to write into the parent's files.
//
// The commit is one release store of PacketHeader::content_size after the event's bytes. Whatever
// instant the program is killed at, the kernel keeps the pages, and a reader believes
// content_size: an event is there or is not.
#pragma once
#include <skein/format.h>
#include <skein/skein.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/clock.h"
#include "record/core/task_table.h"

namespace skein::record {

struct Names;
struct PlaceEntry;

inline constexpr unsigned kMaxChunks = 16;   // of a ring
inline constexpr size_t kPlainMargin = 160;  // room every operation without text may use
inline constexpr size_t kTextMargin = 2 * format::kMaxEventSize;
inline constexpr uint32_t kIdBlock = 64;  // task ids an executor takes at once

struct alignas(64) Writer {
  // -- hot: one cache line --
  char* pos = nullptr;
  char* limit = nullptr;  // an operation may begin below it; see set_limit
  format::PacketHeader* packet = nullptr;
  uint64_t last = 0;     // ticks of the newest event
  uint64_t current = 0;  // task
  uint32_t in_use = 0;   // an event is being written: by whom, see mark_in_use
  uint32_t generation = 0;
  Names* names = nullptr;
  format::TaskRow* rows = nullptr;  // the table's

  // -- warm: task bookkeeping --
  uint64_t next_id = 0;  // ids [next_id, end_id) are this executor's to give
  uint64_t end_id = 0;
  uint64_t ended = 0;         // task that ended last here, if nothing was resumed since
  uint64_t ended_parent = 0;  // its parent
  uint64_t suspended = 0;     // task that was suspended last here, if nothing was resumed since
  const PlaceEntry* suspended_at = nullptr;  // where; may be null
  uint32_t suspended_row = 0;
  uint32_t free_row = 0;  // list of free rows, linked by TaskRow::parent
  uint32_t free_rows = 0;
  uint32_t tid = 0;
  ReadCounter counter = nullptr;
  TaskTable* table = nullptr;
  char* window_end = nullptr;

  // -- cold: the host's --
  uint64_t stream = 0;
  uint64_t packets = 0;    // begun so far
  uint64_t discarded = 0;  // events that found no room
  uint64_t retry_at = 0;   // ticks; before that no new chunk is tried
  Writer* nested = nullptr;
  Writer* next_free = nullptr;
  uint32_t flags = 0;      // format::PacketFlags
  uint32_t broken = 0;     // a bus error took the chunk away
  uint32_t dead = 0;       // chunks that are files no more: a bit each
  uint32_t files = 0;      // made for this stream so far
  bool shortened = false;  // a ring of fewer chunks than asked for: counted
  const void* trace = nullptr;
  uint32_t chunk = 0;   // index of the current one
  uint32_t chunks = 0;  // made so far (ring: valid entries below)
  char* bases[kMaxChunks] = {};
  size_t sizes[kMaxChunks] = {};
};

// The limit is its executor's, but whoever stops the trace takes it away from another thread. An
// atomic load is an instruction of its own, an ordinary one the comparison's operand: that is what
// is wanted, wherever no sanitizer has to know.
[[gnu::always_inline]] inline char* limit_of(const Writer& writer) {
#if defined(__SANITIZE_THREAD__)
  return __atomic_load_n(&writer.limit, __ATOMIC_RELAXED);
#else
  return writer.limit;
#endif
}
inline void set_limit(Writer& writer, char* limit) {
  __atomic_store_n(&writer.limit, limit, __ATOMIC_RELAXED);
}

// Says that an event is being written, and how deep in the stack: low bits of the stack pointer,
// the same one instruction as a 1. A signal handler that comes now runs below; a call that finds
// the mark but is not below it came after the interrupted one was left by longjmp, and the mark is
// void.
[[gnu::always_inline]] inline uint32_t stack_position() {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_frame_address(0))) | 1;
}
[[gnu::always_inline]] inline void mark_in_use(Writer& writer) {
#if defined(__x86_64__)
  asm volatile("movl %%esp, %0" : "=m"(writer.in_use));
#else
  writer.in_use = stack_position();
#endif
}

// What a core asks of its host; set before the first event, the same for all Writers. None may
// fail the program; each says by its result that it could not.
struct Host {
  // Makes room for at least kPlainMargin (kTextMargin if `text`) behind writer->pos: touches the
  // next window, begins the next packet, or puts another Writer (of a newer trace) in writer's
  // place. Before: writer is in use, so is the result. Null: there is no room, the event is to be
  // dropped, and the writer is no longer in use.
  Writer* (*make_room)(Writer* writer, uint64_t now, bool text);
  // Takes a block of kIdBlock task ids. Never fails.
  uint64_t (*take_ids)();
  // Calls detail::place_slow, with whatever care the host's interrupts need. Null: nothing to care
  // for.
  uint32_t (*find_place)(Names& names, uint32_t kind, const char* name, const skein_source& where);
};
extern Host host;

// Begins a packet in `chunk`, which may hold an older one (a recycled chunk of a ring): at every
// instant in between, a copy that sees the lock even and unchanged is good, and the file is a valid
// packet, empty while it is neither the old one nor the new.
void begin_packet(Writer& writer, char* chunk, uint64_t now, uint64_t monotonic_ns);

}  // namespace skein::record
