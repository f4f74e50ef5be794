// The operations on tasks: each writes events and updates a row of the live task table. One
// function for each function of skein/skein.h that takes a task; the host chooses the Writer and
// marks it.
//
// Each is compiled for both emissions (emission.h). With a PlainEmission it returns false, before
// it has changed anything, if the case is not the common one. The checks therefore come first:
// may_create, may_end, join. With an Emission they do what is necessary and always return true.
//
// A row is updated after the events are encoded and before they are committed. The table of a
// program killed in between is one event ahead of the stream; it is never behind it.
#pragma once
#include <skein/skein.h>

#include "record/core/emission.h"
#include "record/core/free_rows.h"
#include "record/core/names.h"

namespace skein::record {

// ---- checks ----

// True if the writer has an id and a row.
template <typename E>
SKEIN_HOT bool may_create(E& e) {
  Writer& w = e.writer();
  if constexpr (E::kPlain) return w.next_id != w.end_id && w.free_row != 0;
  return true;
}

// True if the list of free rows has room for one more.
template <typename E>
SKEIN_HOT bool may_end(E& e) {
  if constexpr (E::kPlain) return e.writer().free_rows < kRowsToSpill - 1;
  return true;
}

// Adds a task that was created before the trace began: without a parent, at an unknown place.
[[gnu::noinline, gnu::cold]] Reached adopt(Emission e, skein_task* task);

template <typename E>
SKEIN_HOT bool join(E& e, skein_task* task) {
  if (task->generation != e.writer().generation) [[unlikely]] {
    if constexpr (E::kPlain)
      return false;
    else
      e.continue_from(adopt(e, task));
  }
  return true;
}

// Looks up the id of a place, and its entry: null if there was no room for one.
template <typename E>
SKEIN_HOT bool locate(E& e, uint32_t kind, const char* name, const skein_source* where,
                      uint32_t& place, const PlaceEntry** found = nullptr) {
  Names& names = *e.writer().names;
  const skein_source& w = where != nullptr ? *where : detail::kNowhere;
  const PlaceEntry* entry = known_place(names, kind, name, w);
  if (entry != nullptr) [[likely]] {
    place = entry->id;
    if (found != nullptr) *found = entry;
    return true;
  }
  if constexpr (E::kPlain) return false;
  place = detail::place_slow(names, kind, name, w);
  if (found != nullptr) *found = known_place(names, kind, name, w);
  return true;
}

// ---- ids and rows ----

template <typename E>
SKEIN_HOT uint64_t take_id(E& e) {
  Writer& w = e.writer();
  if constexpr (!E::kPlain) {
    if (w.next_id == w.end_id) [[unlikely]] {
      w.next_id = host.take_ids();
      w.end_id = w.next_id + kIdBlock;
    }
  }
  return w.next_id++;
}

template <typename E>
SKEIN_HOT uint32_t take_row(E& e) {
  Writer& w = e.writer();
  const uint32_t row = w.free_row;
  if constexpr (!E::kPlain)
    if (row == 0) [[unlikely]]
      return take_row_slow(w);
  w.free_row = static_cast<uint32_t>(w.rows[row].parent);
  --w.free_rows;
  return row;
}

template <typename E>
SKEIN_HOT void free_row(E& e, uint32_t row) {
  Writer& w = e.writer();
  TaskRow& r = w.rows[row];
  {
    RowUpdate update(r);
    r.id = 0;
    r.state = TaskState::kFree;
    r.parent = w.free_row;
  }
  w.free_row = row;
  ++w.free_rows;
  if constexpr (!E::kPlain)
    if (w.free_rows >= kRowsToSpill) [[unlikely]]
      spill_rows(w);
}

// Assigns an id and a row to the task. The row has the given state.
template <typename E>
SKEIN_HOT void new_task(E& e, skein_task* task, uint64_t parent, uint32_t place, TaskState state) {
  Writer& w = e.writer();
  const uint64_t id = take_id(e);
  const uint32_t row = take_row(e);
  task->id = id;
  task->row = row;
  task->generation = w.generation;
  if constexpr (!E::kPlain)
    if (row == 0) return;
  TaskRow& r = w.rows[row];
  RowUpdate update(r);
  r.place = place;
  r.id = id;
  r.parent = parent;
  r.on = 0;
  r.since = e.now();
  r.waker = 0;
  r.at = 0;
  r.label = 0;
  r.tid = w.tid;
  r.state = state;
  r.flags = 0;
}

SKEIN_HOT TaskRow* row_of(Writer& w, const skein_task* task) {
  return task->row != 0 ? &w.rows[task->row] : nullptr;
}

// ---- operations ----

// Makes the previous task current. Writes an event only if there was one.
template <typename E>
SKEIN_HOT void switch_to_previous(E& e, uint64_t previous) {
  if (previous != 0) e.one(format::k_switch_to, previous);
  e.writer().current = previous;
}

// Makes the task current if it is not: readers take the current task as the subject of the next
// event.
template <typename E>
SKEIN_HOT bool be_current(E& e, const skein_task* task) {
  if (e.writer().current != task->id) [[unlikely]] {
    if constexpr (E::kPlain)
      return false;
    else
      e.one(format::k_switch_to, task->id);
  }
  return true;
}

template <typename E>
SKEIN_HOT bool create(E& e, skein_task* task, uint32_t place) {
  if (!may_create(e)) return false;
  new_task(e, task, e.writer().current, place, TaskState::kCreated);
  e.two(format::k_create, task->id, place);
  return true;
}

template <typename E>
SKEIN_HOT void put_create_under(E& e, uint64_t parent, uint64_t task, uint32_t place) {
  e.header(format::k_create_under);
  e.u64(parent);
  e.u64(task);
  e.u32(place);
}

template <typename E>
SKEIN_HOT bool create_under(E& e, skein_task* task, uint64_t parent, uint32_t place) {
  if (parent == e.writer().current) return create(e, task, place);
  if (!may_create(e)) return false;
  new_task(e, task, parent, place, TaskState::kCreated);
  put_create_under(e, parent, task->id, place);
  return true;
}

SKEIN_HOT void put_label(TaskRow* r, uint32_t label) {
  if (r == nullptr || r->label != 0) return;
  RowUpdate update(*r);
  r->label = label;
}

// Precondition: join(e, task).
template <typename E>
SKEIN_HOT void set_label(E& e, const skein_task* task, uint32_t label) {
  e.two(format::k_label, task->id, label);
  put_label(row_of(e.writer(), task), label);
}

// Returns the row of the current task, or null: there is none, or it is not among the first rows.
[[gnu::noinline, gnu::cold]] TaskRow* search_current_row(const Writer& writer);
SKEIN_HOT TaskRow* current_row(const Writer& w) {
  if (w.current == 0) return nullptr;
  if (w.current_row != 0 && w.rows[w.current_row].id == w.current) [[likely]]
    return &w.rows[w.current_row];
  return search_current_row(w);
}

// Without it, a label that the ring overwrites would be lost.
template <typename E>
SKEIN_HOT void label_current(E& e, uint32_t label) {
  e.two(format::k_label, e.writer().current, label);
  put_label(current_row(e.writer()), label);
}

template <typename E>
SKEIN_HOT bool create_labelled(E& e, skein_task* task, uint32_t place, uint32_t label) {
  if (!create(e, task, place)) return false;
  set_label(e, task, label);
  return true;
}

template <typename E>
SKEIN_HOT void set_running(E& e, const skein_task* task, uint64_t waker) {
  Writer& w = e.writer();
  w.current = task->id;
  w.current_row = task->row;
  w.ended = 0;
  w.suspended = 0;
  TaskRow* r = row_of(w, task);
  if (r == nullptr) return;
  RowUpdate update(*r);
  r->since = e.now();
  r->waker = waker;
  r->on = 0;
  r->tid = w.tid;
  r->state = TaskState::kRunning;
}

template <typename E>
SKEIN_HOT bool resume(E& e, skein_task* task, uint64_t& previous) {
  Writer& w = e.writer();
  if (!join(e, task)) return false;
  previous = w.current;
  // If a task has just ended on this thread, and this task waited for it or is its parent, it is
  // the waker. If a task was just suspended here to wait for this one, that task is the waker.
  // Otherwise the current task is.
  uint64_t waker = 0;
  if (w.ended != 0) {
    const TaskRow* r = row_of(w, task);
    if (w.ended_parent == task->id || (r != nullptr && r->on == w.ended)) waker = w.ended;
  } else if (w.suspended != 0) {
    const TaskRow& r = w.rows[w.suspended_row];
    if (r.on == task->id && r.id == w.suspended) waker = w.suspended;
  }
  if (waker != 0 && waker != previous) {
    e.same(format::k_resume_by, task->id, waker);
    set_running(e, task, waker);
    return true;
  }
  e.one(format::k_resume, task->id);
  set_running(e, task, previous);
  return true;
}

template <typename E>
SKEIN_HOT bool resume_by(E& e, skein_task* task, uint64_t waker, uint64_t& previous) {
  if (!join(e, task)) return false;
  previous = e.writer().current;
  e.same(format::k_resume_by, task->id, waker);
  set_running(e, task, waker);
  return true;
}

template <typename E>
SKEIN_HOT bool create_running(E& e, skein_task* task, uint32_t place, uint64_t& previous) {
  Writer& w = e.writer();
  if (!may_create(e)) return false;
  previous = w.current;
  new_task(e, task, previous, place, TaskState::kRunning);
  e.two(format::k_create, task->id, place);
  e.one(format::k_resume, task->id);
  w.current = task->id;
  w.current_row = task->row;
  w.ended = 0;
  w.suspended = 0;
  return true;
}

template <typename E>
SKEIN_HOT bool suspend(E& e, skein_task* task, uint64_t on, uint32_t place, const PlaceEntry* at,
                       uint64_t previous) {
  Writer& w = e.writer();
  if (!join(e, task) || !be_current(e, task)) return false;
  e.two(format::k_suspend, on, place);
  switch_to_previous(e, previous);
  w.ended = 0;
  w.suspended = task->id;
  w.suspended_at = at;
  w.suspended_row = task->row;
  TaskRow* r = row_of(w, task);
  if (r == nullptr) return true;
  RowUpdate update(*r);
  r->on = on;
  r->since = e.now();
  r->at = place;
  r->state = TaskState::kSuspended;
  return true;
}

// Stores the target of the task's wait in its row.
SKEIN_HOT void note_await(const Writer& w, uint64_t id, uint32_t row, uint64_t on) {
  if (row == 0) return;
  TaskRow& r = w.rows[row];
  if (r.id != id) return;
  RowUpdate update(r);
  r.on = on;
}

template <typename E>
SKEIN_HOT void await(E& e, uint64_t id, uint32_t row, uint64_t on) {
  e.same(format::k_await, id, on);
  note_await(e.writer(), id, row, on);
}

template <typename E>
SKEIN_HOT bool ready(E& e, skein_task* task, uint64_t on, uint32_t place) {
  if (!join(e, task) || !be_current(e, task)) return false;
  e.writer().current = task->id;
  e.two(format::k_ready, on, place);
  return true;
}

// The location of an operation: `where`, else that of the wait for it, else `fallback`.
template <typename E>
SKEIN_HOT skein_source operation_source(E& e, const skein_source* where,
                                        const skein_source* fallback) {
  if (where != nullptr) return *where;
  const Writer& w = e.writer();
  if (w.suspended != 0 && w.suspended_at != nullptr) return w.suspended_at->source();
  return fallback != nullptr ? *fallback : detail::kNowhere;
}

// What an operation uses: an object (0: unknown), and when it expires, in ticks (0: unknown,
// UINT64_MAX: never); where its bytes are counted (a link, 0: nowhere).
struct Use {
  uint64_t object = 0;
  uint64_t expires = 0;
  uint32_t counts = 0;
};

// ---- traffic: the bytes that the operations of a socket have moved ----
//
//   row of the operation  --link, direction-->  row kTraffic of its socket
//   row of the socket     --link-->  row kTraffic  --link-->  row kConnection, or 0
//
// A link may be older than the rows, so the row it leads to must have the id of the socket.
inline constexpr uint32_t kSends = uint32_t{1} << 31;  // in the link of an operation

// Another thread may have linked it, after it had filled the rows.
SKEIN_HOT uint32_t link_of(const Writer& w, uint32_t row) {
  return __atomic_load_n(&w.links[row], __ATOMIC_ACQUIRE);
}

SKEIN_HOT TaskRow* traffic_of(Writer& w, uint32_t row, uint64_t socket) {
  TaskRow& found = w.rows[link_of(w, row) & ~kSends];
  return found.id == socket && found.state == TaskState::kTraffic ? &found : nullptr;
}

// Counts the bytes of an operation that completes. Two threads that complete operations of the same
// direction at the same time may lose the bytes of one. Precondition: join(e, task).
template <typename E>
SKEIN_HOT void count_bytes(E& e, const skein_task* task, uint64_t bytes) {
  Writer& w = e.writer();
  const TaskRow* r = row_of(w, task);
  if (r == nullptr || r->state != TaskState::kCreated || r->on == 0 || bytes == 0 ||
      w.links == nullptr)
    return;
  TaskRow* traffic = traffic_of(w, task->row, r->on);
  if (traffic == nullptr) return;
  const bool sends = (w.links[task->row] & kSends) != 0;
  uint64_t& total = sends ? traffic->parent : traffic->on;
  uint64_t& last = sends ? traffic->waker : traffic->since;
  __atomic_store_n(&total, __atomic_load_n(&total, __ATOMIC_RELAXED) + bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&last, e.now(), __ATOMIC_RELAXED);
}

// Writes `about` and `expires`, which describe the next create. Precondition: may_create.
template <typename E>
SKEIN_HOT void describe_use(E& e, Use use) {
  if (use.object != 0) e.one(format::k_about, use.object);
  if (use.expires == 0) return;
  e.header(format::k_expires);
  const uint64_t left = use.expires < e.now() ? 0 : use.expires - e.now();
  e.u64(use.expires == UINT64_MAX ? use.expires : left);
}

template <typename E>
SKEIN_HOT bool operation(E& e, skein_task* task, uint32_t place) {
  Writer& w = e.writer();
  if (w.suspended == 0) return create(e, task, place);
  const uint64_t parent = w.suspended;
  if (!may_create(e)) return false;
  new_task(e, task, parent, place, TaskState::kCreated);
  if ((parent | task->id) >> 32 == 0) [[likely]] {  // 20 bytes less than two events
    e.header(format::k_create_awaited);
    e.u32(static_cast<uint32_t>(parent));
    e.u32(static_cast<uint32_t>(task->id));
    e.u32(place);
  } else {
    put_create_under(e, parent, task->id, place);
    e.same(format::k_await, parent, task->id);
  }
  note_await(w, parent, w.suspended_row, task->id);
  w.suspended = 0;  // the task does not wait for a second operation started here
  return true;
}

template <typename E>
SKEIN_HOT bool operation_on(E& e, skein_task* task, uint32_t place, Use use) {
  Writer& w = e.writer();
  if (!may_create(e)) return false;
  describe_use(e, use);
  if (!operation(e, task, place)) return false;
  if (TaskRow* r = row_of(w, task); r != nullptr) {
    RowUpdate update(*r);
    r->on = use.object;
    r->waker = use.expires;
    if (w.links != nullptr) w.links[task->row] = use.counts;
  }
  return true;
}

// Ends the task and frees its row. Precondition: may_end.
template <typename E>
SKEIN_HOT void end(E& e, skein_task* task, uint64_t previous) {
  Writer& w = e.writer();
  w.suspended = 0;
  w.ended = task->id;
  w.ended_parent = 0;
  if (w.current == task->id) switch_to_previous(e, previous);
  if (task->row != 0) {
    // A copy of the handle may end the task again; another task may have the row by then.
    if (w.rows[task->row].id == task->id) [[likely]] {
      w.ended_parent = w.rows[task->row].parent;
      free_row(e, task->row);
    }
    task->row = 0;
  }
}

template <typename E>
SKEIN_HOT bool resolve(E& e, skein_task* task, uint64_t previous) {
  if (!may_end(e) || !join(e, task)) return false;
  e.one(format::k_resolve, task->id);
  end(e, task, previous);
  return true;
}

template <typename E>
SKEIN_HOT bool resolve_resume(E& e, skein_task* task, uint64_t previous, skein_task* next,
                              uint64_t& next_previous) {
  if (!may_end(e) || !join(e, task) || !join(e, next)) return false;
  e.one(format::k_resolve, task->id);
  end(e, task, previous);
  next_previous = e.writer().current;
  e.same(format::k_resume_by, next->id, task->id);
  set_running(e, next, task->id);
  return true;
}

template <typename E>
SKEIN_HOT bool cancel(E& e, skein_task* task) {
  if (!may_end(e) || !join(e, task)) return false;
  e.one(format::k_cancel, task->id);
  end(e, task, 0);
  return true;
}

// Copies the state of a task to the row of its successor, because no later event contains it.
template <typename E>
SKEIN_HOT void take_over(E& e, const skein_task* task, const skein_task* other, bool current) {
  Writer& w = e.writer();
  TaskRow* r = row_of(w, other);
  if (r == nullptr || r->id != other->id) return;
  const TaskRow* old = row_of(w, task);
  RowUpdate update(*r);
  if (old != nullptr && old->id == task->id) {
    r->flags |= old->flags;
    if (r->state == TaskState::kCreated) {
      r->on = old->on;
      r->since = old->since;
      r->waker = old->waker;
      r->at = old->at;
      r->tid = old->tid;
      r->state = old->state;
    }
  }
  if (!current) return;
  r->on = 0;
  r->since = e.now();
  r->tid = w.tid;
  r->state = TaskState::kRunning;
}

template <typename E>
SKEIN_HOT bool become(E& e, skein_task* task, skein_task* other) {
  if (!may_end(e) || !join(e, task) || !join(e, other)) return false;
  const bool was_current = e.writer().current == task->id;
  e.same(format::k_become, task->id, other->id);
  take_over(e, task, other, was_current);
  if (was_current) e.writer().current = 0;
  end(e, task, 0);
  if (was_current) switch_to_previous(e, other->id);
  return true;
}

}  // namespace skein::record
