// Who is current where: the part of build_model that makes activations, sleeps and pauses.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/model.h"

namespace skein {

class Executors {
 public:
  // `ours`: a trace of our recorder, whose executors return to who was current before they slept,
  // and sleep whenever nobody is current if they do not say when they sleep.
  Executors(Model& model, size_t count, bool ours) : model_(model), ours_(ours), states_(count) {}

  TaskIndex current(uint32_t executor) const { return states_[executor].task; }

  // `task` is current from now on; nothing happens when it is already.
  void run(uint32_t executor, TaskIndex task, uint64_t time);
  // Nobody is, and that says nothing about what the executor does.
  void stop(uint32_t executor, uint64_t time);
  // It sleeps from now on, and nobody is current.
  void sleep(uint32_t executor, uint64_t time, StringId reason);
  void wake(uint32_t executor, uint64_t time);
  // It has paused for `duration`, up to now: no code of the program ran.
  void pause(uint32_t executor, uint64_t time, uint64_t duration, StringId reason);
  // Another thread may take the stream now; until then there is nobody who could sleep.
  void leave(uint32_t executor, uint64_t time);

  // Closes what is open.
  void finish(uint64_t time);

 private:
  static constexpr uint64_t never = UINT64_MAX;
  struct State {
    TaskIndex task = no_index;
    TaskIndex after_sleep = no_index;
    size_t activation = 0;        // of task
    size_t sleep = 0;             // when asleep
    uint64_t free_since = never;  // nobody has been current since
    bool asleep = false;
    bool says_sleep = false;
  };

  void close(State& state, uint64_t time);
  void add_gap(uint32_t executor, uint64_t time);

  Model& model_;
  const bool ours_;
  std::vector<State> states_;
  std::vector<Model::ExecutorInterval> gaps_;
  bool holes_ = false;  // activations of no task
};

}  // namespace skein
