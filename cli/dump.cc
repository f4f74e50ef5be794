// `skein dump`: one line per event, for eyes and grep, or one JSON object per line.
//
//    0.000012345 #0 7 "Netif.rx_poll" create by=3 kind=bind  server.cc:42
//    time, s  executor, task, label, event, arguments         place
#include <string>
#include <unordered_map>

#include "base/escape.h"
#include "base/function_name.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "cli/trace_input.h"
#include "trace/model/tasks.h"

namespace skein::cli {

namespace {

class Dump {
 public:
  explicit Dump(const Trace& trace) : trace_(trace), tasks_(trace) {
    for (size_t i = 0; i < trace.executors.size(); i++) {
      const Executor& executor = trace.executors[i];
      std::string name = escaped(trace.strings[executor.name]);
      for (char& c : name)
        if (c == ' ') c = '_';  // so that columns can be split at blanks
      if (executor.tid) name += (name.empty() ? "" : "/") + std::to_string(executor.tid);
      executors_.push_back(name.empty() ? "#" + std::to_string(i) : name);
    }
    const Events& events = trace.events;
    for (size_t i = 0; i < events.size(); i++)
      if (events.kind[i] == EventKind::Resource)
        resources_.try_emplace(events.other[i], events.text[i]);
  }

  void text_line(std::string& out, size_t index) const {
    const EventRow event = trace_.events.row(index);
    append_seconds(out, event.time);
    out += ' ';
    out += executor(event);
    out += ' ';
    task(out, event.task);
    label(out, event.task);
    out += ' ';
    out += name(event.kind);
    arguments(out, event);
    if (event.flags & flag::makes_current) out += " current";
    if (event.flags & flag::time_guessed) out += " time=guessed";
    if (event.location) place(out, trace_.locations[event.location]);
    out += '\n';
  }

  void json_line(std::string& out, size_t index) const {
    const EventRow event = trace_.events.row(index);
    out += "{\"time\":";
    append_number(out, event.time);
    out += ",\"executor\":";
    append_json(out, executor(event));
    const auto number = [&](std::string_view key, TaskId id) {
      if (id == no_task) return;
      ((out += ",\"") += key) += "\":";
      append_number(out, id);
    };
    const auto text = [&](std::string_view key, StringId id) {
      if (id == 0) return;
      ((out += ",\"") += key) += "\":";
      append_json(out, trace_.strings[id]);
    };
    number("task", event.task);
    if (const TaskTable::Task* known = tasks_.find(event.task)) text("label", known->label);
    ((out += ",\"event\":\"") += name(event.kind)) += '"';
    number("other", event.other);
    switch (value_type(event)) {
      case Value::None:
        break;
      case Value::Kind:
        text("kind", trace_.kinds[event.value]);
        break;
      case Value::Signed:
        out += ",\"value\":";
        append_signed(out, static_cast<int64_t>(event.value));
        break;
      case Value::Number:
        number("value", event.value);
        break;
    }
    text("text", event.text);
    if (event.flags & flag::makes_current) out += ",\"current\":true";
    if (event.flags & flag::time_guessed) out += ",\"time_guessed\":true";
    if (event.location) {
      const Location& at = trace_.locations[event.location];
      text("file", at.file);
      text("function", at.function);
      number("line", at.line);
    }
    out += "}\n";
  }

 private:
  enum class Value { None, Kind, Number, Signed };

  Value value_type(const EventRow& event) const {
    switch (event.kind) {
      case EventKind::Create:
      case EventKind::Resource:
        return event.value < trace_.kinds.size() ? Value::Kind : Value::Number;
      case EventKind::CounterAdd:
      case EventKind::CounterSet:
      case EventKind::Io:
      case EventKind::Clock:
        return Value::Signed;
      case EventKind::Notify:
        return event.value == unknown_value ? Value::None : Value::Number;
      case EventKind::SpanBegin:
      case EventKind::SpanEnd:
      case EventKind::Pause:
      case EventKind::Capacity:
      case EventKind::Send:
      case EventKind::Receive:
      case EventKind::Sample:
      case EventKind::Lost:
        return Value::Number;
      default:
        return Value::None;
    }
  }

  // What the second party is called, and what the number.
  static std::string_view other_name(EventKind kind) {
    switch (kind) {
      case EventKind::Create:
      case EventKind::Resume:
      case EventKind::Resolve:
      case EventKind::Fail:
      case EventKind::Cancel:
        return "by";
      case EventKind::Suspend:
      case EventKind::Await:
        return "on";
      case EventKind::Ready:
      case EventKind::TryRead:
        return "input";
      case EventKind::Become:
        return "into";
      case EventKind::Notify:
        return "from";
      case EventKind::Acquire:
      case EventKind::Release:
      case EventKind::Resource:
      case EventKind::Capacity:
        return "resource";
      case EventKind::ScopeEnter:
      case EventKind::ScopeExit:
      case EventKind::ScopeCancel:
      case EventKind::ScopeMember:
        return "scope";
      case EventKind::Send:
      case EventKind::Receive:
        return "peer";
      case EventKind::Clock:
        return "bracket";
      case EventKind::Io:
        return "operation";
      default:
        return "other";
    }
  }

  // A peer and a clock domain are numbers of another kind; what a task becomes is named on the next
  // lines; a resource that is made, on this one.
  static bool names_other(EventKind kind) {
    return kind != EventKind::Send && kind != EventKind::Receive && kind != EventKind::Clock &&
           kind != EventKind::Become && kind != EventKind::Resource;
  }

  static std::string_view value_name(EventKind kind) {
    switch (kind) {
      case EventKind::Create:
      case EventKind::Resource:
        return "kind";
      case EventKind::CounterAdd:
        return "amount";
      case EventKind::Notify:
        return "woken";
      case EventKind::Pause:
        return "ns";
      case EventKind::Capacity:
        return "capacity";
      case EventKind::Send:
      case EventKind::Receive:
        return "correlation";
      case EventKind::Sample:
        return "stack";
      case EventKind::Io:
        return "result";
      case EventKind::SpanBegin:
      case EventKind::SpanEnd:
        return "span";
      case EventKind::Lost:
        return "events";
      default:
        return "value";
    }
  }

  void arguments(std::string& out, const EventRow& event) const {
    if (event.text) {
      out += " \"";
      append_escaped(out, trace_.strings[event.text]);
      out += '"';
    }
    if (event.other != no_task) {
      ((out += ' ') += other_name(event.kind)) += '=';
      append_number(out, event.other);
      if (names_other(event.kind)) label(out, event.other);
    }
    const Value type = value_type(event);
    if (type == Value::None) return;
    ((out += ' ') += value_name(event.kind)) += '=';
    if (type == Value::Kind)
      append_escaped(out, trace_.strings[trace_.kinds[event.value]]);
    else if (type == Value::Signed)
      append_signed(out, static_cast<int64_t>(event.value));
    else
      append_number(out, event.value);
  }

  static void task(std::string& out, TaskId id) {
    if (id == no_task)
      out += '-';
    else
      append_number(out, id);
  }

  // Its label, or a resource's name, in quotes; else the name it was created by, else the function
  // it is.
  void label(std::string& out, TaskId id) const {
    if (const auto found = resources_.find(id); found != resources_.end()) {
      if (!found->second) return;
      out += " \"";
      append_escaped(out, trace_.strings[found->second]);
      out += '"';
      return;
    }
    const TaskTable::Task* known = tasks_.find(id);
    if (!known) return;
    if (known->label) {
      out += " \"";
      append_escaped(out, trace_.strings[known->label]);
      out += '"';
      return;
    }
    const StringId signature =
        known->location < trace_.locations.size() ? trace_.locations[known->location].function : 0;
    if (!known->name && !signature) return;
    out += ' ';
    append_escaped(out, known->name ? trace_.strings[known->name] : function(signature));
  }

  // Nothing where the file is not known.
  void place(std::string& out, const Location& at) const {
    if (at.file == 0 && at.function == 0) return;
    out += "  ";
    append_escaped(out, trace_.strings[at.file]);
    if (at.line) {
      out += ':';
      append_number(out, at.line);
    }
    if (at.function) {
      out += ' ';
      append_escaped(out, function(at.function));
    }
  }

  // Shortened once each: there are few functions and many events.
  const std::string& function(StringId signature) const {
    const auto [found, added] = functions_.try_emplace(signature);
    if (added) found->second = short_function_name(trace_.strings[signature]);
    return found->second;
  }

  std::string_view executor(const EventRow& event) const {
    return event.executor < executors_.size() ? std::string_view(executors_[event.executor]) : "#?";
  }

  const Trace& trace_;
  TaskTable tasks_;
  std::vector<std::string> executors_;
  std::unordered_map<TaskId, StringId> resources_;  // by id: the name
  mutable std::unordered_map<StringId, std::string> functions_;
};

}  // namespace

int run_dump(const DumpOptions& options) {
  const Trace trace = open_trace(options.trace);
  const Dump dump(trace);
  Output out(stdout);
  for (size_t i = 0; i < trace.events.size(); i++) {
    if (options.json)
      dump.json_line(out.text(), i);
    else
      dump.text_line(out.text(), i);
    out.line_done();
  }
  out.finish();
  if (!trace.losses.empty())
    std::fprintf(stderr, "skein: %zu places in this trace are damaged; see `skein info`\n",
                 trace.losses.size());
  return 0;
}

}  // namespace skein::cli
