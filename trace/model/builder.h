// The part of build_model that follows the trace as time goes on: what one event does to the model.
// Indices are those of Model::tasks; an id leads to the task that is meant by it now, that is to
// what it became (rule 2).
//
//   build.cc       the pass over the events, and what is done when all have been seen
//   lives.cc       from ids to tasks; create, switch, become, end, label
//   arrows.cc      who waits for whom, who wakes whom
//   groups.cc      resources, scopes, spans
//   live_tasks.cc  what a ring has overwritten of tasks that live
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/model/counters.h"
#include "trace/model/executors.h"
#include "trace/model/id_map.h"
#include "trace/model/model.h"
#include "trace/model/simplify.h"

namespace skein {

class ModelBuilder {
 public:
  ModelBuilder(const Trace& trace, const ModelOptions& options);

  Model build();

 private:
  using End = Model::End;
  using Link = Model::Link;
  using Task = Model::Task;
  using Interaction = Model::Interaction;

  // A resource that nobody has waited for yet has no task: the id leads here.
  static constexpr uint32_t resource_mark = uint32_t{1} << 31;
  struct Resource {
    uint64_t start;
    TaskIndex maker;
    uint32_t kind;
    uint32_t location;
    uint32_t executor;
    bool pre_existing = false;
  };
  // What is known about a task while events pass, beside the model.
  struct Now {
    TaskIndex self = no_index;  // what it became, or something on the way there
    uint32_t acted = no_index;  // its latest interaction as the one who acts
  };
  struct EarlyRead {  // of a task that had not ended
    uint64_t time;
    uint32_t executor;
  };
  // How far the clocks of two executors of one machine may differ, ns.
  static constexpr uint64_t clock_error = 1000;
  // The widths of Task::executor and Interaction::from_time.
  static constexpr uint32_t executor_mask = (1 << 24) - 1;
  static constexpr uint64_t time_mask = (uint64_t{1} << 61) - 1;
  static constexpr TaskIndex dropped = no_index - 1;

  void reserve();
  void follow(const EventRow& event);
  void finish();

  // ---- lives.cc
  TaskIndex add(TaskId id, uint64_t start);
  TaskIndex add_unknown(TaskId id);
  TaskIndex resource_task(TaskId id);
  TaskIndex get_unless_resource(TaskId id);  // no_index too for a resource without a bar
  TaskIndex last_self(TaskIndex task);
  void create(const EventRow& event);
  void become(const EventRow& event);
  uint64_t end_time(TaskIndex task) const;
  void end(const EventRow& event, End how);
  void switch_to(const EventRow& event);
  void label(const EventRow& event);
  void should_resolve(const EventRow& event);

  // no_index for no_task.
  // In every event's way: a call of it takes 8 % of a model's time, and in a unity build the
  // compiler makes one.
  [[gnu::always_inline]] TaskIndex get(TaskId id) {
    if (id == no_task) return no_index;
    const uint32_t index = model_.ids[id];
    return index < resource_mark ? self_of(index) : add_unknown(id);
  }
  TaskIndex self_of(TaskIndex task) {
    return model_.tasks[task].becomes == no_index ? task : last_self(task);
  }
  void touch(TaskIndex task) {
    if (task != no_index && is_open(task)) model_.tasks[task].end = now_;
  }
  void did_something(TaskIndex task) {
    if (mirage_ && beginnings_[task].acted == Beginnings::none)
      beginnings_[task].acted = Beginnings::other;
  }
  // As get; the task does something now.
  TaskIndex act(TaskId id) {
    const TaskIndex task = get(id);
    if (task == no_index) return no_index;
    did_something(task);
    touch(task);
    return task;
  }
  bool is_open(TaskIndex task) const { return model_.tasks[task].how == End::Open; }
  // It is current from now on; no_index is the root.
  void run(TaskIndex task) {
    if (task != no_index)
      executors_.run(executor_, task, now_);
    else
      executors_.sleep(executor_, now_, 0);
  }

  // ---- arrows.cc
  uint32_t link(Link link, TaskIndex from, TaskIndex to, uint64_t from_time, TaskIndex actor);
  void drop(uint32_t interaction) {
    model_.interactions[interaction].from = dropped;
    holes_ = true;
  }
  bool awaits(TaskIndex task, TaskIndex on);
  void read(TaskIndex reader, TaskIndex source);
  bool is_wake_implied(TaskIndex task, TaskIndex waker);
  void woken_by(TaskIndex task, TaskIndex waker);
  void ready(const EventRow& event);
  void resume(const EventRow& event);
  void await(const EventRow& event, bool suspends);
  void notify(const EventRow& event);
  void message(const EventRow& event);

  // ---- groups.cc
  void resource(const EventRow& event);
  void hold(const EventRow& event);
  void scope(const EventRow& event);
  void member(const EventRow& event);
  void about(const EventRow& event);
  void add_concern(TaskIndex task);
  void span_begin(const EventRow& event);
  void span_end(const EventRow& event);

  // ---- live_tasks.cc
  void add_alive_resources();
  void add_live_tasks();
  void describe(Task& task, const LiveTaskEntry& entry);
  void add_alive_waits(int64_t last);
  void add_overwritten_ends();
  TaskIndex known_task(TaskId id);

  const Trace& trace_;
  const Events& events_;
  const ModelOptions options_;
  const bool mirage_;
  Model model_;
  Executors executors_;
  Counters counters_;
  std::vector<bool> binds_;             // by kind
  std::vector<bool> conditions_;        // by kind
  std::vector<bool> scopes_;            // by kind
  std::vector<Now> nows_;               // by task
  std::vector<Beginnings> beginnings_;  // by task, in a mirage trace
  std::vector<uint32_t> woken_;         // by task, in ours: the Notify to it since it ran last
  std::vector<Resource> resources_;
  std::vector<TaskId> about_;  // by executor: what the operation that it creates next concerns
  IdMap open_spans_;           // numbers to indices into Model::spans
  IdMap messages_;             // correlations to indices into Model::interactions
  IdMap early_;  // tasks to indices into early_reads_: the last of each, if executors are several
  std::vector<EarlyRead> early_reads_;
  bool holes_ = false;

  uint64_t now_ = 0;  // of the event that is followed
  uint32_t executor_ = 0;
};

}  // namespace skein
