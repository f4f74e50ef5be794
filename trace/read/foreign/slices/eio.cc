#include "trace/read/foreign/slices/eio.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/read/foreign/slices/slices.h"
#include "trace/read/kinds.h"

namespace skein::fxt {

namespace {

class Eio {
 public:
  Eio(const Records& records, Trace& trace)
      : records_(records),
        trace_(trace),
        fiber_kind_(kind_index(trace, "fiber")),
        eio_(text("eio")),
        eio_span_(text("eio.span")),
        eio_suspend_(text("eio.suspend")),
        gc_(text("gc")),
        ocaml_(text("ocaml")),
        id_(text("id")),
        cc_(text("cc")),
        cpu_(text("cpu")),
        type_(text("type")),
        message_(text("message")),
        parent_(text("parent")),
        waker_(text("waker")) {}

  void read();

 private:
  struct Fiber {
    bool created = false;
    bool suspended = true;  // until it is first current
    bool ended = false;
    StringId error = 0;
    std::vector<TaskId> contexts;  // that it has entered, innermost last
    std::vector<uint64_t> spans;
  };
  struct Domain {
    TaskId current = no_task;
    TaskId spawned_by = no_task;
    bool started = false;
    uint64_t gc_since = 0;
    StringId gc = 0;
    size_t gc_depth = 0;
    std::vector<uint64_t> spans;
  };

  StringId text(std::string_view value) { return trace_.strings.intern(value); }
  uint64_t number(const Record& record, StringId name, uint64_t otherwise) const {
    const Argument* argument = records_.find(record, name);
    return argument ? argument->value : otherwise;
  }
  StringId string(const Record& record, StringId name) const {
    const Argument* argument = records_.find(record, name);
    return argument && argument->type == ArgumentType::String
               ? static_cast<StringId>(argument->value)
               : 0;
  }

  uint32_t executor(uint64_t domain);
  void look_at_thread(const Record& record);
  void append(EventRow row);
  void follow(const Record& record);
  void make_current(const Record& record);
  void create(const Record& record);
  void enter(const Record& record);
  void leave();
  void exit(const Record& record);
  void error(const Record& record);
  void suspend(const Record& record);
  void span(const Record& record);
  void pause(const Record& record);
  void spawn(const Record& record);

  const Records& records_;
  Trace& trace_;
  const uint64_t fiber_kind_;
  const StringId eio_, eio_span_, eio_suspend_, gc_, ocaml_, id_, cc_, cpu_, type_, message_,
      parent_, waker_;
  std::unordered_map<TaskId, Fiber> fibers_;
  std::map<uint64_t, uint32_t> executors_;   // by domain id
  std::vector<Domain> domains_;              // by executor
  std::map<StringId, uint32_t> operations_;  // values: indices into Trace::locations
  std::unordered_map<TaskId, uint32_t> ran_on_;
  std::unordered_map<TaskId, StringId> names_;
  std::unordered_map<TaskId, TaskId> roots_;  // domain contexts -> spawning fiber
  uint64_t next_span_ = 1;

  // Of the current record:
  uint64_t time_ = 0;
  uint8_t flags_ = 0;
  TaskId fiber_ = no_task;  // the fiber on whose thread it was recorded
  uint32_t executor_ = 0;
};

uint32_t Eio::executor(uint64_t domain) {
  const auto [found, added] =
      executors_.try_emplace(domain, static_cast<uint32_t>(domains_.size()));
  if (added) {
    domains_.push_back({});
    trace_.executors.resize(domains_.size());
    trace_.executors.back() = {.name = text("domain " + std::to_string(domain)),
                               .stream = static_cast<uint32_t>(domain)};
  }
  return found->second;
}

void Eio::look_at_thread(const Record& record) {
  const uint64_t thread = records_.threads[record.thread].id;
  fiber_ = no_task;
  executor_ = 0;
  if (thread % 4 == 2) {
    fiber_ = thread / 4;
    const auto found = ran_on_.find(fiber_);
    executor_ = found == ran_on_.end() ? executor(0) : found->second;
  } else {
    executor_ = executor(thread % 4 == 1 ? thread / 4 : 0);
  }
}

void Eio::append(EventRow row) {
  row.time = time_;
  row.executor = executor_;
  row.flags = flags_;
  trace_.events.append(row);
}

void Eio::make_current(const Record& record) {
  executor_ = executor(record.cpu);
  Domain& domain = domains_[executor_];
  const TaskId id = record.id;
  Fiber& fiber = fibers_[id];
  ran_on_[id] = executor_;
  // Recorded when it is created, and again when it runs.
  if (domain.current == id && !fiber.suspended) return;
  domain.current = id;
  const bool resumed = fiber.suspended;
  fiber.suspended = false;
  append({.task = id,
          .other = resumed ? number(record, waker_, no_task) : no_task,
          .kind = resumed ? EventKind::Resume : EventKind::SwitchTo});
}

void Eio::create(const Record& record) {
  const TaskId id = number(record, id_, no_task);
  if (id == no_task) return;
  TaskId context = number(record, cc_, no_task);
  TaskId by = fiber_;
  if (const auto root = roots_.find(context); root != roots_.end()) {
    if (by == no_task) by = root->second;
    context = no_task;
  }
  append({.task = id, .other = by, .value = fiber_kind_, .kind = EventKind::Create});
  // The name must be the first label, since logged messages become labels as well.
  if (const auto named = names_.find(id); named != names_.end())
    append({.task = id, .text = named->second, .kind = EventKind::Label});
  if (context != no_task) append({.task = id, .other = context, .kind = EventKind::ScopeMember});
  Fiber& fiber = fibers_[id];
  fiber = {};
  fiber.created = true;
  if (context != no_task) fiber.contexts.push_back(context);
}

void Eio::enter(const Record& record) {
  const TaskId id = number(record, id_, no_task);
  if (id == no_task) return;
  executor_ = executor(number(record, cpu_, trace_.executors[executor_].stream));
  if (fiber_ == no_task) {
    TaskId& by = domains_[executor_].spawned_by;
    roots_[id] = std::exchange(by, no_task);
    return;
  }
  fibers_[fiber_].contexts.push_back(id);
  append(
      {.task = fiber_, .other = id, .text = string(record, type_), .kind = EventKind::ScopeEnter});
}

void Eio::leave() {
  if (fiber_ == no_task) return;
  std::vector<TaskId>& contexts = fibers_[fiber_].contexts;
  if (contexts.empty()) return;  // began before the trace
  append({.task = fiber_, .other = contexts.back(), .kind = EventKind::ScopeExit});
  contexts.pop_back();
}

void Eio::exit(const Record& record) {
  const TaskId id = number(record, id_, no_task);
  if (id == no_task) return;
  Fiber& fiber = fibers_[id];
  append({.task = id,
          .other = id,
          .text = fiber.error,
          .kind = fiber.error ? EventKind::Fail : EventKind::Resolve});
  fiber.ended = true;
  for (Domain& domain : domains_)
    if (domain.current == id) domain.current = no_task;
}

// For a fiber: the error it will end with. For a context: cancels its members.
void Eio::error(const Record& record) {
  const TaskId id = number(record, id_, no_task);
  const StringId message = string(record, message_);
  if (id == no_task) return;
  const auto found = fibers_.find(id);
  if (found != fibers_.end() && found->second.created) {
    found->second.error = message;
    return;
  }
  if (roots_.contains(id)) return;
  append({.task = fiber_, .other = id, .text = message, .kind = EventKind::ScopeCancel});
  append({.task = id, .text = message, .kind = EventKind::Label});
}

void Eio::suspend(const Record& record) {
  if (fiber_ == no_task) return;
  uint32_t& location = operations_[record.name];
  if (location == 0 && record.name != 0) {
    location = static_cast<uint32_t>(trace_.locations.size());
    trace_.locations.push_back({.function = record.name});
  }
  append({.task = fiber_, .location = location, .kind = EventKind::Suspend});
  fibers_[fiber_].suspended = true;
  Domain& domain = domains_[executor_];
  if (domain.current == fiber_) domain.current = no_task;
}

void Eio::span(const Record& record) {
  std::vector<uint64_t>& open =
      fiber_ != no_task ? fibers_[fiber_].spans : domains_[executor_].spans;
  if (record.type == EventType::DurationBegin) {
    open.push_back(next_span_);
    append(
        {.task = fiber_, .value = next_span_++, .text = record.name, .kind = EventKind::SpanBegin});
    return;
  }
  // A span that began before the trace has no number.
  const uint64_t number = open.empty() ? next_span_++ : open.back();
  if (!open.empty()) open.pop_back();
  append({.task = fiber_, .value = number, .kind = EventKind::SpanEnd});
}

// The outermost phase is the pause.
void Eio::pause(const Record& record) {
  Domain& domain = domains_[executor_];
  if (record.type == EventType::DurationBegin) {
    if (domain.gc_depth++ > 0) return;
    domain.gc_since = time_;
    domain.gc = record.name;
    return;
  }
  if (domain.gc_depth == 0) {
    domain.gc_since = 0;
    domain.gc = record.name;
  } else if (--domain.gc_depth > 0) {
    return;
  }
  append({.value = time_ - domain.gc_since, .text = domain.gc, .kind = EventKind::Pause});
}

void Eio::spawn(const Record& record) {
  Domain& domain = domains_[executor_];
  domain.spawned_by = number(record, parent_, domain.spawned_by);
  if (domain.started) return;
  domain.started = true;
  append({.text = trace_.executors[executor_].name, .kind = EventKind::ExecutorBegin});
}

void Eio::follow(const Record& record) {
  time_ = record.time - trace_.info.start;
  flags_ = record.time_guessed ? flag::time_guessed : 0;
  if (record.kind == Record::Kind::Wakeup) return make_current(record);
  if (record.kind == Record::Kind::KernelObject || record.kind == Record::Kind::ContextSwitch)
    return;
  look_at_thread(record);
  if (record.kind == Record::Kind::UserObject) {
    if (roots_.contains(record.id)) return;
    const auto fiber = fibers_.find(record.id);
    if (fiber != fibers_.end() && fiber->second.created && names_[record.id] == record.name) return;
    return append({.task = record.id, .text = record.name, .kind = EventKind::Label});
  }
  if (record.kind == Record::Kind::Log)
    return append({.task = fiber_, .text = record.name, .kind = EventKind::Label});
  const std::string_view name = trace_.strings[record.name];
  const bool begins = record.type == EventType::DurationBegin;
  if (!begins && record.type != EventType::DurationEnd && record.type != EventType::Instant) return;
  const bool is_instant = record.type == EventType::Instant;
  if (record.category == eio_span_ && !is_instant) return span(record);
  if (record.category == eio_suspend_) return begins ? suspend(record) : void();
  if (record.category == gc_ && !is_instant) return pause(record);
  if (record.category == ocaml_ && name == "domain-terminate")
    return append({.kind = EventKind::ExecutorEnd});
  if (name == "domain-spawn") return spawn(record);
  if (record.category != eio_) return;
  if (name == "cc" && !is_instant) return begins ? enter(record) : leave();
  if (name == "suspend-domain" && !is_instant)
    return append({.kind = begins ? EventKind::Idle : EventKind::Wake});
  if (name == "create-fiber") return create(record);
  if (name == "exit-fiber") return exit(record);
  if (name == "error") return error(record);
  if (name == "log")
    append({.task = fiber_, .text = string(record, message_), .kind = EventKind::Label});
}

void Eio::read() {
  const std::vector<Record>& all = records_.records;
  const StringId create_fiber = text("create-fiber");
  for (const Record& record : all)
    if (record.kind == Record::Kind::KernelObject && record.id % 4 == 2)
      names_.try_emplace(record.id / 4, record.name);  // "fiber7"
  for (const Record& record : all)
    if (record.kind == Record::Kind::UserObject) names_[record.id] = record.name;
  for (size_t i = 0; i < all.size(); i++) {
    // A new fiber is recorded as current before its creation.
    const bool too_early = all[i].kind == Record::Kind::Wakeup && i + 1 < all.size() &&
                           all[i + 1].kind == Record::Kind::Event &&
                           all[i + 1].name == create_fiber && all[i + 1].time == all[i].time &&
                           number(all[i + 1], id_, no_task) == all[i].id;
    if (too_early) follow(all[i + 1]);
    follow(all[i]);
    if (too_early) i++;
  }
  // Phases that have not ended when the trace ends.
  for (executor_ = 0; executor_ < domains_.size(); executor_++)
    if (const Domain& domain = domains_[executor_]; domain.gc_depth > 0)
      append({.value = time_ - domain.gc_since, .text = domain.gc, .kind = EventKind::Pause});
}

}  // namespace

bool is_eio(const Records& records, const Trace& trace) {
  return std::any_of(records.records.begin(), records.records.end(), [&](const Record& record) {
    return record.kind == Record::Kind::Event && trace.strings[record.category] == "eio";
  });
}

void read_eio(const Records& records, Trace& trace) { Eio(records, trace).read(); }

}  // namespace skein::fxt
