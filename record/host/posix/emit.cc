// The C interface on POSIX: finds the thread's stream. The functions are in record/core/calls.h.
#include <errno.h>
#include <signal.h>
#include <skein/skein.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/host/posix/session.h"
#include "record/host/posix/state.h"

// Needs the declarations above.
#include "record/core/calls.h"

// Not null if the program is built with the thread sanitizer.
extern "C" [[gnu::weak]] void __tsan_init();

namespace skein::record {
namespace {

// True if the event that the writer is in use for was abandoned by a longjmp out of a signal
// handler. A handler's frame is at least kSignalFrame below the code it interrupted (the red zone,
// and the frame in which the kernel saves the registers), unless it has an alternate stack. The
// thread sanitizer invokes handlers later and without such a frame: then every event is assumed to
// continue. Readers ignore bytes after the commit, so the stream is as before that event, except
// that `limit` may belong to another chunk.
bool left_by_longjmp(Writer& writer) {
  if (__tsan_init != nullptr) return false;
  constexpr int32_t kSignalFrame = 1024;
  const auto deeper = static_cast<int32_t>(writer.in_use - stack_position());
  if (deeper >= kSignalFrame) return false;
  ErrnoGuard errno_guard;
  stack_t alternate;
  if (sigaltstack(nullptr, &alternate) != 0 || (alternate.ss_flags & SS_ONSTACK) != 0) return false;
  set_limit(writer, nullptr);
  return true;
}

}  // namespace

Writer* find_stream(Writer* writer) {
  if (writer == nullptr) return attach();
  if (left_by_longjmp(*writer)) return writer;
  Writer* nested = writer->nested;
  if (nested == nullptr) nested = attach_nested(*writer);
  if (nested == nullptr) return nullptr;
  if (nested->in_use != 0 &&
      !left_by_longjmp(*nested)) {  // a handler interrupted a handler in an event
    lose(format::kLoss_nested);
    return nullptr;
  }
  return nested;
}

}  // namespace skein::record

// These functions of this copy of the recorder, also where another copy's functions are called.
extern "C" {
[[gnu::visibility("hidden"), gnu::nothrow,
  gnu::alias("skein_create")]] extern decltype(skein_create) skein_own_create;
[[gnu::visibility("hidden"), gnu::nothrow,
  gnu::alias("skein_operation")]] extern decltype(skein_operation) skein_own_operation;
[[gnu::visibility("hidden"), gnu::nothrow,
  gnu::alias("skein_counter_set")]] extern decltype(skein_counter_set) skein_own_counter_set;
}

namespace skein::record {

bool another_copy_is_used() {
  const auto differ = [](const void* used, const void* own) {
    __asm__("" : "+r"(used), "+r"(own));  // g++ knows that they are aliases
    return used != own && is_definition(used);
  };
  const auto at = [](auto* function) { return reinterpret_cast<const void*>(function); };
  return differ(at(skein_create), at(skein_own_create)) ||
         differ(at(skein_operation), at(skein_own_operation)) ||
         differ(at(skein_counter_set), at(skein_own_counter_set));
}

}  // namespace skein::record

extern "C" {

SKEIN_CALL void skein_object_cancel(uintptr_t key, uint32_t kind, const char* name,
                                    uint64_t expires) {
  if (!is_on()) return;
  skein_task* object = handle_of_object(key, kind, name);
  if (object == nullptr) return;
  Session e;
  if (!e || !join(*e, object)) return;
  const uint64_t expired = ticks_at(e->writer(), expires);
  if (expired != 0 && expired <= e->now()) return;
  e->header(format::k_cancel_uses);
  e->u64(object->id);
  if (object->row == 0) return;
  TaskRow& row = e->writer().table->rows[object->row];
  RowUpdate update(row);
  row.waker = e->writer().current;
  row.since = e->now();
}

// With an unknown operation the kernel reads the signal set, and then reports the operation.
SKEIN_CALL int skein_can_read(const void* word) {
  ErrnoGuard errno_guard;
  constexpr int unknown = -1;
  constexpr size_t set_size = 8;
  return syscall(SYS_rt_sigprocmask, unknown, word, nullptr, set_size) == 0 || errno != EFAULT;
}

}  // extern "C"
