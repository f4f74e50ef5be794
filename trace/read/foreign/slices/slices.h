// Represents the contents of other tools' formats (FXT, Chrome JSON) - threads with nested slices,
// slices that belong to no thread, flows, counters - as events of the model.
//
//   a thread            an executor, and a task of kind "thread" that is current on it while it is
//                       in a slice; if scheduling is recorded, the executors are the CPUs instead
//   a slice             a span of its thread's task
//   an async slice      a task of kind "async", child of the thread's task; nested ones are spans
//   an instant          a label
//   a flow              a message from one thread to another: an arrow
//   a counter           a counter
//
// Call the functions in time order; they append to the trace immediately.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

class Slices {
 public:
  using Thread = uint32_t;  // index returned by add_thread, from 0

  // `on_cpus`: the trace records which thread runs on which CPU.
  Slices(Trace& trace, bool on_cpus);

  // Makes `start` time 0.
  void begin_at(uint64_t start) { start_ = start; }

  // `name` 0: named by its number. `process`: index into Trace::processes.
  Thread add_thread(uint64_t number, StringId name, uint32_t process = 0);

  void begin(uint64_t time, Thread thread, StringId name);
  void end(uint64_t time, Thread thread);
  // A slice whose ends are both known, and which therefore has a number.
  void begin(uint64_t time, Thread thread, StringId name, uint64_t number);
  void end(uint64_t time, Thread thread, uint64_t number);

  void label(uint64_t time, Thread thread, StringId text);
  void counter(uint64_t time, Thread thread, StringId name, uint64_t value);

  // The id of an async slice is unique in its process and category, that of a flow in its category
  // and name; the other field is 0.
  struct Key {
    uint64_t process = 0;
    uint64_t id = 0;
    StringId category = 0;
    StringId name = 0;
    auto operator<=>(const Key&) const = default;
  };
  void async_begin(uint64_t time, Thread thread, const Key& key, StringId name);
  void async_label(uint64_t time, Thread thread, const Key& key, StringId text);
  void async_end(uint64_t time, Thread thread, const Key& key);

  void flow_out(uint64_t time, Thread thread, const Key& key);
  void flow_in(uint64_t time, Thread thread, const Key& key);

  // `from` leaves the CPU, `to` takes it; no_thread: the CPU is idle.
  static constexpr Thread no_thread = UINT32_MAX;
  enum class Leaves { Ready, Blocked, Ended };
  void switch_to(uint64_t time, uint32_t cpu, Thread from, Leaves how, Thread to);
  void wake(uint64_t time, Thread thread, Thread by);

  // Adds the problems to the losses.
  void finish();

 private:
  struct ThreadState {
    StringId name = 0;
    TaskId task = no_task;  // set at the first event on it
    TaskId woken_by = no_task;
    uint32_t executor = 0;
    std::vector<uint64_t> open = {};  // numbers of its slices that are open
    size_t depth = 0;                 // including slices that are not in `open`
    bool blocked = false;
  };
  struct Async {
    TaskId task = no_task;
    std::vector<uint64_t> inner = {};  // numbers of its nested spans
  };

  void append(EventKind kind, uint64_t time, Thread thread, TaskId task, TaskId other = no_task,
              uint64_t value = 0, StringId text = 0);
  ThreadState& at(uint64_t time, Thread thread);
  void enter(uint64_t time, Thread thread);
  void leave(uint64_t time, Thread thread);
  uint32_t cpu(uint32_t number);
  uint64_t kind(std::string_view name);

  Trace& trace_;
  const bool on_cpus_;
  const uint64_t thread_kind_;
  const uint64_t async_kind_;
  uint64_t start_ = 0;
  TaskId next_task_ = 1;
  uint64_t next_number_ = uint64_t{1} << 32;  // of spans; lower ones are the caller's
  uint64_t next_message_ = 1;
  std::vector<ThreadState> threads_;
  std::map<uint32_t, uint32_t> cpus_;  // values: executors
  std::map<Key, Async> asyncs_;
  std::map<Key, uint64_t> flows_;  // values: the message in flight
  uint64_t ends_without_begin_ = 0;
  uint64_t flows_without_begin_ = 0;
};

}  // namespace skein
