// Events to the model: one pass that follows the trace as time goes on, then a few over what came
// of it. Indices are those of Model::tasks; an id leads to the task that is meant by it now, that
// is to what it became (rule 2).
#include <algorithm>
#include <array>

#include "base/large_pages.h"
#include "trace/model/counters.h"
#include "trace/model/executors.h"
#include "trace/model/model.h"
#include "trace/model/order.h"
#include "trace/model/simplify.h"
#include "trace/model/tasks.h"

namespace skein {

namespace {

using End = Model::End;
using Link = Model::Link;
using Task = Model::Task;
using Interaction = Model::Interaction;

class Builder {
 public:
  Builder(const Trace& trace, const ModelOptions& options)
      : trace_(trace),
        events_(trace.events),
        options_(options),
        mirage_(trace.facts.format == "mirage-profile"),
        executors_(model_, std::max<size_t>(1, trace.executors.size()), !mirage_),
        counters_(model_) {
    model_.ids = IdMap(events_);
    for (const StringId kind : trace.kinds) {
      const std::string_view name = trace.strings[kind];
      binds_.push_back(name == "bind" || name == "try" || name == "map" ||
                       name == "ignore_result" || name == "on_failure" || name == "on_termination");
      conditions_.push_back(name == "condition");
    }
  }

  Model build() {
    reserve();
    for (at_ = 0; at_ < events_.size(); at_++) {
      now_ = events_.time[at_];
      executor_ = events_.executor[at_];
      one();
    }
    finish();
    return std::move(model_);
  }

 private:
  // A resource that nobody has waited for yet has no task: the id leads here.
  static constexpr uint32_t resource_mark = uint32_t{1} << 31;
  struct Resource {
    uint64_t start;
    TaskIndex maker;
    uint32_t kind;
    uint32_t location;
    uint32_t executor;
  };
  // What is known about a task while events pass, beside the model.
  struct Now {
    TaskIndex self = no_index;  // what it became, or something on the way there
    uint32_t acted = no_index;  // its latest interaction as the one who acts
  };
  // The widths of Task::executor and Interaction::from_time.
  static constexpr uint32_t executor_mask = (1 << 24) - 1;
  static constexpr uint64_t time_mask = (uint64_t{1} << 61) - 1;

  void reserve();
  void one();
  void finish();

  // ---- tasks
  TaskIndex add(TaskId id, uint64_t start);
  TaskIndex self_of(TaskIndex task);
  TaskIndex get(TaskId id);                  // no_index for no_task
  TaskIndex get_unless_resource(TaskId id);  // no_index too for a resource without a bar
  TaskIndex resource_task(TaskId id);
  void touch(TaskIndex task) {
    if (task != no_index && model_.tasks[task].how == End::Open) model_.tasks[task].end = now_;
  }
  void did_something(TaskIndex task) {
    if (mirage_ && beginnings_[task].acted == Beginnings::none)
      beginnings_[task].acted = Beginnings::other;
  }
  bool is_open(TaskIndex task) const { return model_.tasks[task].how == End::Open; }

  // It is current from now on; no_index is the root.
  void run(TaskIndex task) {
    if (task != no_index)
      executors_.run(executor_, task, now_);
    else
      executors_.sleep(executor_, now_, 0);
  }

  // ---- events
  void create();
  void resume();
  bool says_so_already(TaskIndex task, TaskIndex waker);
  void woken_by(TaskIndex task, TaskIndex waker);
  void ready();
  void await(bool suspends);
  void end(End how);
  void become();
  void notify();
  void label();
  void resource();
  void hold();
  void scope();
  void member();
  void span_begin();
  void span_end();
  void message();

  // Is the last that `task` did that it began to wait for `on`?
  bool awaits(TaskIndex task, TaskIndex on) {
    const uint32_t last = nows_[task].acted;
    if (last == no_index) return false;
    const Interaction& interaction = model_.interactions[last];
    return interaction.link == Link::Await && interaction.from == task &&
           (interaction.to == on || self_of(interaction.to) == on);
  }
  uint32_t link(Link link, TaskIndex from, TaskIndex to, uint64_t from_time, TaskIndex actor);
  void read(TaskIndex reader, TaskIndex source);
  void drop(uint32_t interaction) {
    model_.interactions[interaction].from = dropped;
    holes_ = true;
  }

  static constexpr TaskIndex dropped = no_index - 1;

  const Trace& trace_;
  const Events& events_;
  const ModelOptions options_;
  const bool mirage_;
  Model model_;
  Executors executors_;
  Counters counters_;
  std::vector<bool> binds_;             // by kind
  std::vector<bool> conditions_;        // by kind
  std::vector<Now> nows_;               // by task
  std::vector<Beginnings> beginnings_;  // by task, in a mirage trace
  std::vector<uint32_t> woken_;         // by task, in ours: the Notify to it since it ran last
  std::vector<Resource> resources_;
  IdMap open_spans_;  // numbers to indices into Model::spans
  IdMap messages_;    // correlations to indices into Model::interactions
  bool holes_ = false;

  size_t at_ = 0;  // the event
  uint64_t now_ = 0;
  uint32_t executor_ = 0;
};

// Room for as many as there can be, so that nothing is copied to grow. What stays unused is never
// touched, and costs addresses only.
void Builder::reserve() {
  std::array<size_t, event_kinds> counts{};
  for (size_t i = 0; i < events_.size(); i++) counts[static_cast<size_t>(events_.kind[i])]++;
  const auto sum = [&](std::initializer_list<EventKind> kinds) {
    size_t total = 0;
    for (const EventKind kind : kinds) total += counts[static_cast<size_t>(kind)];
    return total;
  };
  const auto make_room = [](auto& items, size_t count) {
    items.reserve(count);
    prefer_large_pages(items.data(), count * sizeof(items[0]));
  };
  using K = EventKind;
  const size_t tasks = sum({K::Create, K::ScopeEnter}) + 16;
  make_room(model_.tasks, tasks);
  make_room(nows_, tasks);
  if (mirage_)
    make_room(beginnings_, tasks);
  else
    make_room(woken_, tasks);
  make_room(model_.labels, sum({K::Label}));
  const size_t resumes = sum({K::Ready, K::Resume, K::Notify});
  make_room(model_.activations, resumes + sum({K::SwitchTo}));
  make_room(model_.interactions,
            resumes + sum({K::TryRead, K::Suspend, K::Await, K::Resolve, K::Fail, K::Cancel}));
}

TaskIndex Builder::add(TaskId id, uint64_t start) {
  const auto index = static_cast<TaskIndex>(model_.tasks.size());
  Task& task = model_.tasks.emplace_back();
  task.id = id;
  task.start = start;
  task.end = now_;
  task.executor = executor_ & executor_mask;
  nows_.push_back({});
  if (mirage_)
    beginnings_.push_back({});
  else
    woken_.push_back(no_index);
  model_.ids[id] = index;
  return index;
}

TaskIndex Builder::self_of(TaskIndex task) {
  if (model_.tasks[task].becomes == no_index) return task;
  TaskIndex last = task;
  while (nows_[last].self != no_index) last = nows_[last].self;
  while (task != last) task = std::exchange(nows_[task].self, last);
  return last;
}

// Rule 1: a task that nobody created has been there since the beginning.
TaskIndex Builder::get(TaskId id) {
  if (id == no_task) return no_index;
  const uint32_t index = model_.ids[id];
  if (index < resource_mark) return self_of(index);
  if (index != IdMap::none) return resource_task(id);
  const TaskIndex task = add(id, 0);
  model_.tasks[task].pre_existing = true;
  return task;
}

TaskIndex Builder::get_unless_resource(TaskId id) {
  const uint32_t index = id == no_task ? IdMap::none : model_.ids[id];
  return index >= resource_mark && index != IdMap::none ? no_index : get(id);
}

TaskIndex Builder::resource_task(TaskId id) {
  const uint32_t index = id == no_task ? IdMap::none : model_.ids[id];
  if (index >= resource_mark && index != IdMap::none) {
    const Resource& resource = resources_[index - resource_mark];
    const TaskIndex task = add(id, resource.start);
    Task& made = model_.tasks[task];
    made.parent = resource.maker;
    made.kind = resource.kind;
    made.location = resource.location;
    made.executor = resource.executor & executor_mask;
    made.is_resource = true;
    return task;
  }
  const TaskIndex task = get(id);
  if (task != no_index) model_.tasks[task].is_resource = true;
  return task;
}

void Builder::one() {
  using K = EventKind;
  switch (events_.kind[at_]) {
    case K::Create:
      return create();
    case K::Resume:
      return resume();
    case K::SwitchTo:
      if (const TaskIndex task = get(events_.task[at_]); task != no_index) {
        did_something(task);
        touch(task);
        executors_.run(executor_, task, now_);
      }
      return;
    case K::Suspend:
      return await(true);
    case K::Await:
    case K::TryRead:
      return await(false);
    case K::Ready:
      return ready();
    case K::Resolve:
      return end(End::Resolved);
    case K::Fail:
      return end(End::Failed);
    case K::Cancel:
      return end(End::Cancelled);
    case K::Become:
      return become();
    case K::Notify:
      return notify();
    case K::Acquire:
    case K::Release:
    case K::Capacity:
      return hold();
    case K::Label:
      return label();
    case K::ShouldResolve:
      if (const TaskIndex task = get(events_.task[at_]); task != no_index)
        model_.tasks[task].should_resolve = true;
      return;
    case K::CounterAdd:
    case K::CounterSet:
      if (const TaskIndex task = get(events_.task[at_]); task != no_index) {
        did_something(task);
        touch(task);
      }
      if (events_.kind[at_] == K::CounterAdd)
        counters_.add(events_.text[at_], now_, events_.value[at_]);
      else
        counters_.set(events_.text[at_], now_, events_.value[at_]);
      return;
    case K::SpanBegin:
      return span_begin();
    case K::SpanEnd:
      return span_end();
    case K::Idle:
      return executors_.sleep(executor_, now_, events_.text[at_]);
    case K::Wake:
      return executors_.wake(executor_, now_);
    case K::Pause:
      model_.pauses.push_back({.start = now_ - std::min(now_, events_.value[at_]),
                               .end = now_,
                               .reason = events_.text[at_],
                               .executor = executor_});
      return;
    case K::Send:
    case K::Receive:
      return message();
    case K::Sample:
      return touch(get(events_.task[at_]));
    case K::ExecutorEnd:
      return executors_.leave(executor_, now_);
    case K::Resource:
      return resource();
    case K::ScopeEnter:
    case K::ScopeExit:
    case K::ScopeCancel:
      return scope();
    case K::ScopeMember:
      return member();
    case K::Io:
      touch(get(events_.task[at_]));
      return touch(get(events_.other[at_]));
    case K::Clock:
    case K::ExecutorBegin:
    case K::Lost:
      return;
  }
}

// The first create of an id that was seen before (its events are in another stream, whose clock is
// a little ahead) is that task's; any other is of a new one.
void Builder::create() {
  const TaskId id = events_.task[at_];
  if (id == no_task) return;
  const TaskIndex parent = events_.other[at_] == id ? no_index : get(events_.other[at_]);
  touch(parent);
  TaskIndex task = model_.ids[id];
  const bool known = task < resource_mark && model_.tasks[task].pre_existing && is_open(task);
  if (!known) task = add(id, now_);
  Task& made = model_.tasks[task];
  made.pre_existing = false;
  made.start = known && !mirage_ ? std::min(made.start, now_) : now_;
  made.end = now_;
  made.parent = parent;
  made.kind = static_cast<uint32_t>(std::min<uint64_t>(events_.value[at_], UINT32_MAX));
  made.name = events_.text[at_];
  made.location = events_.location[at_];
  made.executor = executor_ & executor_mask;
}

// One arrow instead of a wait and its end (rule 3): what `actor` did last is dropped when it was
// that it waited for `on`.
uint32_t Builder::link(Link link, TaskIndex from, TaskIndex to, uint64_t from_time,
                       TaskIndex actor) {
  const auto index = static_cast<uint32_t>(model_.interactions.size());
  Interaction& arrow = model_.interactions.emplace_back();
  arrow.from_time = std::min(from_time, now_) & time_mask;
  arrow.link = link;
  arrow.to_time = now_;
  arrow.from = from;
  arrow.to = to;
  if (actor != no_index) {
    uint32_t& last = nows_[actor].acted;
    const bool ends_wait = actor == to && awaits(actor, from);
    if (ends_wait) drop(last);
    if (mirage_) {
      uint32_t& first = beginnings_[actor].acted;
      if (first == Beginnings::none || (ends_wait && first == last)) first = index;
    }
    last = index;
  }
  return index;
}

// Rule 7: a result leaves where the bar of its source ended.
void Builder::read(TaskIndex reader, TaskIndex source) {
  if (source == no_index || reader == no_index || source == reader) return;
  const Task& from = model_.tasks[source];
  const Link kind = from.how == End::Failed ? Link::ReadFailure : Link::Read;
  link(kind, source, reader, from.how == End::Open ? now_ : from.end, reader);
}

// A resource that was free gave no result.
void Builder::ready() {
  const TaskIndex reader = get(events_.task[at_]);
  const TaskIndex source = get_unless_resource(events_.other[at_]);
  touch(reader);
  touch(source);
  if (source != no_index && !model_.tasks[source].is_resource) read(reader, source);
  // What reads the root, as Lwt does when there is nothing to bind, says no more than that.
  if (events_.flags[at_] & flag::makes_current && events_.other[at_] != no_task) run(reader);
}

void Builder::resume() {
  const TaskIndex task = get(events_.task[at_]);
  if (task == no_index) return;
  TaskIndex waker = get(events_.other[at_]);
  touch(task);
  touch(waker);
  if (const uint32_t last = nows_[task].acted; waker == no_index && last != no_index) {
    // Nobody is said to have woken it, but what it waited for has ended.
    const Interaction& wait = model_.interactions[last];
    if (wait.link == Link::Await && !is_open(self_of(wait.to))) waker = self_of(wait.to);
  }
  if (waker != no_index && waker != task) {
    if (!is_open(waker) || (!model_.tasks[waker].is_resource && awaits(task, waker)))
      read(task, waker);
    else if (!says_so_already(task, waker))
      woken_by(task, waker);
  }
  if (!mirage_) woken_[task] = no_index;
  executors_.run(executor_, task, now_);
}

// It runs because the other waits for it, or created it to run at once: there is a line for that.
bool Builder::says_so_already(TaskIndex task, TaskIndex waker) {
  const Task& woken = model_.tasks[task];
  return awaits(waker, task) || (woken.parent == waker && woken.start == now_);
}

// A notify and what came of it are one arrow.
void Builder::woken_by(TaskIndex task, TaskIndex waker) {
  uint64_t from_time = now_;
  if (const uint32_t notify = mirage_ ? no_index : woken_[task];
      notify != no_index && model_.interactions[notify].from == waker) {
    from_time = model_.interactions[notify].from_time;
    drop(notify);
  }
  link(Link::Notify, waker, task, from_time, no_index);
}

void Builder::await(bool suspends) {
  const TaskIndex task = get(events_.task[at_]);
  const TaskId id = events_.other[at_];
  const bool resource = events_.value[at_] == 1 && events_.kind[at_] != EventKind::TryRead;
  const TaskIndex on = resource ? resource_task(id) : get(id);
  touch(task);
  touch(on);
  if (mirage_ && on != no_index && beginnings_[on].tried == Beginnings::none)
    beginnings_[on].tried = static_cast<uint32_t>(model_.interactions.size());
  if (on != no_index && task != no_index && on != task && is_open(on))
    link(Link::Await, task, on, now_, task);
  if (suspends) executors_.stop(executor_, now_);
}

void Builder::end(End how) {
  const TaskIndex task = get_unless_resource(events_.task[at_]);
  if (task == no_index) return;
  const TaskIndex resolver = get(events_.other[at_]);
  touch(resolver);
  if (is_open(task)) {
    if (resolver != no_index && resolver != task && !model_.tasks[task].is_resource)
      link(Link::Resolve, resolver, task, now_, resolver);
    Task& ended = model_.tasks[task];
    ended.end = now_;
    ended.how = how;
    if (how != End::Resolved) ended.reason = events_.text[at_];
  }
  if (!mirage_ && executors_.current(executor_) == task) executors_.stop(executor_, now_);
}

// Later events of the old id are meant for the new one; nobody becomes himself, so there is always
// a last one.
void Builder::become() {
  const TaskIndex task = get(events_.task[at_]);
  const TaskIndex other = get(events_.other[at_]);
  touch(other);
  if (task == no_index || other == no_index || task == other || !is_open(task)) return;
  Task& old = model_.tasks[task];
  old.end = now_;
  old.how = End::Became;
  old.becomes = other;
  nows_[task].self = other;
  if (old.should_resolve) model_.tasks[other].should_resolve = true;
  if (executors_.current(executor_) != task) return;
  if (mirage_)
    executors_.run(executor_, other, now_);
  else
    executors_.stop(executor_, now_);
}

void Builder::notify() {
  const TaskIndex receiver = get_unless_resource(events_.task[at_]);
  const TaskIndex sender = get(events_.other[at_]);
  touch(receiver);
  touch(sender);
  if (receiver != no_index && sender != no_index && receiver != sender) {
    // To wake nobody is worth an arrow only where it is lost: a semaphore remembers it.
    const Task& target = model_.tasks[receiver];
    uint32_t woken = no_index;
    const bool lost = target.kind >= conditions_.size() || conditions_[target.kind];
    if (events_.value[at_] != 0 || !target.is_resource || lost)
      woken = link(Link::Notify, sender, receiver, now_, sender);
    if (!mirage_) woken_[receiver] = woken;
  }
  if (events_.flags[at_] & flag::makes_current) run(receiver);
}

void Builder::label() {
  const TaskIndex task = get(events_.task[at_]);
  if (task == no_index) return;
  did_something(task);
  touch(task);
  const StringId text = events_.text[at_];
  if (model_.tasks[task].label == 0) model_.tasks[task].label = text;
  model_.labels.push_back({.time = now_, .task = task, .text = text});
}

void Builder::resource() {
  const TaskId id = events_.other[at_];
  if (id == no_task) return;
  const TaskIndex maker = get(events_.task[at_]);
  touch(maker);
  if (model_.ids[id] != IdMap::none) return;  // used twice, or waited for before
  const auto kind = static_cast<uint32_t>(std::min<uint64_t>(events_.value[at_], UINT32_MAX));
  model_.ids[id] = resource_mark | static_cast<uint32_t>(resources_.size());
  resources_.push_back({.start = now_,
                        .maker = maker,
                        .kind = kind,
                        .location = events_.location[at_],
                        .executor = executor_});
  if (events_.text[at_] != 0) model_.tasks[resource_task(id)].name = events_.text[at_];
}

void Builder::hold() {
  touch(get(events_.task[at_]));
  touch(get_unless_resource(events_.other[at_]));
}

void Builder::scope() {
  const TaskIndex task = get(events_.task[at_]);
  const TaskId id = events_.other[at_];
  if (id == no_task) return;
  touch(task);
  const EventKind kind = events_.kind[at_];
  const bool is_new = kind == EventKind::ScopeEnter && model_.ids[id] == IdMap::none;
  const TaskIndex index = is_new ? add(id, now_) : get(id);
  Task& scope = model_.tasks[index];
  scope.is_scope = true;
  if (is_new) {
    scope.parent = task;
    scope.name = events_.text[at_];
    scope.location = events_.location[at_];
  }
  if (kind == EventKind::ScopeCancel && scope.how == End::Open) {
    // It goes on until it is left.
    if (task != no_index && task != index) link(Link::Notify, task, index, now_, task);
    scope.how = End::Cancelled;
    scope.end = now_;
  } else if (kind == EventKind::ScopeExit &&
             (scope.how == End::Open || scope.how == End::Cancelled)) {
    if (scope.how == End::Open) scope.how = End::Resolved;
    scope.end = now_;
  } else {
    touch(index);
  }
}

void Builder::member() {
  const TaskIndex task = get(events_.task[at_]);
  const TaskIndex scope = get(events_.other[at_]);
  touch(task);
  touch(scope);
  if (scope == no_index) return;
  model_.tasks[scope].is_scope = true;
  if (task != no_index && task != scope) model_.tasks[task].parent = scope;
}

void Builder::span_begin() {
  const TaskIndex task = get(events_.task[at_]);
  touch(task);
  if (const uint64_t number = events_.value[at_]; number != no_task)
    open_spans_[number] = static_cast<uint32_t>(model_.spans.size());
  // Open: it ends before it begins.
  model_.spans.push_back(
      {.start = now_, .end = UINT64_MAX, .task = task, .name = events_.text[at_]});
}

void Builder::span_end() {
  const TaskIndex task = get(events_.task[at_]);
  touch(task);
  const uint64_t number = events_.value[at_];
  const uint32_t open = open_spans_.find(number);
  if (open == IdMap::none) {  // it began before the trace
    model_.spans.push_back({.start = 0, .end = now_, .task = task, .name = events_.text[at_]});
    return;
  }
  model_.spans[open].end = now_;
  open_spans_[number] = IdMap::none;
}

// An arrow with one end, until the other end comes; their order depends on two clocks.
void Builder::message() {
  const bool sends = events_.kind[at_] == EventKind::Send;
  const TaskIndex task = get(events_.task[at_]);
  touch(task);
  Interaction message;
  message.from_time = now_ & time_mask;
  message.link = Link::Message;
  message.to_time = now_;
  message.from = sends ? task : no_index;
  message.to = sends ? no_index : task;
  const uint64_t correlation = events_.value[at_];
  const auto index = static_cast<uint32_t>(model_.interactions.size());
  if (correlation != no_task) {
    uint32_t& known = messages_[correlation];
    if (known != IdMap::none) {
      Interaction& other = model_.interactions[known];
      const bool other_sends = other.to == no_index;
      if (other_sends != sends) {
        message.from_time = other.from_time;
        (sends ? message.to : message.from) = sends ? other.to : other.from;
        drop(known);
      }
    }
    known = index;
  }
  model_.interactions.push_back(message);
}

void Builder::finish() {
  model_.end = events_.empty() ? 0 : events_.time[events_.size() - 1];
  executors_.finish(model_.end);
  if (options_.simplify && mirage_) simplify_binds(model_, beginnings_, binds_);
  end_open_tasks(model_);
  break_parent_cycles(model_);
  if (holes_) std::erase_if(model_.interactions, [](const auto& i) { return i.from == dropped; });
  for (Model::Span& span : model_.spans)
    if (span.end == UINT64_MAX)
      span.end = span.task == no_index ? model_.end
                                       : std::clamp(model_.tasks[span.task].end, span.start,
                                                    std::max(span.start, model_.end));
  order_by_start(model_.spans);
  order_by_start(model_.pauses);
  counters_.finish(trace_.strings);
}

}  // namespace

Model build_model(const Trace& trace, const ModelOptions& options) {
  return Builder(trace, options).build();
}

TaskIndex Model::find(TaskId id) const {
  const TaskIndex index = ids.find(id);
  return index < tasks.size() ? index : no_index;
}

TaskIndex Model::last_self(TaskIndex task) const {
  while (tasks[task].becomes != no_index) task = tasks[task].becomes;
  return task;
}

}  // namespace skein
