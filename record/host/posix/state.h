// What the POSIX host keeps for the process: one trace at a time, its streams, its files.
//
// Lives longer than everything: nothing here is ever destroyed, unmapped or freed, so that events
// of exit handlers, of thread-local destructors and of threads that outlive main find it whole.
//
// fork: skein_page (the enable flag and the locks) and all Writers lie in memory that the kernel
// wipes in a child; State itself is copied, and `pid` tells the child that it is not its own.
#pragma once
#include <signal.h>
#include <skein/skein.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/names.h"
#include "record/core/task_table.h"
#include "record/core/writer.h"

namespace skein::record {

inline constexpr unsigned kWritersPerBlock = 256;
inline constexpr unsigned kBlocks = 256;
inline constexpr unsigned kPreparedStreams = 4;  // made at start, so that first events are cheap
inline constexpr size_t kLargestPrepared = size_t{1} << 20;  // bytes of a chunk
inline constexpr size_t kWindow = size_t{64} << 10;
inline constexpr size_t kPathMax = 1200;

struct ClockFacts {
  ReadCounter counter = nullptr;  // null: the time stamp counter
  uint64_t ticks_per_second = 0;
  uint64_t ticks = 0;  // one moment in three clocks
  uint64_t monotonic_ns = 0;
  uint64_t realtime_ns = 0;
  uint64_t bracket_ns = 0;   // how far apart the readings may be
  uint64_t begin_count = 0;  // where the measurement of the rate began
  uint64_t begin_ns = 0;
};

// What a trace's files have in common. One for each trace, not changed once its directory is shown
// and never freed: a thread may be making a chunk of the old trace while another starts a new one.
struct TraceFiles {
  char directory[1024];
  uint8_t uuid[16];
  bool log;
  unsigned ring_chunks;
  size_t chunk_size;  // of a ring
  ClockFacts clock;
};
inline const TraceFiles& files_of(const Writer& writer) {
  return *static_cast<const TraceFiles*>(writer.trace);
}

// What is kept of a Writer in memory that is not wiped on fork.
struct Shadow {
  char* base;  // of the chunk it writes to
  size_t size;
  Writer* nested;
};

struct State {
  uint32_t generation = 0;  // 0: no trace was ever started
  int pid = 0;
  bool key_made = false;
  TraceFiles* files = nullptr;
  const TraceFiles* shown = nullptr;  // the same, when start is done; null: no trace to go on with
  TaskTable* table = nullptr;
  Names* names = nullptr;
  Writer* names_writer = nullptr;
  Writer* blocks[kBlocks] = {};
  Shadow* shadows[kBlocks] = {};  // in step with blocks
  uint32_t streams = 0;           // Writers made in this generation
  Writer* free_streams = nullptr;
  uint64_t bytes = 0;
  uint64_t next_id = 1;  // task ids: for the life of the process, over all traces
};
extern State state;

// A thread may read these while another starts the next trace.
template <typename T>
T* now_of(T* const& pointer) {
  return __atomic_load_n(&pointer, __ATOMIC_ACQUIRE);
}
template <typename T>
void publish(T*& pointer, T* value) {
  __atomic_store_n(&pointer, value, __ATOMIC_RELEASE);
}
inline void lose(format::Loss reason) { count_lost(now_of(state.table), reason); }

inline uint32_t generation_now() { return __atomic_load_n(&state.generation, __ATOMIC_ACQUIRE); }

// With all that was written before the recording was switched on.
inline bool is_on() { return __atomic_load_n(skein_page, __ATOMIC_ACQUIRE) != 0; }

// Locks, in the page that is wiped on fork: in a child none is held.
inline uint32_t& stream_lock() { return *reinterpret_cast<uint32_t*>(skein_page + 64); }
inline uint32_t& start_lock() { return *reinterpret_cast<uint32_t*>(skein_page + 128); }

// This OS thread's stream. Read in noinline functions only: a compiler may keep a thread-local's
// address across a co_await, and the coroutine may go on in another thread.
extern thread_local constinit Writer* this_writer __attribute__((tls_model("initial-exec")));
// The same for the hot path, which asks one question only: is it in use? `no_writer`, always in
// use, if there is none yet or its clock is not the time stamp counter.
extern thread_local constinit Writer* plain_writer __attribute__((tls_model("initial-exec")));
extern constinit Writer no_writer;
void set_writer(Writer* writer);

// ---- clock.cc ----
// Chooses the clock and reads it beside UTC. `monotonic`: not the counter. Its rate, if nobody
// states it, is measured from here to finish_clock, which waits until that is 2 ms.
ClockFacts choose_clock(bool monotonic);
void finish_clock(ClockFacts& clock);
uint64_t monotonic_ns();

// ---- files.cc ----
// Makes `size` bytes at directory/name, blocks allocated and mapped, first `touched` bytes made
// resident. Under a dot-name until `fill` has written it, so that no reader sees half a header.
// Null: the disk is full, or memory; errno says which.
char* make_file(const TraceFiles& files, const char* name, size_t size, size_t allocated,
                size_t touched, void (*fill)(char*, void*), void* argument);
bool allocate(const TraceFiles& files, const char* name, size_t offset, size_t size);
// Makes pages of a mapping present and writable now; false if there is no memory behind them.
bool touch(char* begin, size_t size);
bool write_file(const TraceFiles& files, const char* name, const char* text, size_t size);

// ---- chunks.cc ----
Writer* make_room(Writer* writer, uint64_t now, bool text);
// Makes room in a stream that nobody writes to yet. Before: signals are held. False: none to be
// had.
bool open_stream(Writer& writer);
// Takes a stream's room away if its trace has stopped: after making it room, for a stop may have
// come in between.
void close_if_stopped(Writer& writer);

// ---- streams.cc ----
// Gives the calling thread a stream; null: there is none to be had (counted).
Writer* attach();
// A stream for events of signal handlers that interrupt `writer`.
Writer* attach_nested(Writer& writer);
// At start, before recording is on: that first events are cheap.
void prepare_streams(unsigned count);
// The same later: makes a stream if none is free. Before: signals are held.
void keep_spare_stream();
// Takes the room of all streams away: their threads ask for it at their next event.
void close_streams();
// Null if the Writer is of no trace that runs.
Shadow* shadow_of(const Writer* writer);
// Forgets the streams of an older trace: their threads find no room, and attach anew. False: the
// lock was not to be had.
bool begin_generation();
bool make_thread_key();

// Told by a stream's owner where it writes: what a forked child needs, whose Writers are wiped.
void note_chunk(const Writer& writer, char* base, size_t size);

// ---- fork.cc ----
void watch_forks();

// ---- bus_error.cc ----
void watch_bus_errors();

// ---- modules.cc ----
void define_modules();
// The recorder's code stays loaded for good: threads hold a destructor of it.
void pin_module();

// Joins numbers and texts to file names, without stdio: slow paths run in signal handlers too.
struct Text {
  char data[kPathMax];
  size_t size = 0;
  Text() { data[0] = 0; }
  Text& add(const char* text) {
    while (*text != 0 && size + 1 < sizeof data) data[size++] = *text++;
    data[size] = 0;
    return *this;
  }
  Text& add(uint64_t number, unsigned width = 1) {
    char digits[20];
    unsigned n = 0;
    do {
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0 || n < width);
    while (n > 0 && size + 1 < sizeof data) data[size++] = digits[--n];
    data[size] = 0;
    return *this;
  }
};

// What takes a lock, or makes a file, is not interrupted: a handler that records would find the
// lock taken by its own thread, and one that leaves by longjmp would leave it taken for ever.
// Faults of the thread itself still come through (SIGBUS: bus_error.cc).
class BlockSignals {
 public:
  BlockSignals();
  ~BlockSignals();
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

// Slow paths may run anywhere: errno is the program's.
class ErrnoGuard {
 public:
  ErrnoGuard();
  ~ErrnoGuard();
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;

 private:
  int saved_;
};

}  // namespace skein::record
