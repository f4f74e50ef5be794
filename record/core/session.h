// An emission of the calling executor, for functions that are rarely called or write a string:
//
//   if (Session e; e) e->one(format::k_span_end, span);
//
// A host includes this file after it has declared, in this namespace:
//
//   bool is_on();           recording is enabled
//   Writer* this_writer;    of the executor; null: it has none yet
//
// An executor is an OS thread or a vCPU; both may be variables of each one (thread_local).
#pragma once
#include <skein/skein.h>

#include "record/core/tasks.h"

namespace skein::record {

// Finds a stream if the executor has none, or if a signal handler or interrupt interrupted one of
// its events. Returns null if there is none (counted). Each host has its own.
[[gnu::noinline, gnu::cold]] Writer* find_stream(Writer* writer);

// The executor's emission, from construction to destruction. A signal handler that runs before
// in_use is set uses the same stream: it writes complete events and leaves the stream consistent.
class Session {
 public:
  SKEIN_HOT explicit Session(bool text = false) : emission_(nullptr) {
    if (!is_on()) [[unlikely]]
      return;
    Writer* writer = this_writer;
    if (writer == nullptr || writer->in_use != 0) [[unlikely]] {
      writer = find_stream(writer);
      if (writer == nullptr) return;
    }
    mark_in_use(*writer);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    emission_ = Emission(writer);
    ready_ = emission_.begin(text);
  }
  SKEIN_HOT ~Session() {
    if (!ready_) return;
    emission_.commit();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    emission_.writer().in_use = 0;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  SKEIN_HOT explicit operator bool() const { return ready_; }
  SKEIN_HOT Emission* operator->() { return &emission_; }
  SKEIN_HOT Emission& operator*() { return emission_; }

  uint32_t place(uint32_t kind, const char* name, const skein_source* where) {
    uint32_t id = 0;
    locate(emission_, kind, name, where, id);
    return id;
  }
  // Returns the id of a task, which joins the trace if it is not in it. Null: the current task.
  SKEIN_HOT uint64_t id_of(skein_task* task) {
    if (task == nullptr) return emission_.writer().current;
    join(emission_, task);
    return task->id;
  }

 private:
  Emission emission_;
  bool ready_ = false;
};

}  // namespace skein::record
