// What the program's tasks do, as events and as rows of the task table. One function for each call
// of skein/skein.h that touches a task; the host wraps them (which Writer, is it busy).
//
// A row is updated after the events are encoded and before they are committed: a program killed in
// between leaves a table that is at most one event ahead of the stream, never behind it.
#pragma once
#include <skein/skein.h>

#include "record/core/emission.h"
#include "record/core/names.h"

namespace skein::record {

inline uint64_t take_id(Writer& w) {
  if (w.next_id == w.end_id) [[unlikely]] {
    w.next_id = host.take_ids();
    w.end_id = w.next_id + kIdBlock;
  }
  return w.next_id++;
}

inline uint32_t take_row(Writer& w) {
  const uint32_t row = w.free_row;
  if (row == 0) [[unlikely]]
    return take_row_slow(w);
  w.free_row = static_cast<uint32_t>(w.table->rows[row].parent);
  --w.free_rows;
  return row;
}

inline void free_row(Writer& w, uint32_t row) {
  TaskRow& r = w.table->rows[row];
  {
    RowUpdate update(r);
    r.id = 0;
    r.state = TaskState::kFree;
    r.parent = w.free_row;
  }
  w.free_row = row;
  if (++w.free_rows >= 4 * kRowBatch) [[unlikely]]
    spill_rows(w);
}

// Gives `task` an id and a row, in the state given.
inline void new_task(Emission& e, skein_task* task, uint64_t parent, uint32_t place,
                     TaskState state) {
  Writer& w = e.writer();
  task->id = take_id(w);
  task->row = take_row(w);
  task->generation = w.generation;
  if (task->row == 0) return;
  TaskRow& r = w.table->rows[task->row];
  RowUpdate update(r);
  r.place = place;
  r.id = task->id;
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

// A task from before the trace began: it joins as a child of the root, at a place not known.
[[gnu::noinline, gnu::cold]] void adopt(Emission& e, skein_task* task);

inline void join(Emission& e, skein_task* task) {
  if (task->generation != e.writer().generation) [[unlikely]]
    adopt(e, task);
}

inline TaskRow* row_of(Writer& w, const skein_task* task) {
  return task->row != 0 ? &w.table->rows[task->row] : nullptr;
}

// Makes current what was current before; emits it only if there was something.
inline void go_back(Emission& e, uint64_t back) {
  if (back != 0) e.one(format::k_switch_to, back);
  e.writer().current = back;
}

// A task that is made to do something without being current is first made so: readers take the
// current task for the subject, and a wrong one would be a lie.
inline void be_current(Emission& e, const skein_task* task) {
  if (e.writer().current != task->id) [[unlikely]]
    e.one(format::k_switch_to, task->id);
}

inline void create(Emission& e, skein_task* task, uint32_t place) {
  Writer& w = e.writer();
  new_task(e, task, w.current, place, TaskState::kCreated);
  e.two(format::k_create, task->id, place);
}

inline void create_under(Emission& e, skein_task* task, uint64_t parent, uint32_t place) {
  if (parent == e.writer().current) {
    create(e, task, place);
    return;
  }
  new_task(e, task, parent, place, TaskState::kCreated);
  e.header(format::k_create_under);
  e.u64(parent);
  e.u64(task->id);
  e.u32(place);
}

inline void set_label(Emission& e, skein_task* task, uint32_t label) {
  Writer& w = e.writer();
  e.two(format::k_label, task->id, label);
  TaskRow* r = row_of(w, task);
  if (r == nullptr || r->label != 0) return;
  RowUpdate update(*r);
  r->label = label;
}

inline void set_running(Emission& e, const skein_task* task, uint64_t waker) {
  Writer& w = e.writer();
  w.current = task->id;
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

inline uint64_t resume(Emission& e, skein_task* task) {
  Writer& w = e.writer();
  join(e, task);
  const uint64_t back = w.current;
  uint64_t waker = back;
  if (w.ended != 0) {
    // A task ended on this thread, and then this one goes on: the first woke the second, if the
    // second was waiting for it or had made it. If not, it is chance, and nothing is claimed.
    const TaskRow* r = row_of(w, task);
    if (w.ended_parent == task->id || (r != nullptr && r->on == w.ended)) waker = w.ended;
  }
  if (waker == back)
    e.one(format::k_resume, task->id);
  else
    e.same(format::k_resume_by, task->id, waker);
  set_running(e, task, waker);
  return back;
}

inline uint64_t resume_by(Emission& e, skein_task* task, uint64_t waker) {
  join(e, task);
  const uint64_t back = e.writer().current;
  e.same(format::k_resume_by, task->id, waker);
  set_running(e, task, waker);
  return back;
}

inline uint64_t create_running(Emission& e, skein_task* task, uint32_t place) {
  Writer& w = e.writer();
  const uint64_t back = w.current;
  new_task(e, task, back, place, TaskState::kRunning);
  e.two(format::k_create, task->id, place);
  e.one(format::k_resume, task->id);
  w.current = task->id;
  w.ended = 0;
  w.suspended = 0;
  return back;
}

inline void suspend(Emission& e, skein_task* task, uint64_t on, uint32_t place, uint64_t back) {
  Writer& w = e.writer();
  join(e, task);
  be_current(e, task);
  e.two(format::k_suspend, on, place);
  go_back(e, back);
  w.ended = 0;
  w.suspended = task->id;
  w.suspended_row = task->row;
  TaskRow* r = row_of(w, task);
  if (r == nullptr) return;
  RowUpdate update(*r);
  r->on = on;
  r->since = e.now();
  r->at = place;
  r->state = TaskState::kSuspended;
}

inline void await(Emission& e, uint64_t id, uint32_t row, uint64_t on) {
  e.same(format::k_await, id, on);
  if (row == 0) return;
  TaskRow& r = e.writer().table->rows[row];
  if (r.id != id) return;
  RowUpdate update(r);
  r.on = on;
}

inline void operation(Emission& e, skein_task* task, uint32_t place) {
  Writer& w = e.writer();
  if (w.suspended == 0) {
    create(e, task, place);
    return;
  }
  const uint64_t parent = w.suspended;
  create_under(e, task, parent, place);
  await(e, parent, w.suspended_row, task->id);
  w.suspended = 0;  // a second operation started here is somebody else's
}

// The task is over; its row is free.
inline void end(Emission& e, skein_task* task, uint64_t back) {
  Writer& w = e.writer();
  w.suspended = 0;
  w.ended = task->id;
  w.ended_parent = 0;
  if (w.current == task->id) go_back(e, back);
  if (task->row != 0) {
    w.ended_parent = w.table->rows[task->row].parent;
    free_row(w, task->row);
    task->row = 0;
  }
}

inline void resolve(Emission& e, skein_task* task, uint64_t back) {
  join(e, task);
  e.one(format::k_resolve, task->id);
  end(e, task, back);
}

inline void cancel(Emission& e, skein_task* task) {
  join(e, task);
  e.one(format::k_cancel, task->id);
  end(e, task, 0);
}

}  // namespace skein::record
