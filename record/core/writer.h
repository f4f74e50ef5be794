// The write position of one stream: the data an executor needs to record an event. Nothing is
// shared.
//
//           packet                pos      limit      window_end           chunk end
//             v                    v         v            v                   v
//    chunk:   | header | committed |  room   |   margin   | not yet touched   |
//
// One executor (an OS thread, a vCPU) writes to a Writer at a time. A signal handler that
// interrupts it in an event uses another Writer (`nested`). All Writers are in memory that is
// cleared on fork: in a child their fields are 0, so that the first event finds no room (pos ==
// limit == 0) and calls the host, which does not write to the parent's files.
//
// The commit is one release store of PacketHeader::content_size after the event's bytes. If the
// program is killed, the kernel keeps the pages: each event is either complete and committed, or
// ignored by readers.
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

inline constexpr unsigned kMaxChunks = 64;  // of a ring: bits of Writer::dead
// Room for each operation without a string, and a reading of the CPU time before it.
inline constexpr size_t kPlainMargin = 192;
inline constexpr size_t kTextMargin = 2 * format::kMaxEventSize;
inline constexpr uint32_t kIdBlock = 64;  // task ids that an executor takes at a time

inline constexpr uint64_t kUntimed = UINT64_MAX;  // Writer::timed: no reading may be made

struct alignas(64) Writer {
  // -- hot: one cache line --
  char* pos = nullptr;
  char* limit = nullptr;  // an operation may begin below this; see set_limit
  format::PacketHeader* packet = nullptr;
  uint64_t last = 0;     // ticks of the newest event
  uint64_t current = 0;  // task
  uint32_t in_use = 0;   // nonzero while an event is being written; see mark_in_use
  uint32_t generation = 0;
  Names* names = nullptr;
  format::TaskRow* rows = nullptr;  // the table's

  // -- warm: task bookkeeping --
  uint64_t next_id = 0;  // this executor assigns the ids [next_id, end_id)
  uint64_t end_id = 0;
  uint64_t ended = 0;                        // last task that ended here, if none was resumed since
  uint64_t ended_parent = 0;                 // its parent
  uint64_t suspended = 0;                    // last task suspended here, if none was resumed since
  const PlaceEntry* suspended_at = nullptr;  // its place; may be null
  uint32_t suspended_row = 0;
  uint32_t free_row = 0;  // list of free rows, linked by TaskRow::parent
  uint32_t free_rows = 0;
  uint32_t tid = 0;
  uint32_t current_row = 0;  // of `current`, or of a task that was current before it
  ReadCounter counter = nullptr;
  TaskTable* table = nullptr;
  uint32_t* links = nullptr;  // the table's
  char* window_end = nullptr;

  // -- cold: used by the host --
  uint64_t stream = 0;
  uint64_t packets = 0;  // number begun
  uint64_t timed = 0;  // the newest of them that has a reading of the CPU time; kUntimed: none may
  uint64_t discarded = 0;  // events that found no room
  uint64_t retry_at = 0;   // ticks; no new chunk is created before
  uint64_t grow_at = 0;    // ticks; the ring does not grow before
  uint64_t dead = 0;       // bit per chunk whose file is gone
  Writer* nested = nullptr;
  Writer* next_free = nullptr;
  uint32_t flags = 0;      // format::PacketFlags
  uint32_t broken = 0;     // a bus error removed the chunk
  uint32_t files = 0;      // number created for this stream
  bool shortened = false;  // fewer chunks than configured (counted)
  const void* trace = nullptr;
  uint32_t chunk = 0;   // index of the current one
  uint32_t chunks = 0;  // number created (ring: valid entries below)
  char* bases[kMaxChunks] = {};
  size_t sizes[kMaxChunks] = {};
  uint64_t begun[kMaxChunks] = {};  // `packets` when the chunk became current
  uint64_t since[kMaxChunks] = {};  // ticks: when it did
};

// The limit belongs to the executor, but the thread that stops the trace sets it to 0. An atomic
// load needs an instruction; an ordinary load is an operand of the comparison and is used unless a
// sanitizer would report it.
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

// Marks the writer as in use. The mark is the low bits of the stack pointer, which takes one
// instruction like the store of a 1. A signal handler that interrupts the event runs deeper in the
// stack. A call that finds the mark but is not deeper runs after longjmp left the interrupted
// event: the mark is then invalid.
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

// The functions that the core requires of its host. Set before the first event; the same for all
// Writers. None may fail the program; the result reports failure.
struct Host {
  // Makes room for at least kPlainMargin bytes (kTextMargin if `text`) after writer->pos: touches
  // the next window, begins the next packet, or replaces the Writer by one of a newer trace.
  // Precondition: the writer is in use. Returns the writer to use, which is in use; or null if
  // there is no room: the caller drops the event, and the writer is no longer in use.
  Writer* (*make_room)(Writer* writer, uint64_t now, bool text);
  // Takes a block of kIdBlock task ids. Never fails.
  uint64_t (*take_ids)();
  // What the calling thread has used so far. Returns false if that is unknown. Null: always
  // unknown.
  bool (*read_cpu_time)(const Writer& writer, format::CpuTime& used);
  // Calls body(argument), protected from the host's interrupts: a signal handler that records would
  // find a lock held by its own thread, and one that leaves by longjmp would never release it.
  // Null: no protection is needed.
  void (*protect)(void (*body)(void*), void* argument);
};
extern Host host;

// Calls `body` as host.protect does. Each lock of an event is acquired and released in one.
template <typename Body>
void protect(Body body) {
  if (host.protect == nullptr) return body();
  host.protect([](void* argument) { (*static_cast<Body*>(argument))(); }, &body);
}

// Writes the header of the writer's next packet to `chunk`, which may contain an older one (a
// recycled chunk of a ring). At every instant the file is a valid packet: the old one, an empty
// one, or the new one. A copy during which the lock was even and did not change is valid.
void write_packet_header(const Writer& writer, char* chunk, uint64_t now, uint64_t monotonic_ns);
// Makes that packet current: the next event goes there.
void enter_packet(Writer& writer, char* chunk);

}  // namespace skein::record
