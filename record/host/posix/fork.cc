// Handles a fork() by a signal handler that interrupted an event of this thread.
//
// In the child the interrupted event continues when the handler returns. Its Writer has been
// cleared, and its stores would fault or modify the parent's chunk. The child therefore gets
// private memory at the addresses that this event may still write to: its chunk and the live task
// table. Any other fork needs only the cleared memory. Definitions are written with signals blocked
// and are not interrupted.
#include <pthread.h>
#include <sys/mman.h>

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

thread_local constinit bool in_event __attribute__((tls_model("initial-exec"))) = false;

void before() { in_event = this_writer != nullptr && this_writer->in_use != 0; }

// Maps private zeros. Values that the event read before are in registers.
bool own_memory(void* base, size_t size) {
  return mmap(base, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

// Restores the fields of the Writer that the interrupted event still reads.
void restore(Writer& writer, const Shadow& shadow) {
  if (shadow.base == nullptr || !own_memory(shadow.base, shadow.size)) return;
  writer.packet = reinterpret_cast<format::PacketHeader*>(shadow.base);
  writer.pos =
      shadow.base + sizeof(format::PacketHeader);  // limit stays 0: no room for other events
  writer.table = state.table;
  writer.rows = state.table->rows;
  writer.names = state.names;
}

void in_child() {
  if (state.files != nullptr) close_directory_in_child(state.files->handle);
  if (!in_event) return;
  in_event = false;
  ErrnoGuard errno_guard;
  const TaskTable* table = state.table;
  const Shadow* shadow = shadow_of(this_writer);
  if (shadow == nullptr || table == nullptr) return;
  own_memory(table->header, format::kTableHeaderSize + size_t{table->capacity} * sizeof(TaskRow));
  restore(*this_writer, *shadow);
  if (shadow->nested == nullptr) return;
  if (const Shadow* other = shadow_of(shadow->nested); other != nullptr)
    restore(*shadow->nested, *other);
}

}  // namespace

void watch_forks() {
  static bool watching = false;
  if (!watching) watching = pthread_atfork(before, nullptr, in_child) == 0;
}

}  // namespace skein::record
