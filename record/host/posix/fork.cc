// fork() called by a signal handler that interrupted this thread in the middle of an event.
//
// In the child the interrupted event goes on when the handler returns: its Writer has been wiped,
// and its next stores would fault, or hit the parent's chunk behind the parent's back. So the child
// is given memory of its own at the places this one event can still write to: its chunk and the
// task table. (Any other fork needs none of this: what is wiped is enough.) Names are written with
// signals held, and are never caught in the middle.
#include <pthread.h>
#include <sys/mman.h>

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

thread_local constinit bool in_event __attribute__((tls_model("initial-exec"))) = false;

void before() { in_event = this_writer != nullptr && this_writer->in_use != 0; }

// Zeros of the child's own; what was read from there before is in registers.
bool own_memory(void* base, size_t size) {
  return mmap(base, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

// What an event that is under way still reads of its Writer.
void restore(Writer& writer, const Shadow& shadow) {
  if (shadow.base == nullptr || !own_memory(shadow.base, shadow.size)) return;
  writer.packet = reinterpret_cast<format::PacketHeader*>(shadow.base);
  writer.pos = shadow.base + sizeof(format::PacketHeader);  // limit stays 0: this event, no other
  writer.table = state.table;
  writer.rows = state.table->rows;
  writer.names = state.names;
}

void in_child() {
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
