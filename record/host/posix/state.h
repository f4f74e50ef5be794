// The state of the POSIX host: one trace at a time, its streams and its files.
//
// Lifetime: nothing here is destroyed, unmapped or freed, because exit handlers, thread-local
// destructors and threads that outlive main may record events.
//
// fork: skein_page (the enable flag and the locks) and all Writers are in memory that the kernel
// clears in a child. State is copied; a child detects by `pid` that it belongs to the parent.
#pragma once
#include <signal.h>
#include <skein/skein.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/names.h"
#include "record/core/task_table.h"
#include "record/core/writer.h"
#include "record/host/posix/directory.h"
#include "record/host/posix/growth.h"
#include "record/host/posix/options.h"

struct dl_phdr_info;

namespace skein::record {

inline constexpr unsigned kWritersPerBlock = 256;
inline constexpr unsigned kBlocks = 256;
inline constexpr unsigned kPreparedStreams = 4;  // created at start, so that first events are cheap
inline constexpr size_t kLargestPrepared = size_t{1} << 20;  // bytes of a chunk
inline constexpr size_t kWindow = size_t{64} << 10;
inline constexpr size_t kPathMax = 1200;

struct ClockInfo {
  ReadCounter counter = nullptr;  // null: the time stamp counter
  uint64_t ticks_per_second = 0;
  uint64_t ticks = 0;  // the same moment in three clocks
  uint64_t monotonic_ns = 0;
  uint64_t realtime_ns = 0;
  uint64_t bracket_ns = 0;   // maximum distance of the readings
  uint64_t begin_count = 0;  // the beginning of the rate measurement
  uint64_t begin_ns = 0;
};

struct TraceFiles;

// The mapped files of a trace, for the SIGBUS handler. They are kept when a newer trace starts: a
// thread may still be in an event of the old one.
struct TraceMemory {
  TaskTable* table = nullptr;
  Writer* names_writer = nullptr;
  Writer* blocks[kBlocks] = {};
  uint32_t streams = 0;  // Writers created in this generation
};

// The common data of a trace's files. One object per trace, constant once the directory has its
// name, and never freed: a thread may create a chunk of the old trace while another starts a new
// one.
struct TraceFiles {
  char directory[1024];            // the path at start; the program may move the directory
  mutable DirectoryHandle handle;  // directory.h
  char wanted[1024];               // the absolute path that was requested: a child's is wanted.PID
  Options options;
  uint8_t uuid[16];
  bool log;
  bool all_at_start;  // all files are created at start
  bool sealed;        // ... and now exist: no more are opened, because that may be forbidden
  unsigned ring_chunks;
  size_t chunk_size;  // of a ring, before it grows
  Growth growth;
  uint64_t keep;                // growth.keep_ns in ticks
  mutable uint64_t ring_bytes;  // of the chunks of all rings; atomic
  ClockInfo clock;
  TraceMemory replaced;        // the memory of the trace before this one
  const TraceFiles* previous;  // with the memory of the one before that; null: none
};
inline const TraceFiles& files_of(const Writer& writer) {
  return *static_cast<const TraceFiles*>(writer.trace);
}
inline const ClockInfo& clock_of(const Writer& writer) { return files_of(writer).clock; }

// The fields of a Writer that a forked child needs, in memory that is not cleared on fork.
struct Shadow {
  char* base;  // of the current chunk
  size_t size;
  Writer* nested;
};

struct State : TraceMemory {
  uint32_t generation = 0;  // 0: no trace was ever started
  int pid = 0;
  bool key_made = false;
  TraceFiles* files = nullptr;
  const TraceFiles* shown = nullptr;   // the same, once start is complete; null: no trace to resume
  const TraceFiles* newest = nullptr;  // has the memory of the older traces
  Names* names = nullptr;
  Shadow* shadows[kBlocks] = {};  // parallel to blocks
  Writer* free_streams = nullptr;
  uint64_t bytes = 0;
  uint64_t next_id = 1;             // task ids are unique in the process, over all traces
  bool awaits_first_event = false;  // a followed child: fork.cc
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

// True while recording. Synchronises with start: the caller sees everything that start wrote.
inline bool is_on() { return __atomic_load_n(skein_page, __ATOMIC_ACQUIRE) != 0; }

// Sets a flag of skein_page that programs read inline. An executable that is linked to libskein.so
// may have a copy of the page (a copy relocation), which all modules use, this one included. Only
// those that were opened with RTLD_DEEPBIND use the original, so both have the flags.
void set_flag(unsigned index, bool value);

// Locks in the page that is cleared on fork: a child holds none.
inline uint32_t& stream_lock() { return *reinterpret_cast<uint32_t*>(skein_page + 64); }
inline uint32_t& start_lock() { return *reinterpret_cast<uint32_t*>(skein_page + 128); }

// This OS thread's stream. Read only in functions that are not inlined: a compiler may keep the
// address of a thread_local across a co_await, after which the coroutine may run on another thread.
extern thread_local constinit Writer* this_writer __attribute__((tls_model("initial-exec")));
// The stream for the fast path, which checks only whether it is in use. It is `no_writer`, which
// always is, if the thread has no stream yet or the clock is not the time stamp counter.
extern thread_local constinit Writer* plain_writer __attribute__((tls_model("initial-exec")));
extern constinit Writer no_writer;
void set_writer(Writer* writer);

// ---- clock.cc ----
// Chooses the clock by the options, and reads it together with UTC. If the calling thread may not
// read the time stamp counter (PR_SET_TSC), each later reading is a system call. If neither
// processor nor hypervisor reports its rate, it is measured from this call to finish_clock, which
// waits until 2 ms have passed.
ClockInfo choose_clock(const Options& options);
void finish_clock(ClockInfo& clock);
// Host::read_cpu_time: two system calls, 0.5 us. Not with all-files-at-start, which promises not to
// make them.
bool read_cpu_time(const Writer& writer, format::CpuTime& used);
// CLOCK_MONOTONIC, by a system call if the trace's clock is read by one.
uint64_t monotonic_ns(const ClockInfo& clock);
uint64_t monotonic_ns();

// ---- files.cc ----
// The size that a file of the process may have (RLIMIT_FSIZE).
uint64_t largest_file();
// Each other function fails with EPERM once the trace is sealed.
//
// Creates the file directory/name of `size` bytes, allocates its first `allocated` bytes, maps it,
// and makes the first `touched` bytes resident. It has a dot name until `fill` has written the
// header, so that no reader sees a partial one. Returns null if the disk or memory is full; errno
// is set. The result is this thread's own mapping until the caller has stored it elsewhere.
char* make_file(const TraceFiles& files, const char* name, size_t size, size_t allocated,
                size_t touched, void (*fill)(char*, void*), void* argument);
bool allocate(const TraceFiles& files, const char* name, size_t offset, size_t size);
// Replaces mapped pages by private zeros. Returns false if the kernel refuses. May be called in a
// signal handler.
bool replace_by_private_memory(void* base, size_t size);
// Makes the pages of a mapping resident and writable. Returns false if there is no memory for them.
bool touch(char* begin, size_t size);
bool write_file(const TraceFiles& files, const char* name, const char* text, size_t size);

// ---- chunks.cc ----
Writer* make_room(Writer* writer, uint64_t now, bool text);
// Makes room in a stream that no thread writes to yet. Precondition: signals are blocked. Returns
// false if there is no room.
bool open_stream(Writer& writer);
// Creates all chunks of a ring that no thread writes to yet. Returns false with errno set if one of
// them cannot be created.
bool open_whole_ring(Writer& writer);
// Removes a stream's room if its trace has stopped. Called after making room, because the trace may
// have been stopped in between.
void close_if_stopped(Writer& writer);

// ---- streams.cc ----
// Assigns a stream to the calling thread. Returns null if there is none (counted).
Writer* attach();
// Whether it allocates no memory of the C library, which a handler may have interrupted.
bool may_attach_in_handler();
// Returns a stream for events of signal handlers that interrupt `writer`, or null.
Writer* attach_nested(Writer& writer);
// Creates streams at start, before recording is enabled, so that first events are cheap.
void prepare_streams(unsigned count);
// Creates `count` streams with all their files, at start. Returns false with errno set on failure.
bool create_streams(unsigned count);
// Creates a stream if none is free. Precondition: signals are blocked.
void keep_spare_stream();
// Removes the room of all streams, so that each thread's next event calls make_room.
void close_streams();
// Returns null if the Writer does not belong to the running trace.
Shadow* shadow_of(const Writer* writer);
// Drops the streams of an older trace: their threads find no room and attach again. The memory of
// that trace is stored in `files`. Returns false if the lock was not acquired.
bool begin_generation(TraceFiles& files);
bool make_thread_key();
// Calls at_end_of_thread (control.h) at the end of the calling thread, even if it records nothing.
// exit() does not end threads.
bool watch_thread_end();

// Stores the chunk that the stream's owner writes to, for a forked child, whose Writers are
// cleared.
void store_shadow_chunk(const Writer& writer, char* base, size_t size);

// ---- emit.cc ----
// True if the dynamic linker has bound calls of the recorder to another copy of it, such as that in
// the executable. This copy must then not record: the two share skein_page, but not `state`. False
// also if the other copy is not visible: both then record, each for its own module.
bool another_copy_is_used();

// ---- fork.cc ----
void watch_forks();
// True in a followed child that has not recorded an event yet.
inline bool awaits_first_event() {
  return __atomic_load_n(&state.awaits_first_event, __ATOMIC_ACQUIRE);
}

// ---- trace.cc ----
// Starts the trace of a followed child. Returns false if it is not recording afterwards.
bool start_in_child();
// Returns the definitions of the running trace, or null if there is none.
Names* names_for_lookup();

// Reads a small file. Returns the length of the text, without newlines at its end; 0: unreadable.
size_t read_text(const char* path, char* to, size_t size);

// ---- room.cc ----
// The smallest of the memory, address space and disk that this process may use (bytes).
uint64_t room_for(const char* directory);

// ---- bus_error.cc ----
void watch_bus_errors();
// A mapped file that only this thread uses and that is not (or not yet) a chunk or the table. A bus
// error there replaces it by private memory, too. At most one for each thread.
void set_own_mapping(char* base, size_t size);
// Forgets it. Returns false if it was replaced.
bool end_own_mapping();

// ---- modules.cc ----
// Defines the loaded modules and remembers them. In a forked child, `again` defines those that were
// remembered: another thread of the parent may have held the dynamic linker's lock.
void define_modules(bool again);
// Defines those that have been opened since. For the thread of sampling.cc: another one may start a
// trace at the same time, so a module may be missing, or be defined twice.
void define_new_modules();
// Calls `visit` for each, as dl_iterate_phdr(3). For a thread of the recorder. False: not now.
bool list_modules(int (*visit)(dl_phdr_info*, size_t, void*), void* data);
// Around fork(), in the parent: no thread of the recorder lists modules then. A child would inherit
// the linker's lock, held by a thread that it does not have. Limited in time.
void before_fork_of_modules();
void after_fork_of_modules();
// Prevents the recorder from being unloaded, because threads refer to one of its destructors.
void pin_module();
// True if a function is defined at this address. False for the jump to it in a program that is
// compiled with -fno-pie and takes the function's address.
bool is_definition(const void* function);

// Builds file names from numbers and strings without stdio, because slow paths run in signal
// handlers.
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

// Disables the cancellation of this thread: open, write, nanosleep and others are cancellation
// points, but a call of the recorder is none. A request stays pending until the program reaches its
// own cancellation point.
class DisableCancellation {
 public:
  DisableCancellation();
  // May unwind if the program has made cancellation asynchronous: then a pending request takes
  // effect here, as it may between any two instructions.
  ~DisableCancellation() noexcept(false);
  DisableCancellation(const DisableCancellation&) = delete;
  DisableCancellation& operator=(const DisableCancellation&) = delete;

 private:
  int before_;
};

// Blocks all signals while a lock is held or a file is created: a handler that records would find
// the lock held by its own thread, and one that leaves by longjmp would never release it. The same
// holds for a cancelled thread. Faults of the thread itself are still delivered (SIGBUS:
// bus_error.cc).
class BlockSignals {
 public:
  BlockSignals();
  ~BlockSignals() noexcept(false);
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  DisableCancellation cancellation_;  // enabled again after the signals
  sigset_t before_;
};

// Restores errno, which belongs to the program.
class ErrnoGuard {
 public:
  ErrnoGuard();
  ~ErrnoGuard();
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;

 private:
  int saved_;
};

// ---- kept_handles.cc
// Creates the table, if there is none. Without memory, the first use tries again.
void make_handles();
// The handle of the object with this key; null if there is none.
skein_task* find_object(uintptr_t key);
// ... which is in the trace, by now; null while off or without room.
skein_task* handle_of_object(uintptr_t key, uint32_t kind, const char* name);

// ---- kernel_bytes.cc
// What the program has written to a TCP socket, and read from it, since the connection began: also
// by calls that the recorder does not see.
struct KernelBytes {
  uint64_t sent = 0;
  uint64_t received = 0;
  uint8_t state = 0;  // of the connection: TCP_ESTABLISHED is 1
};
// False: another kind of socket, a connection that was reset, or Linux before 4.19. Three system
// calls, 1 us.
bool read_kernel_bytes(int descriptor, KernelBytes& bytes);

// ---- connections.cc
// Frees the rows of a socket that is closed.
void forget_connection(const skein_task& socket);

}  // namespace skein::record
