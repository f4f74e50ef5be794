// The functions of skein/skein.h that record, for every host. A host includes this file in one
// source, after session.h and after it has declared, in this namespace:
//
//   Writer* plain_writer;          as this_writer, but never null: one that is in use, if none
//   uint32_t generation_now();     of the trace; 0: none was started
//   Writer* attach();              a stream for this executor; null: none (counted)
//   Names* names_for_lookup();     null: no trace
//   state.names, now_of(pointer)   the same, without starting one; an atomic load
//   const ClockInfo& clock_of(const Writer&);   ticks_per_second, and one moment in two clocks:
//                                               ticks, monotonic_ns
//   class ErrnoGuard;              keeps what the caller must not see changed
//   class BlockSignals;            no signal handler or interrupt runs during its lifetime
//
//   record(operation, ...)   the fast path with a PlainEmission, without any call; if that gives
//                            up, the slow path repeats the operation out of line
//   Session e; ...           for functions that are rarely called or write a string
//
// The functions of the interface are not inlined: the thread_local is read inside, so that no
// compiler can keep its address across a suspension of the caller.
#pragma once
#include <skein/skein.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/tasks.h"

namespace skein::record {
namespace {

template <typename Operation, typename... Arguments>
[[gnu::noinline, gnu::cold]] void slow_path(Arguments... arguments) {
  if (Session e; e) Operation{}(*e, arguments...);
}
template <typename Operation, typename... Arguments>
[[gnu::noinline, gnu::cold]] uint64_t slow_path_for_previous(Arguments... arguments) {
  uint64_t previous = 0;
  if (Session e; e) Operation{}(*e, previous, arguments...);
  return previous;
}

// Performs the whole operation, or returns false if the case is not the common one. Does not check
// that recording is on: while it is off, no stream has room.
template <typename Operation, typename... Arguments>
SKEIN_HOT bool fast_path(Arguments&... arguments) {
  Writer* writer = plain_writer;
  if (writer->in_use != 0) [[unlikely]]
    return false;
  mark_in_use(*writer);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  PlainEmission e(writer);
  const bool plain = e.begin() && Operation{}(e, arguments...);
  if (plain) [[likely]]
    e.commit();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  writer->in_use = 0;
  return plain;
}

// `operation` captures nothing and receives the caller's own arguments, so that the second attempt
// is a jump: every argument is still in its register, and the hot path has no frame.
template <typename Operation, typename... Arguments>
SKEIN_HOT void record(Operation, Arguments... arguments) {
  if (!fast_path<Operation>(arguments...)) [[unlikely]]
    return slow_path<Operation, Arguments...>(arguments...);
}
// Returns `previous`, which the operation sets.
template <typename Operation, typename... Arguments>
SKEIN_HOT uint64_t record_for_previous(Operation, Arguments... arguments) {
  uint64_t previous = 0;
  if (!fast_path<Operation>(previous, arguments...)) [[unlikely]]
    return slow_path_for_previous<Operation, Arguments...>(arguments...);
  return previous;
}

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

// The host's monotonic time as ticks of the trace. Keeps 0 and UINT64_MAX; 0 if the rate is not
// known yet. Without floating point, which a kernel may not use.
SKEIN_HOT uint64_t ticks_at(Writer& writer, uint64_t monotonic_ns) {
  if (monotonic_ns == 0 || monotonic_ns == UINT64_MAX) return monotonic_ns;
  const auto& clock = clock_of(writer);
  const uint64_t rate = clock.ticks_per_second;
  if (rate == 0) return 0;
  const bool is_later = monotonic_ns >= clock.monotonic_ns;
  const uint64_t distance =
      is_later ? monotonic_ns - clock.monotonic_ns : clock.monotonic_ns - monotonic_ns;
  uint64_t ticks;
  if (__builtin_mul_overflow(distance / kNanosecondsPerSecond, rate, &ticks))
    return is_later ? UINT64_MAX : 1;
  ticks += distance % kNanosecondsPerSecond * rate / kNanosecondsPerSecond;
  if (!is_later) return ticks < clock.ticks ? clock.ticks - ticks : 1;
  ticks += clock.ticks;
  return ticks == 0 ? 1 : ticks >> 63 != 0 ? UINT64_MAX : ticks;
}

}  // namespace
}  // namespace skein::record

using namespace skein::record;
namespace format = skein::format;
#define SKEIN_CALL __attribute__((noinline))
#define SKEIN_INLINE __attribute__((always_inline))

// The parameters of an operation intentionally shadow those of the call.
#pragma GCC diagnostic ignored "-Wshadow"

extern "C" {

SKEIN_CALL void skein_create(skein_task* task, uint32_t kind, const char* name,
                             const skein_source* where) {
  record(
      [](auto& e, skein_task* task, uint32_t kind, const char* name, const skein_source* where)
          SKEIN_INLINE {
            uint32_t place;
            return locate(e, kind, name, where, place) && create(e, task, place);
          },
      task, kind, name, where);
}

SKEIN_CALL void skein_create_child(skein_task* task, uint64_t parent, uint32_t kind,
                                   const char* name, const skein_source* where) {
  record(
      [](auto& e, skein_task* task, uint64_t parent, uint32_t kind, const char* name,
         const skein_source* where) SKEIN_INLINE {
        uint32_t place;
        return locate(e, kind, name, where, place) && create_under(e, task, parent, place);
      },
      task, parent, kind, name, where);
}

SKEIN_CALL void skein_create_labelled(skein_task* task, uint32_t kind, const char* name,
                                      const skein_source* where, uint32_t label) {
  record(
      [](auto& e, skein_task* task, uint32_t kind, const char* name, const skein_source* where,
         uint32_t label) SKEIN_INLINE {
        uint32_t place;
        return locate(e, kind, name, where, place) && create_labelled(e, task, place, label);
      },
      task, kind, name, where, label);
}

SKEIN_CALL uint64_t skein_create_running(skein_task* task, uint32_t kind, const char* name,
                                         const skein_source* where) {
  return record_for_previous(
      [](auto& e, uint64_t& previous, skein_task* task, uint32_t kind, const char* name,
         const skein_source* where) SKEIN_INLINE {
        uint32_t place;
        return locate(e, kind, name, where, place) && create_running(e, task, place, previous);
      },
      task, kind, name, where);
}

SKEIN_CALL void skein_operation(skein_task* task, uint32_t kind, const char* name,
                                const skein_source* where, const skein_source* fallback) {
  record(
      [](auto& e, skein_task* task, uint32_t kind, const char* name, const skein_source* where,
         const skein_source* fallback) SKEIN_INLINE {
        uint32_t place;
        const skein_source source = operation_source(e, where, fallback);
        return locate(e, kind, name, &source, place) && operation(e, task, place);
      },
      task, kind, name, where, fallback);
}

SKEIN_CALL void skein_operation_on(skein_task* task, uint32_t kind, const char* name,
                                   const skein_source* where, const skein_source* fallback,
                                   skein_use use) {
  record(
      [](auto& e, skein_task* task, uint32_t kind, const char* name, const skein_source* where,
         const skein_source* fallback, skein_use use) SKEIN_INLINE {
        uint32_t place;
        const skein_source source = operation_source(e, where, fallback);
        return locate(e, kind, name, &source, place) &&
               operation_on(e, task, place,
                            {use.object, ticks_at(e.writer(), use.expires), use.counts});
      },
      task, kind, name, where, fallback, use);
}

SKEIN_CALL uint64_t skein_resume(skein_task* task) {
  return record_for_previous([](auto& e, uint64_t& previous, skein_task* task)
                                 SKEIN_INLINE { return resume(e, task, previous); },
                             task);
}

SKEIN_CALL uint64_t skein_resume_by(skein_task* task, uint64_t waker) {
  return record_for_previous([](auto& e, uint64_t& previous, skein_task* task, uint64_t waker)
                                 SKEIN_INLINE { return resume_by(e, task, waker, previous); },
                             task, waker);
}

SKEIN_CALL uint64_t skein_resume_io(skein_task* task, uint64_t result) {
  return record_for_previous(
      [](auto& e, uint64_t& previous, skein_task* task, uint64_t result) SKEIN_INLINE {
        if (!join(e, task)) return false;
        count_bytes(e, task, result);
        if (!resume(e, task, previous)) return false;
        e.same(format::k_io, task->id, result);
        return true;
      },
      task, result);
}

SKEIN_CALL void skein_suspend(skein_task* task, uint64_t on, const skein_source* where,
                              uint64_t previous) {
  record(
      [](auto& e, skein_task* task, uint64_t on, const skein_source* where, uint64_t previous)
          SKEIN_INLINE {
            uint32_t place;
            const PlaceEntry* at;
            return locate(e, format::kKind_unknown, nullptr, where, place, &at) &&
                   suspend(e, task, on, place, at, previous);
          },
      task, on, where, previous);
}

SKEIN_CALL void skein_suspend_on(skein_task* task, const void* object, const char* type,
                                 const skein_source* where, uint64_t previous) {
  record(
      [](auto& e, skein_task* task, const void* object, const char* type, const skein_source* where,
         uint64_t previous) SKEIN_INLINE {
        uint32_t place;
        const PlaceEntry* at;
        return locate(e, format::kKind_unknown, type, where, place, &at) &&
               suspend(e, task, format::address_id(object), place, at, previous);
      },
      task, object, type, where, previous);
}

SKEIN_CALL void skein_await(skein_task* task, uint64_t on) {
  record(
      [](auto& e, skein_task* task, uint64_t on) SKEIN_INLINE {
        if (!join(e, task)) return false;
        await(e, task->id, task->row, on);
        return true;
      },
      task, on);
}

SKEIN_CALL void skein_ready(skein_task* task, uint64_t on, const skein_source* where) {
  record(
      [](auto& e, skein_task* task, uint64_t on, const skein_source* where) SKEIN_INLINE {
        uint32_t place;
        return locate(e, format::kKind_unknown, nullptr, where, place) && ready(e, task, on, place);
      },
      task, on, where);
}

SKEIN_CALL void skein_ready_on(skein_task* task, const void* object, const char* type,
                               const skein_source* where) {
  record(
      [](auto& e, skein_task* task, const void* object, const char* type, const skein_source* where)
          SKEIN_INLINE {
            uint32_t place;
            return locate(e, format::kKind_unknown, type, where, place) &&
                   ready(e, task, format::address_id(object), place);
          },
      task, object, type, where);
}

SKEIN_CALL void skein_resolve(skein_task* task, uint64_t previous) {
  record([](auto& e, skein_task* task, uint64_t previous)
             SKEIN_INLINE { return resolve(e, task, previous); },
         task, previous);
}

SKEIN_CALL uint64_t skein_resolve_resume(skein_task* task, uint64_t previous, skein_task* next) {
  return record_for_previous(
      [](auto& e, uint64_t& next_previous, skein_task* task, uint64_t previous, skein_task* next)
          SKEIN_INLINE { return resolve_resume(e, task, previous, next, next_previous); },
      task, previous, next);
}

SKEIN_CALL void skein_discard(skein_task* task) {
  Session e;
  if (!e || !join(*e, task) || task->row == 0) return;
  TaskRow& row = e->writer().table->rows[task->row];
  RowUpdate update(row);
  row.flags |= format::kTaskDiscarded;
}

SKEIN_CALL void skein_fail(skein_task* task, const char* reason, uint64_t previous) {
  Session e(true);
  if (!e) return;
  join(*e, task);
  if (task->row != 0 && (e->writer().table->rows[task->row].flags & format::kTaskDiscarded) != 0) {
    e->header(format::k_discard);
    e->u64(task->id);
  }
  if (reason == nullptr || reason[0] == 0) {
    e->same(format::k_fail, task->id, 0);
  } else {
    e->header(format::k_fail_text);
    e->u64(task->id);
    e->text(reason, SIZE_MAX);
  }
  end(*e, task, previous);
}

SKEIN_CALL void skein_cancel(skein_task* task) {
  if (task->id == 0) return;  // it was never in a trace
  record([](auto& e, skein_task* task) SKEIN_INLINE { return cancel(e, task); }, task);
}

SKEIN_CALL void skein_become(skein_task* task, skein_task* other) {
  record([](auto& e, skein_task* task, skein_task* other)
             SKEIN_INLINE { return become(e, task, other); },
         task, other);
}

SKEIN_CALL void skein_io(skein_task* task, uint64_t result) {
  record(
      [](auto& e, skein_task* task, uint64_t result) SKEIN_INLINE {
        if (task == nullptr) {
          e.same(format::k_io, e.writer().current, result);
          return true;
        }
        if (!join(e, task)) return false;
        e.same(format::k_io, task->id, result);
        return true;
      },
      task, result);
}

SKEIN_CALL void skein_should_resolve(skein_task* task) {
  Session e;
  if (!e) return;
  e->one(format::k_should_resolve, e.id_of(task));
  TaskRow* row = task != nullptr ? row_of(e->writer(), task) : current_row(e->writer());
  if (row == nullptr) return;
  RowUpdate update(*row);
  row->flags |= format::kTaskShouldResolve;
}

SKEIN_CALL void skein_label(skein_task* task, uint32_t label) {
  record(
      [](auto& e, skein_task* task, uint32_t label) SKEIN_INLINE {
        if (task == nullptr) {
          label_current(e, label);
          return true;
        }
        if (!join(e, task)) return false;
        set_label(e, task, label);
        return true;
      },
      task, label);
}

SKEIN_CALL void skein_label_text(skein_task* task, const char* text, size_t size) {
  Session e(true);
  if (!e) return;
  const uint64_t id = e.id_of(task);
  e->header(format::k_label_text);
  e->u64(id);
  e->text(text, size);
}

SKEIN_CALL void skein_resource(skein_task* resource, uint32_t kind, const char* name,
                               uint64_t capacity, const skein_source* where) {
  Session e;
  if (!e) return;
  const uint32_t place = e.place(kind, name, where);
  new_task(*e, resource, e->writer().current, place, format::TaskState::kResource);
  if (uint32_t* links = e->writer().links; links != nullptr) links[resource->row] = 0;
  e->same(format::k_resource, resource->id, place);
  if (capacity != 0) e->same(format::k_capacity, resource->id, capacity);
}

SKEIN_CALL void skein_acquire(skein_task* resource, uint64_t task) {
  skein_acquire_at(resource, task, nullptr);
}

SKEIN_CALL void skein_acquire_at(skein_task* resource, uint64_t task, const skein_source* where) {
  Session e;
  if (!e) return;
  const uint64_t id = e.id_of(resource);
  const uint32_t place = where == nullptr ? 0 : e.place(format::kKind_unknown, nullptr, where);
  if (place != 0) e->one(format::k_at, place);
  e->same(format::k_acquire, id, task);
  if (resource == nullptr || resource->row == 0) return;
  TaskRow& row = e->writer().table->rows[resource->row];
  RowUpdate update(row);  // of a resource, `on` is its holder
  row.on = task != 0 ? task : e->writer().current;
  row.at = place;
  row.since = e->now();
}

SKEIN_CALL void skein_release(skein_task* resource, uint64_t task) {
  Session e;
  if (!e) return;
  const uint64_t id = e.id_of(resource);
  e->same(format::k_release, id, task);
  if (resource == nullptr || resource->row == 0) return;
  TaskRow& row = e->writer().table->rows[resource->row];
  RowUpdate update(row);
  row.on = 0;
  row.at = 0;
  row.since = e->now();
}

SKEIN_CALL void skein_notify(uint64_t target, uint64_t woken) {
  record(
      [](auto& e, uint64_t target, uint64_t woken) SKEIN_INLINE {
        e.two(format::k_notify, target, woken);
        return true;
      },
      target, woken);
}

SKEIN_CALL void skein_notify_at(uint64_t target, uint64_t woken, const skein_source* where) {
  if (where == nullptr) return skein_notify(target, woken);
  record(
      [](auto& e, uint64_t target, uint64_t woken, const skein_source* where) SKEIN_INLINE {
        uint32_t place;
        if (!locate(e, format::kKind_unknown, nullptr, where, place)) return false;
        e.one(format::k_at, place);
        e.two(format::k_notify, target, woken);
        return true;
      },
      target, woken, where);
}

SKEIN_CALL void skein_resource_destroy(skein_task* resource) {
  if (resource->id == 0) return;
  skein_resolve(resource, 0);
}

SKEIN_CALL void skein_scope_enter(skein_task* scope, const char* name, const skein_source* where) {
  Session e;
  if (!e) return;
  const uint32_t place = e.place(format::kKind_scope, name, where);
  new_task(*e, scope, e->writer().current, place, format::TaskState::kRunning);
  e->same(format::k_scope_enter, scope->id, place);
}

SKEIN_CALL void skein_scope_member(skein_task* scope, uint64_t task) {
  if (Session e; e) e->same(format::k_scope_member, e.id_of(scope), task);
}

SKEIN_CALL void skein_scope_cancel(skein_task* scope) {
  if (Session e; e) e->one(format::k_scope_cancel, e.id_of(scope));
}

SKEIN_CALL void skein_scope_exit(skein_task* scope) {
  Session e;
  if (!e) return;
  e->one(format::k_scope_exit, e.id_of(scope));
  end(*e, scope, 0);
}

SKEIN_CALL void skein_counter_add(uint32_t counter, int64_t amount) {
  record(
      [](auto& e, uint32_t counter, int64_t amount) SKEIN_INLINE {
        e.two_signed(format::k_counter_add, counter, amount);
        return true;
      },
      counter, amount);
}

SKEIN_CALL void skein_counter_set(uint32_t counter, int64_t value) {
  record(
      [](auto& e, uint32_t counter, int64_t value) SKEIN_INLINE {
        e.two_signed(format::k_counter_set, counter, value);
        return true;
      },
      counter, value);
}

SKEIN_CALL uint64_t skein_span_begin(uint32_t name) {
  Session e;
  if (!e) return 0;
  const uint64_t span = take_id(*e);
  e->same(format::k_span_begin, span, name);
  return span;
}

SKEIN_CALL void skein_span_end(uint64_t span) {
  if (Session e; e && span != 0) e->one(format::k_span_end, span);
}

SKEIN_CALL void skein_idle(uint32_t reason) {
  Session e;
  if (!e) return;
  e->one(format::k_idle, reason);
  e->writer().ended = 0;
  e->writer().suspended = 0;
}

SKEIN_CALL void skein_wake(uint32_t reason) {
  record(
      [](auto& e, uint32_t reason) SKEIN_INLINE {
        e.one(format::k_wake, reason);
        return true;
      },
      reason);
}

SKEIN_CALL void skein_pause(uint32_t kind, uint64_t nanoseconds) {
  Session e;
  if (!e) return;
  const uint64_t rate = clock_of(e->writer()).ticks_per_second;
  const uint64_t ticks = nanoseconds / kNanosecondsPerSecond * rate +
                         nanoseconds % kNanosecondsPerSecond * rate / kNanosecondsPerSecond;
  e->same(format::k_pause, kind, ticks);
}

SKEIN_CALL void skein_send(uint64_t correlation, uint64_t peer) {
  Session e;
  if (!e) return;
  e->header(format::k_send);
  e->u64(correlation);
  e->u64(peer);
}

SKEIN_CALL void skein_receive(uint64_t correlation, uint64_t peer) {
  Session e;
  if (!e) return;
  e->header(format::k_receive);
  e->u64(correlation);
  e->u64(peer);
}

SKEIN_CALL void skein_sample(uint64_t stack) {
  record(
      [](auto& e, uint64_t stack) SKEIN_INLINE {
        e.one(format::k_sample, stack);
        return true;
      },
      stack);
}

SKEIN_CALL void skein_clock(uint32_t domain, int64_t offset, uint64_t bracket) {
  Session e;
  if (!e) return;
  e->header(format::k_clock);
  e->u32(domain);
  e->u64(static_cast<uint64_t>(offset));
  e->u64(bracket);
}

SKEIN_CALL uint64_t skein_current(void) {
  const Writer* writer = this_writer;
  return is_on() && writer != nullptr && writer->generation == generation_now() ? writer->current
                                                                                : 0;
}

SKEIN_CALL uint32_t skein_string(const char* text) {
  if (!is_on() || text == nullptr) return 0;
  ErrnoGuard errno_guard;
  BlockSignals block;
  Names* names = names_for_lookup();
  return names != nullptr ? string_of(*names, text, SIZE_MAX) : 0;
}

SKEIN_CALL void skein_thread_name(const char* name) {
  if (!is_on() || name == nullptr) return;
  const bool attached = this_writer != nullptr && this_writer->generation == generation_now();
  if (!attached && attach() == nullptr) return;
  ErrnoGuard errno_guard;
  BlockSignals block;
  define_thread(*now_of(state.names), this_writer->tid, name, SIZE_MAX);
}

SKEIN_CALL void skein_module_unloaded(void) {
  if (Names* names = now_of(state.names); names != nullptr)
    __atomic_fetch_add(&names->epoch, 1, __ATOMIC_RELEASE);
}

}  // extern "C"
