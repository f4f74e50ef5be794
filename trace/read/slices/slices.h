// What other tools' formats know (FXT, Chrome JSON) - threads with nested slices, slices that
// belong to no thread, flows, counters - as events of the model.
//
//   a thread            an executor, and a task of kind "thread" that is current on it while it is
//                       in a slice; with a scheduler's events, the executors are the CPUs instead
//   a slice             a span of its thread's task
//   an async slice      a task of kind "async", child of the thread's; those nested in it are spans
//   an instant          a label
//   a flow              a message from one thread to another: an arrow
//   a counter           a counter
//
// Events are given in the order of time, and are appended to the trace at once.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

class Slices {
 public:
  using Thread = uint32_t;  // as add_thread numbers them, from 0 on

  // `on_cpus`: it is said which thread runs on which CPU.
  Slices(Trace& trace, bool on_cpus);

  // `start` is the time that becomes 0.
  void begin_at(uint64_t start) { start_ = start; }

  // `name` 0: called by its number. `process`: index into Trace::processes.
  Thread add_thread(uint64_t number, StringId name, uint32_t process = 0);

  void begin(uint64_t time, Thread thread, StringId name);
  void end(uint64_t time, Thread thread);
  // A slice of which both ends are known, hence has a number of its own.
  void begin(uint64_t time, Thread thread, StringId name, uint64_t number);
  void end(uint64_t time, Thread thread, uint64_t number);

  void label(uint64_t time, Thread thread, StringId text);
  void counter(uint64_t time, Thread thread, StringId name, uint64_t value);

  // The number of an async slice is unique in its process and category, that of a flow in its
  // category and name; the other field stays 0.
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

  // `from` leaves the CPU, `to` comes to it; no_thread: the CPU is idle.
  static constexpr Thread no_thread = UINT32_MAX;
  enum class Leaves { Ready, Blocked, Ended };
  void switch_to(uint64_t time, uint32_t cpu, Thread from, Leaves how, Thread to);
  void wake(uint64_t time, Thread thread, Thread by);

  // What was wrong goes to the losses.
  void finish();

 private:
  struct ThreadState {
    StringId name = 0;
    TaskId task = no_task;  // once something happened on it
    TaskId woken_by = no_task;
    uint32_t executor = 0;
    std::vector<uint64_t> open = {};  // numbers of its slices that have begun
    size_t depth = 0;                 // with those that are not in `open`
    bool blocked = false;
  };
  struct Async {
    TaskId task = no_task;
    std::vector<uint64_t> inner = {};  // numbers of the spans in it
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
  uint64_t next_number_ = uint64_t{1} << 32;  // of spans; below are the caller's
  uint64_t next_message_ = 1;
  std::vector<ThreadState> threads_;
  std::map<uint32_t, uint32_t> cpus_;  // to executors
  std::map<Key, Async> asyncs_;
  std::map<Key, uint64_t> flows_;  // to the message on its way
  uint64_t ends_without_begin_ = 0;
  uint64_t flows_without_begin_ = 0;
};

// The index of the kind of this name, which is added if it is new.
uint64_t kind_index(Trace& trace, std::string_view name);

}  // namespace skein
