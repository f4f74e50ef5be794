// Builds the model from the events: one pass over the events, then a few over the tasks.
#include <algorithm>

#include "base/large_pages.h"
#include "base/stable_sort.h"
#include "trace/model/builder.h"
#include "trace/model/internal_place.h"
#include "trace/model/order.h"

namespace skein {

ModelBuilder::ModelBuilder(const Trace& trace, const ModelOptions& options)
    : trace_(trace),
      events_(trace.events),
      options_(options),
      mirage_(!trace.info.records_waits()),
      executors_(model_, std::max<size_t>(1, trace.executors.size()), !mirage_),
      counters_(model_) {
  model_.ids = IdMap(events_);
  for (const Location& location : trace.locations)
    internal_.push_back(is_internal_place(trace.strings[location.file]));
  for (const StringId kind : trace.kinds) {
    const std::string_view name = trace.strings[kind];
    binds_.push_back(name == "bind" || name == "try" || name == "map" || name == "ignore_result" ||
                     name == "on_failure" || name == "on_termination");
    conditions_.push_back(name == "condition");
    scopes_.push_back(name == "scope");
    objects_.push_back(name == "alarm" || name == "socket" || name == "descriptor" ||
                       name == "signals" || name == "resolver" || name == "strand" ||
                       name == "async_channel");
  }
}

Model ModelBuilder::build() {
  model_.events = options_.before ? events_.count_before(*options_.before) : events_.size();
  model_.is_torn_down = model_.events < events_.size();
  reserve();
  add_live_resources();
  events_.for_each(
      [this](const EventRow& event) {
        now_ = event.time;
        executor_ = event.executor;
        follow(event);
      },
      model_.events);
  finish();
  return std::move(model_);
}

// Reserves the largest possible sizes, so that no vector is copied when it grows. Unused memory is
// never touched and only costs address space.
void ModelBuilder::reserve() {
  const auto counts = count_kinds(events_);
  const auto sum = [&](std::initializer_list<EventKind> kinds) {
    size_t total = 0;
    for (const EventKind kind : kinds) total += counts[static_cast<size_t>(kind)];
    return total;
  };
  using K = EventKind;
  const size_t tasks = sum({K::Create, K::ScopeEnter}) + trace_.live_tasks.size() + 16;
  reserve_large(model_.tasks, tasks);
  reserve_large(pass_states_, tasks);
  if (mirage_)
    reserve_large(beginnings_, tasks);
  else
    reserve_large(woken_, tasks);
  reserve_large(model_.labels, sum({K::Label}));
  const size_t resumes = sum({K::Ready, K::Resume, K::Notify});
  reserve_large(model_.activations, resumes + sum({K::SwitchTo}));
  reserve_large(model_.interactions,
                resumes + sum({K::TryRead, K::Suspend, K::Await, K::Resolve, K::Fail, K::Cancel}));
}

void ModelBuilder::follow(const EventRow& event) {
  using K = EventKind;
  switch (event.kind) {
    case K::Create:
      return create(event);
    case K::Resume:
      return resume(event);
    case K::SwitchTo:
      return switch_to(event);
    case K::Suspend:
      return await(event, true);
    case K::Await:
    case K::TryRead:
      return await(event, false);
    case K::Ready:
      return ready(event);
    case K::Resolve:
      return end(event, End::Resolved);
    case K::Fail:
      return end(event, End::Failed);
    case K::Cancel:
      return end(event, End::Cancelled);
    case K::Become:
      return become(event);
    case K::Notify:
      return notify(event);
    case K::Acquire:
    case K::Release:
    case K::Capacity:
      return hold(event);
    case K::Label:
      return label(event);
    case K::ShouldResolve:
      return should_resolve(event);
    case K::CounterAdd:
      act(event.task);
      return counters_.add(event.text, now_, event.value);
    case K::CounterSet:
      act(event.task);
      return counters_.set(event.text, now_, event.value);
    case K::SpanBegin:
      return span_begin(event);
    case K::SpanEnd:
      return span_end(event);
    case K::Idle:
      return executors_.sleep(executor_, now_, event.text);
    case K::Wake:
      return executors_.wake(executor_, now_);
    case K::Pause:
      return executors_.pause(executor_, now_, event.value, event.text);
    case K::Send:
    case K::Receive:
      return message(event);
    case K::Sample:
      return touch(get(event.task));
    case K::ExecutorEnd:
      return executors_.end_thread(executor_, now_);
    case K::Resource:
      return resource(event);
    case K::ScopeEnter:
    case K::ScopeExit:
    case K::ScopeCancel:
      return scope(event);
    case K::ScopeMember:
      return member(event);
    case K::About:
    case K::Expires:
      return about(event);
    case K::CancelUses:
      return cancel_uses(event);
    case K::Connection:
      return connection(event);
    case K::Discard:
      return discard(event);
    case K::Io:
      touch(get(event.task));
      return touch(get(event.other));
    case K::Clock:
    case K::ExecutorBegin:
    case K::Lost:
      return;
  }
}

void ModelBuilder::finish() {
  model_.last_event = model_.events == 0 ? 0 : events_.time[model_.events - 1];
  model_.end = model_.is_torn_down ? *options_.before
               : events_.empty()   ? 0
                                 : std::max({model_.last_event, options_.until, trace_.info.ended});
  model_.is_live = options_.is_live && !model_.is_torn_down;
  executors_.finish(model_.end);
  if (options_.simplify && mirage_) simplify_binds(model_, beginnings_, binds_);
  add_live_tasks();
  add_overwritten_ends();
  // The last event of an Lwt thread does not mean that it is still live.
  end_open_tasks(model_, mirage_ ? UINT64_MAX : trace_.info.complete_from);
  break_parent_cycles(model_);
  if (holes_) std::erase_if(model_.interactions, [](const auto& i) { return i.from == dropped; });
  for (Model::Span& span : model_.spans)
    if (span.end == UINT64_MAX)
      span.end = span.task == no_index ? model_.end
                                       : std::clamp(model_.tasks[span.task].end, span.start,
                                                    std::max(span.start, model_.end));
  stable_sort(model_.concerns, [](const auto& a, const auto& b) { return a.task < b.task; });
  for (uint32_t i = 0; i < model_.concerns.size(); i++)
    if (Model::Concern& use = model_.concerns[i]; use.object != Model::Object::none)
      use.before = std::exchange(model_.objects[use.object].last_use, i);
  order_by_start(model_.spans);
  order_by_start(model_.pauses);
  counters_.finish(trace_.strings);
}

Model build_model(const Trace& trace, const ModelOptions& options) {
  return ModelBuilder(trace, options).build();
}

TaskIndex Model::find(TaskId id) const {
  const TaskIndex index = ids.find(id);
  return index < tasks.size() ? index : no_index;
}

const Model::Concern* Model::concern(TaskIndex task) const {
  const auto found =
      std::lower_bound(concerns.begin(), concerns.end(), task,
                       [](const Concern& concern, TaskIndex i) { return concern.task < i; });
  return found != concerns.end() && found->task == task ? &*found : nullptr;
}

TaskIndex Model::last_self(TaskIndex task) const {
  while (tasks[task].becomes != no_index) task = tasks[task].becomes;
  return task;
}

}  // namespace skein
