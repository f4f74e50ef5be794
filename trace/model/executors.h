// The part of build_model that determines which task is current: activations, sleeps and pauses.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/model.h"

namespace skein {

class Executors {
 public:
  // `is_own_trace`: the trace is from skein's recorder. Its executors return to the task that was
  // current before they slept. An executor that records no sleep sleeps whenever no task is
  // current.
  Executors(Model& model, size_t count, bool is_own_trace)
      : model_(model), is_own_trace_(is_own_trace), states_(count) {}

  TaskIndex current(uint32_t executor) const { return states_[executor].task; }

  // Makes `task` current; no effect if it already is.
  void run(uint32_t executor, TaskIndex task, uint64_t time);
  // Makes no task current. The executor is not known to sleep.
  void stop(uint32_t executor, uint64_t time);
  // The executor sleeps from now on, and no task is current.
  void sleep(uint32_t executor, uint64_t time, StringId reason);
  void wake(uint32_t executor, uint64_t time);
  // The executor paused for the `duration` that ends now: no code of the program ran.
  void pause(uint32_t executor, uint64_t time, uint64_t duration, StringId reason);
  // The executor's thread ended. Until another thread takes over the stream, no thread sleeps.
  void end_thread(uint32_t executor, uint64_t time);

  // Closes all open intervals.
  void finish(uint64_t time);

 private:
  static constexpr uint64_t never = UINT64_MAX;
  struct State {
    TaskIndex task = no_index;
    TaskIndex after_sleep = no_index;
    size_t activation = 0;        // index of the activation of `task`
    size_t sleep = 0;             // index of the sleep if `asleep`
    uint64_t free_since = never;  // no task has been current since then
    bool asleep = false;
    bool records_sleep = false;
  };

  void close(State& state, uint64_t time);
  void add_gap(uint32_t executor, uint64_t time);

  Model& model_;
  const bool is_own_trace_;
  std::vector<State> states_;
  std::vector<Model::ExecutorInterval> gaps_;
  bool holes_ = false;  // some activations have no task
};

}  // namespace skein
