// Handles a fork() by a signal handler that interrupted an event of this thread.
//
// In the child the interrupted event continues when the handler returns. Its Writer has been
// cleared, and its stores would fault or modify the parent's chunk. The child therefore gets
// private memory at the addresses that this event may still write to: its chunk and the live task
// table. Any other fork needs only the cleared memory. Definitions are written with signals blocked
// and are not interrupted.
//
// follow=fork: a child of a recording process gets its own trace, wanted.PID, at its first event.
// The handler turns recording on without a trace: each thread's Writer is cleared, so its first
// event calls attach, which starts the trace. A child that calls exec before leaves no trace.
// Rejected: start it in the handler, which costs every fork some milliseconds.
#include <pthread.h>

#include "record/host/posix/sampling.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

thread_local constinit bool in_event __attribute__((tls_model("initial-exec"))) = false;
thread_local constinit bool was_on __attribute__((tls_model("initial-exec"))) = false;

void before() {
  in_event = this_writer != nullptr && this_writer->in_use != 0;
  was_on = is_on();
  before_fork_of_modules();
}

void in_parent() { after_fork_of_modules(); }

// Restores the fields of the Writer that the interrupted event still reads.
void restore(Writer& writer, const Shadow& shadow) {
  if (shadow.base == nullptr || !replace_by_private_memory(shadow.base, shadow.size)) return;
  writer.packet = reinterpret_cast<format::PacketHeader*>(shadow.base);
  writer.pos =
      shadow.base + sizeof(format::PacketHeader);  // limit stays 0: no room for other events
  writer.table = state.table;
  writer.rows = state.table->rows;
  writer.names = state.names;
}

// The interrupted event continues in private memory. Values that it read before are in registers.
void continue_event() {
  const TaskTable* table = state.table;
  const Shadow* shadow = shadow_of(this_writer);
  if (shadow == nullptr || table == nullptr) return;
  replace_by_private_memory(table->header,
                            format::kTableHeaderSize + size_t{table->capacity} * sizeof(TaskRow));
  restore(*this_writer, *shadow);
  if (shadow->nested == nullptr) return;
  if (const Shadow* other = shadow_of(shadow->nested); other != nullptr)
    restore(*shadow->nested, *other);
}

// Everything that belongs to the parent's trace is out of reach before recording is on: its live
// task table is shared memory.
void follow() {
  publish(state.table, static_cast<TaskTable*>(nullptr));
  if (state.names != nullptr) {  // a private copy, which another thread may have locked
    state.names->stream = nullptr;
    state.names->lock = 0;
  }
  ++state.generation;  // string ids of the parent are not valid in the child
  __atomic_store_n(&state.awaits_first_event, true, __ATOMIC_RELEASE);
  set_flag(0, true);
}

void in_child() {
  ErrnoGuard errno_guard;
  if (state.files != nullptr) close_directory_in_child(state.files->handle);
  if (in_event) continue_event();
  in_event = false;
  const bool follows = was_on && state.shown != nullptr && state.shown->options.follow_forks;
  forget_sampling_of_parent(follows);
  if (follows) follow();
}

}  // namespace

void watch_forks() {
  static bool watching = false;
  if (!watching) watching = pthread_atfork(before, in_parent, in_child) == 0;
}

}  // namespace skein::record
