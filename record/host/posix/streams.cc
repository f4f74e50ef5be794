// Assigns streams to threads: a thread takes one at its first event and releases it when it ends,
// so that the number of streams is the largest number of threads at one time.
//
//   prepared or released --attach--> owned by a thread --end of thread--> released
//
// The destructor of a pthread key releases the stream. It runs after C++'s thread-local destructors
// and among those of other keys; an event after it attaches again, and the destructor is called
// again. A thread that ends without it is detected by its missing thread id, when many streams are
// in use. Rejected: __cxa_thread_atexit_impl, which takes no key, but allocates from the program's
// heap, also in a signal handler's first event, and runs before the destructors of thread_local
// objects that are older than the first event, and at the exit of main.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>
#include <new>

#include "record/core/emission.h"
#include "record/core/spin.h"
#include "record/host/posix/control.h"
#include "record/host/posix/sampling.h"
#include "record/host/posix/state.h"

namespace skein::record {

constinit Writer no_writer = {.in_use = 1};
thread_local constinit Writer* this_writer __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local constinit Writer* plain_writer __attribute__((tls_model("initial-exec"))) = &no_writer;

void set_writer(Writer* writer) {
  this_writer = writer;
  plain_writer = writer != nullptr && writer->counter == nullptr ? writer : &no_writer;
}

namespace {

thread_local constinit bool attaching __attribute__((tls_model("initial-exec"))) = false;
pthread_key_t thread_key;

Writer* writer_at(uint32_t index) {
  Writer* block = now_of(state.blocks[index / kWritersPerBlock]);
  return block != nullptr ? block + index % kWritersPerBlock : nullptr;
}

// Precondition: stream lock held. Atomic, because keep_spare_stream reads it without the lock.
void set_free_streams(Writer* first) {
  __atomic_store_n(&state.free_streams, first, __ATOMIC_RELAXED);
}

// Precondition: stream lock held. Returns null without memory or with too many streams.
Writer* make_writer() {
  const uint32_t index = state.streams;
  if (index / kWritersPerBlock >= kBlocks || state.files->sealed) return nullptr;
  Writer*& block = state.blocks[index / kWritersPerBlock];
  if (block == nullptr) {
    const size_t size = sizeof(Writer) * kWritersPerBlock;
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    const size_t shadow_size = sizeof(Shadow) * kWritersPerBlock;
    void* shadows =
        mmap(nullptr, shadow_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shadows == MAP_FAILED) {
      munmap(memory, size);
      return nullptr;
    }
    madvise(memory, size, MADV_WIPEONFORK);
    publish(state.shadows[index / kWritersPerBlock], static_cast<Shadow*>(shadows));
    publish(block, static_cast<Writer*>(memory));
  }
  auto* writer = new (block + index % kWritersPerBlock) Writer;
  writer->stream = index;
  writer->generation = state.generation;
  writer->counter = state.files->clock.counter;
  writer->table = state.table;
  writer->rows = state.table->rows;
  writer->links = state.table->links;
  writer->names = state.names;
  writer->trace = state.files;
  writer->flags = state.files->log ? uint32_t{format::kFlagLog} : 0;
  __atomic_store_n(&state.streams, index + 1, __ATOMIC_RELEASE);
  return writer;
}

// Reclaims streams of threads that ended without releasing them. Precondition: stream lock held.
void collect_orphans() {
  if (state.files->sealed) return;  // a sandbox may not permit tgkill
  for (uint32_t i = 0; i < state.streams; ++i) {
    Writer* writer = writer_at(i);
    if (writer->tid == 0 || (writer->flags & format::kFlagNested) != 0) continue;
    if (syscall(SYS_tgkill, state.pid, writer->tid, 0) == 0) continue;
    writer->tid = 0;
    writer->in_use = 0;
    writer->current = 0;
    writer->next_free = state.free_streams;
    set_free_streams(writer);
  }
}

Writer* take_stream() {
  SpinLock lock(stream_lock());
  // Without a generation another copy of the recorder is on, of which this one uses only the page.
  if (!lock || !is_on() || state.generation == 0) return nullptr;
  const bool power_of_two = (state.streams & (state.streams - 1)) == 0;
  if (state.free_streams == nullptr && state.streams >= 32 && power_of_two) collect_orphans();
  Writer* writer = state.free_streams;
  if (writer == nullptr) return make_writer();
  set_free_streams(writer->next_free);
  writer->next_free = nullptr;
  return writer;
}

void release_stream(Writer* writer) {
  SpinLock lock(stream_lock());
  // Without the lock: reclaimed as an orphan later. Of an older trace: not needed.
  if (!lock || writer->generation != state.generation) return;
  writer->tid = 0;
  writer->next_free = state.free_streams;
  set_free_streams(writer);
}

void at_thread_end(void* argument) {
  ErrnoGuard errno_guard;
  end_sampling_of_this_thread();
  at_end_of_thread();
  BlockSignals block;
  auto* writer = static_cast<Writer*>(argument);
  if (this_writer != writer) return;
  if (writer->generation == generation_now() && writer->in_use == 0) {
    mark_in_use(*writer);
    Emission e(writer);
    if (is_on() && e.begin()) {
      e.one(format::k_executor_end, writer->tid);
      e.commit();
    }
    writer->current = 0;
    writer->ended = 0;
    writer->suspended = 0;
    writer->in_use = 0;
  }
  set_writer(nullptr);
  release_stream(writer);
}

void emit_executor(Writer& writer, bool named) {
  char name[17] = {};
  uint32_t string = 0;
  if (files_of(writer).sealed) named = false;  // a sandbox may not permit prctl
  if (named && prctl(PR_GET_NAME, name) == 0) string = string_of(*writer.names, name, strlen(name));
  mark_in_use(writer);
  writer.timed = kUntimed;  // until then its events are those of another thread
  Emission e(&writer);
  if (e.begin()) {
    e.same(format::k_executor, writer.tid, string);
    e.commit();
  }
  writer.timed = 0;
  writer.in_use = 0;
}

// No stream is prepared for a large ring, whose chunks are allocated on the disk immediately.
bool may_prepare() {
  const TraceFiles& files = *now_of(state.files);
  return !files.sealed && (files.log || files.chunk_size <= kLargestPrepared);
}

// Creates a stream for the next thread. Its file is created without the lock.
void prepare_stream(bool only_if_none_is_free) {
  Writer* writer = nullptr;
  {
    SpinLock lock(stream_lock());
    // Recording is off: another trace may be starting.
    if (!lock || (only_if_none_is_free && (!is_on() || state.free_streams != nullptr))) return;
    writer = make_writer();
  }
  if (writer == nullptr) return;
  open_stream(*writer);  // without room the thread that takes it tries again
  if (only_if_none_is_free) close_if_stopped(*writer);
  release_stream(writer);
}

Writer* attach_stream() {
  ErrnoGuard errno_guard;
  BlockSignals block;
  if (attaching) {  // a signal handler interrupted this function
    lose(format::kLoss_nested);
    return nullptr;
  }
  attaching = true;
  Writer* writer = nullptr;
  if (!awaits_first_event() || start_in_child()) writer = take_stream();
  if (writer != nullptr && !open_stream(*writer)) {
    release_stream(writer);
    writer = nullptr;
  }
  if (writer != nullptr) {
    close_if_stopped(*writer);
    writer->tid = static_cast<uint32_t>(syscall(SYS_gettid));
    if (writer->nested != nullptr) writer->nested->tid = writer->tid;
    emit_executor(*writer, true);
    if (state.key_made) pthread_setspecific(thread_key, writer);
    set_writer(writer);
  } else if (is_on()) {
    lose(format::kLoss_no_stream);
  }
  attaching = false;
  return writer;
}

}  // namespace

DisableCancellation::DisableCancellation() {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
}
DisableCancellation::~DisableCancellation() noexcept(false) {
  if (before_ == PTHREAD_CANCEL_DISABLE) return;
  // A request that takes effect in pthread_setcancelstate leaves the thread with the result null
  // instead of PTHREAD_CANCELED in glibc (2.36); in pthread_setcanceltype it does not.
  int type = PTHREAD_CANCEL_DEFERRED;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  if (type != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(type, nullptr);
}

BlockSignals::BlockSignals() {
  sigset_t held;
  sigfillset(&held);
  for (const int fault : {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP}) sigdelset(&held, fault);
  pthread_sigmask(SIG_SETMASK, &held, &before_);
}
BlockSignals::~BlockSignals() noexcept(false) { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Shadow* shadow_of(const Writer* writer) {
  for (unsigned i = 0; i < kBlocks; ++i) {
    const Writer* block = now_of(state.blocks[i]);
    if (block == nullptr) break;
    if (writer >= block && writer < block + kWritersPerBlock)
      return now_of(state.shadows[i]) + (writer - block);
  }
  return nullptr;
}

void store_shadow_chunk(const Writer& writer, char* base, size_t size) {
  Shadow* shadow = shadow_of(&writer);
  if (shadow == nullptr) return;
  shadow->base = base;
  shadow->size = size;
}

bool make_thread_key() {
  return state.key_made || (state.key_made = pthread_key_create(&thread_key, at_thread_end) == 0);
}

bool watch_thread_end() {
  return make_thread_key() && pthread_setspecific(thread_key, &no_writer) == 0;
}

Writer* attach() {
  Writer* writer = attach_stream();
  if (writer != nullptr) sample_this_thread();  // which changes the mask of signals
  return writer;
}

bool may_attach_in_handler() {
  constexpr pthread_key_t kKeysInThread = 32;  // glibc allocates memory for more
  return thread_key < kKeysInThread;
}

Writer* attach_nested(Writer& writer) {
  ErrnoGuard errno_guard;
  BlockSignals block;
  if (attaching) {
    lose(format::kLoss_nested);
    return nullptr;
  }
  attaching = true;
  Writer* nested = take_stream();
  if (nested != nullptr) {
    nested->flags |= format::kFlagNested;
    nested->tid = writer.tid;
    if (nested->packet != nullptr) nested->packet->flags = nested->flags;
    if (open_stream(*nested)) {
      close_if_stopped(*nested);
      emit_executor(*nested, false);
      if (Shadow* shadow = shadow_of(&writer); shadow != nullptr) shadow->nested = nested;
      writer.nested = nested;  // permanently: it stays with the stream when the thread changes
    } else {
      nested->flags &= ~uint32_t{format::kFlagNested};
      release_stream(nested);
      nested = nullptr;
    }
  }
  if (nested == nullptr) lose(format::kLoss_nested);
  attaching = false;
  return nested;
}

void prepare_streams(unsigned count) {
  for (unsigned i = 0; i < count && may_prepare(); ++i) prepare_stream(false);
  // Calls the functions of a first event in advance, which saves it 10 us: the dynamic linker
  // resolves them, and the process name, which most threads have, is interned.
  char name[17] = {};
  if (prctl(PR_GET_NAME, name) == 0) string_of(*state.names, name, strlen(name));
  pthread_setspecific(thread_key, pthread_getspecific(thread_key));
}

bool create_streams(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    Writer* writer = nullptr;
    if (SpinLock lock(stream_lock()); lock) writer = make_writer();
    if (writer == nullptr) {
      errno = ENOMEM;
      return false;
    }
    if (!open_whole_ring(*writer)) return false;
    release_stream(writer);
  }
  return true;
}

void keep_spare_stream() {
  if (may_prepare() && __atomic_load_n(&state.free_streams, __ATOMIC_RELAXED) == nullptr)
    prepare_stream(true);
}

void close_streams() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const uint32_t streams = __atomic_load_n(&state.streams, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < streams; ++i)
    if (Writer* writer = writer_at(i)) set_limit(*writer, nullptr);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool begin_generation(TraceFiles& files) {
  close_streams();
  SpinLock lock(stream_lock());
  if (!lock) return false;
  files.replaced = static_cast<const TraceMemory&>(state);
  files.previous = state.newest;
  publish(state.newest, static_cast<const TraceFiles*>(&files));
  for (Writer*& block : state.blocks)
    publish(block, static_cast<Writer*>(nullptr));  // the threads that use them keep them
  __atomic_store_n(&state.streams, 0, __ATOMIC_RELEASE);
  set_free_streams(nullptr);
  __atomic_store_n(&state.generation, state.generation + 1, __ATOMIC_SEQ_CST);
  return true;
}

}  // namespace skein::record
