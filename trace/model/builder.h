// The part of build_model that processes the events in time order: the effect of each event on the
// model. Indices are those of Model::tasks. An id resolves to the task that it currently denotes,
// i.e. the last successor (rule 2).
//
//   build.cc       the pass over the events, and the final steps
//   lives.cc       ids to tasks; create, switch, become, end, label
//   arrows.cc      waits and wake-ups
//   groups.cc      resources, scopes, spans
//   live_tasks.cc  live tasks whose events a ring has overwritten
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
  using Object = Model::Object;

  // A resource that no task has waited for has no task yet. Its id maps to resource_mark | index
  // into resources_.
  static constexpr uint32_t resource_mark = uint32_t{1} << 31;
  // An object that operations use (Model::Object) has object_mark | its index.
  static constexpr uint32_t object_mark = uint32_t{3} << 30;
  static bool is_object(uint32_t index) { return index >= object_mark && index != IdMap::none; }
  struct Resource {
    uint64_t start;
    TaskIndex maker;
    uint32_t kind;
    uint32_t location;
    uint32_t executor;
    bool pre_existing = false;
  };
  // State of a task during the pass that the model does not contain.
  struct PassState {
    TaskIndex self = no_index;  // its successor, or a task on the way to the last one
    uint32_t acted = no_index;  // the latest interaction in which it acted
  };
  struct EarlyRead {  // a read of a task that had not ended
    uint64_t time;
    uint32_t executor;
  };
  // Largest difference between the clocks of two executors of one machine, ns.
  static constexpr uint64_t clock_error = 1000;
  // The widths of Task::executor and Interaction::from_time.
  static constexpr uint32_t executor_mask = (1 << 23) - 1;
  static constexpr uint64_t time_mask = (uint64_t{1} << 61) - 1;
  static constexpr TaskIndex dropped = no_index - 1;

  void reserve();
  void follow(const EventRow& event);
  void finish();

  // ---- lives.cc
  TaskIndex add(TaskId id, uint64_t start);
  TaskIndex add_unknown(TaskId id);
  TaskIndex resource_task(TaskId id);
  TaskIndex get_unless_resource(TaskId id);  // also no_index for a resource without a bar
  TaskIndex last_self(TaskIndex task);
  void create(const EventRow& event);
  void become(const EventRow& event);
  uint64_t end_time(TaskIndex task) const;
  void end(const EventRow& event, End how);
  void switch_to(const EventRow& event);
  void label(const EventRow& event);
  void should_resolve(const EventRow& event);
  void discard(const EventRow& event);

  // no_index for no_task.
  // Called for every event: an out-of-line call takes 8 % of the time to build a model, and a unity
  // build would make one.
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
  void mark_action(TaskIndex task) {
    if (mirage_ && beginnings_[task].acted == Beginnings::none)
      beginnings_[task].acted = Beginnings::other;
  }
  // Like get(), and records that the task acts now.
  TaskIndex act(TaskId id) {
    const TaskIndex task = get(id);
    if (task == no_index) return no_index;
    mark_action(task);
    touch(task);
    return task;
  }
  // Whether the location is in the implementation of a library's composed operations.
  bool is_internal(uint32_t location) const {
    return location < internal_.size() && internal_[location];
  }
  bool is_open(TaskIndex task) const { return model_.tasks[task].how == End::Open; }
  // Makes the task current; no_index is the root.
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
  uint32_t object(TaskId id);
  uint32_t add_object(TaskId id, uint64_t start);
  void cancel_uses(const EventRow& event);
  void connection(const EventRow& event);
  void end_object(uint32_t object, TaskIndex by);
  void span_begin(const EventRow& event);
  void span_end(const EventRow& event);

  // ---- live_tasks.cc
  void add_live_resources();
  void add_live_tasks();
  void describe(Task& task, const LiveTaskEntry& entry);
  void add_live_uses(int64_t last);
  void add_live_waits(int64_t last);
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
  std::vector<bool> internal_;          // by location
  std::vector<bool> objects_;           // by kind: operations use it
  std::vector<PassState> pass_states_;  // by task
  std::vector<Beginnings> beginnings_;  // by task, in a mirage trace
  std::vector<uint32_t> woken_;  // by task, in a skein trace: the Notify to it since its last run
  std::vector<Resource> resources_;
  struct About {
    TaskId resource = no_task;
    uint64_t expires = 0;
  };
  std::vector<About> about_;   // by executor: what the next operation that it creates uses
  IdMap open_spans_;           // span numbers to indices into Model::spans
  IdMap messages_;             // correlation ids to indices into Model::interactions
  IdMap early_;  // tasks to indices into early_reads_: the last of each, if there are several
                 // executors
  std::vector<EarlyRead> early_reads_;
  bool holes_ = false;

  uint64_t now_ = 0;  // time of the current event
  uint32_t executor_ = 0;
};

}  // namespace skein
