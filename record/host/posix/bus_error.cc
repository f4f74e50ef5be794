// Handles SIGBUS: a file of the trace was truncated, or its disk failed. The program must continue.
//
// The handler replaces the missing page by a private one, so that the interrupted store succeeds.
// The chunk's writer finds no room at its next event and begins another chunk. The events in
// between are lost with the file: readers report a truncated chunk, and the handler counts one loss
// each time. A thread may still be in an event of a trace that a newer one has replaced, so the
// memory of all traces is known. Any other bus error is passed to the previous handler.
//
// Limit: a thread that blocks SIGBUS is not protected; the kernel ends the process. Rejected:
//
//   unblock SIGBUS in each thread   the program sees it in its mask, and exec inherits the mask:
//                                   every such program would change, and few traces are truncated
//   a sealed memfd (F_SEAL_SHRINK)  has no name in a directory, and does not survive kill -9
//   a lease (F_SETLEASE)            sends signals to the program and only delays the truncation
//   private memory, and pwrite      kill -9 loses the events since the last write
//   mode 0400                       does not stop root, nor a failing disk
#include <signal.h>
#include <string.h>

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

struct sigaction previous_action;

struct OwnMapping {
  char* base;
  size_t size;
  bool replaced;
};
thread_local constinit OwnMapping own_mapping __attribute__((tls_model("initial-exec"))) = {};

bool inside(const char* address, const char* base, size_t size) {
  return base != nullptr && address >= base && static_cast<size_t>(address - base) < size;
}

// Counts the loss in the live task table. Its file may be truncated as well: SIGBUS is unblocked,
// because a blocked fault would end the program.
void count_loss() {
  sigset_t bus_error, before;
  sigemptyset(&bus_error);
  sigaddset(&bus_error, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &bus_error, &before);
  lose(format::kLoss_bus_error);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool repair_own_mapping(const char* address) {
  if (!inside(address, own_mapping.base, own_mapping.size)) return false;
  if (!replace_by_private_memory(own_mapping.base, own_mapping.size)) return false;
  own_mapping.replaced = true;
  count_loss();
  return true;
}

bool repair(Writer* writer, const char* address) {
  if (writer == nullptr) return false;
  for (unsigned i = 0; i < kMaxChunks; ++i) {
    if (!inside(address, writer->bases[i], writer->sizes[i])) continue;
    if (!replace_by_private_memory(writer->bases[i], writer->sizes[i])) return false;
    writer->dead |= uint64_t{1} << i;
    if (i == writer->chunk) {
      writer->broken = 1;
      set_limit(*writer, nullptr);
    }
    count_loss();
    return true;
  }
  return false;
}

bool repair_table(const TaskTable* table, char* address) {
  if (table == nullptr || table->header == nullptr) return false;
  char* base = reinterpret_cast<char*>(table->header);
  const size_t size = format::kTableHeaderSize + size_t{table->capacity} * sizeof(TaskRow);
  if (!inside(address, base, size)) return false;
  constexpr uintptr_t kPageMask = ~uintptr_t{4095};
  return replace_by_private_memory(
      reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(address) & kPageMask), 4096);
}

bool repair(const TraceMemory& trace, char* address) {
  if (repair_table(now_of(trace.table), address)) return true;
  if (repair(now_of(trace.names_writer), address)) return true;
  for (uint32_t i = 0; i < __atomic_load_n(&trace.streams, __ATOMIC_ACQUIRE); ++i) {
    Writer* block = now_of(trace.blocks[i / kWritersPerBlock]);
    if (block != nullptr && repair(block + i % kWritersPerBlock, address)) return true;
  }
  return false;
}

// The newest trace is most likely. While another one starts, its memory is in `newest`.
bool repair_page(char* address) {
  if (repair_own_mapping(address) || repair(state, address)) return true;
  for (const TraceFiles* files = now_of(state.newest); files != nullptr; files = files->previous)
    if (repair(files->replaced, address)) return true;
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  ErrnoGuard errno_guard;
  if (info->si_code > 0 && repair_page(static_cast<char*>(info->si_addr))) return;
  if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    // Restores the default: the same store raises the signal again, or it is raised here.
    sigaction(SIGBUS, &previous_action, nullptr);
    if (info->si_code <= 0) raise(signal);
  } else {
    previous_action.sa_handler(signal);
  }
}

}  // namespace

void set_own_mapping(char* base, size_t size) {
  own_mapping = {.base = base, .size = size, .replaced = false};
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool end_own_mapping() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool replaced = own_mapping.replaced;
  own_mapping = {};
  return !replaced;
}

void watch_bus_errors() {
  static bool watching = false;
  if (watching) return;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  watching = sigaction(SIGBUS, &action, &previous_action) == 0;
}

}  // namespace skein::record
