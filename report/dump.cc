#include "report/dump.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/escape.h"
#include "base/function_name.h"
#include "base/text.h"
#include "trace/model/names.h"
#include "trace/model/tasks.h"
#include "trace/read/event_schema.h"
#include "trace/read/event_value.h"

namespace skein {

class DumpReport::Lines {
 public:
  explicit Lines(const Trace& trace) : trace_(trace), tasks_(trace) {
    for (uint32_t i = 0; i < trace.executors.size(); i++) {
      std::string title = escaped(executor_title(trace, i));
      std::replace(title.begin(), title.end(), ' ', '_');  // so that lines can be split at spaces
      executors_.push_back({std::move(title), executor_json(i)});
    }
    const Events& events = trace.events;
    for (size_t i = 0; i < events.size(); i++)
      if (events.kind[i] == EventKind::Resource)
        resources_.try_emplace(events.other[i], events.text[i]);
  }

  void append_text(std::string& out, size_t index) const {
    const EventRow event = trace_.events.row(index);
    append_seconds(out, event.time);
    out += ' ';
    out += executor(event).title;
    out += ' ';
    task(out, event.task);
    label(out, event.task);
    out += ' ';
    out += name(event.kind);
    arguments(out, event);
    if (const AwaitedObject* object = trace_.find_awaited_object(index)) {
      (out += " object=") += address_text(object->address);
      out += " awaiter=\"";
      append_escaped(out, trace_.strings[object->type]);
      out += '"';
    }
    if (event.flags & flag::makes_current) out += " current";
    if (event.flags & flag::time_guessed) out += " time=guessed";
    if (event.location) location(out, trace_.locations[event.location]);
    out += '\n';
  }

  void append_json(std::string& out, size_t index) const {
    const EventRow event = trace_.events.row(index);
    out += "{\"time\":";
    append_number(out, event.time);
    out += ",\"executor\":";
    out += executor(event).json;
    const auto number = [&](std::string_view key, TaskId id) {
      if (id == no_task) return;
      ((out += ",\"") += key) += "\":";
      append_number(out, id);
    };
    const auto text = [&](std::string_view key, StringId id) {
      if (id == 0) return;
      ((out += ",\"") += key) += "\":";
      skein::append_json(out, trace_.strings[id]);
    };
    number("task", event.task);
    if (const TaskRegistry::Task* known = tasks_.find(event.task)) text("label", known->label);
    ((out += ",\"event\":\"") += name(event.kind)) += '"';
    number("other", event.other);
    const ValueRole role = event_schema(event.kind).value.role;
    if (role == ValueRole::Kind && event.value < trace_.kinds.size()) {
      text("kind", trace_.kinds[event.value]);
    } else if (const auto value = shown_value(event)) {
      out += ",\"value\":";
      append_value(out, role, *value);
    }
    if (role == ValueRole::ClockReading) {
      const ClockReading reading = clock_reading(trace_, event.value);
      number("domain", reading.domain);
      number("bracket", reading.bracket);
    }
    text("text", event.text);
    if (const AwaitedObject* object = trace_.find_awaited_object(index)) {
      ((out += ",\"object\":\"") += address_text(object->address)) += '"';
      text("awaiter", object->type);
    }
    if (event.flags & flag::makes_current) out += ",\"current\":true";
    if (event.flags & flag::time_guessed) out += ",\"time_guessed\":true";
    if (event.location) {
      const Location& at = trace_.locations[event.location];
      out += ",\"location\":{\"file\":";
      skein::append_json(out, trace_.strings[at.file]);
      out += ",\"line\":";
      append_number(out, at.line);
      out += ",\"function\":";
      skein::append_json(out, trace_.strings[at.function]);
      out += '}';
    }
    out += "}\n";
  }

 private:
  // Empty if the event has no number.
  std::optional<uint64_t> shown_value(const EventRow& event) const {
    const ValueRole role = event_schema(event.kind).value.role;
    if (role == ValueRole::Kind) return event.value;  // without a name
    return is_number(role) ? value_number(trace_, event.kind, event.value) : std::nullopt;
  }

  static void append_value(std::string& out, ValueRole role, uint64_t value) {
    if (role == ValueRole::Signed || role == ValueRole::ClockReading)
      append_signed(out, static_cast<int64_t>(value));
    else
      append_number(out, value);
  }

  // False for a peer, whose number is not an id of this trace, for a successor, which the next
  // lines name, and for a new resource, which this line names.
  static bool labels_other(const EventSchema& schema) {
    return schema.other.role != IdRole::Peer && schema.effect != Effect::Becomes &&
           schema.effect != Effect::CreatesOther;
  }

  void arguments(std::string& out, const EventRow& event) const {
    if (event.text) {
      out += " \"";
      append_escaped(out, trace_.strings[event.text]);
      out += '"';
    }
    const EventSchema& schema = event_schema(event.kind);
    if (event.other != no_task) {
      ((out += ' ') += schema.other.name.empty() ? "other" : schema.other.name) += '=';
      append_number(out, event.other);
      if (labels_other(schema)) label(out, event.other);
    }
    if (schema.value.role == ValueRole::ClockReading)
      number(out, "domain", clock_reading(trace_, event.value).domain);
    if (schema.value.role == ValueRole::Kind && event.value < trace_.kinds.size()) {
      ((out += ' ') += schema.value.name) += '=';
      append_escaped(out, trace_.strings[trace_.kinds[event.value]]);
    } else if (const auto value = shown_value(event)) {
      ((out += ' ') += schema.value.name) += '=';
      append_value(out, schema.value.role, *value);
    }
    if (schema.value.role == ValueRole::ClockReading)
      number(out, "bracket", clock_reading(trace_, event.value).bracket);
  }

  static void number(std::string& out, std::string_view name, uint64_t value) {
    ((out += ' ') += name) += '=';
    append_number(out, value);
  }

  static void task(std::string& out, TaskId id) {
    if (id == no_task)
      out += '-';
    else
      append_number(out, id);
  }

  // Appends the label, or a resource's name, in quotes; else the name it was created with, else its
  // function.
  void label(std::string& out, TaskId id) const {
    if (const auto found = resources_.find(id); found != resources_.end()) {
      if (!found->second) return;
      out += " \"";
      append_escaped(out, trace_.strings[found->second]);
      out += '"';
      return;
    }
    const TaskRegistry::Task* known = tasks_.find(id);
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

  void location(std::string& out, const Location& at) const {
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

  // Caches shortened names: there are few functions and many events.
  const std::string& function(StringId signature) const {
    const auto [found, added] = functions_.try_emplace(signature);
    if (added) found->second = short_function_name(trace_.strings[signature]);
    return found->second;
  }

  struct ExecutorText {
    std::string title, json;
  };

  // Like executor_json() of report/json.h, but on one line.
  std::string executor_json(uint32_t index) const {
    const Executor& executor = trace_.executors[index];
    std::string json = "{\"id\":" + std::to_string(index) + ",\"name\":";
    skein::append_json(json, trace_.strings[executor.name]);
    json += ",\"tid\":" + (executor.tid ? std::to_string(executor.tid) : "null");
    return json += '}';
  }

  const ExecutorText& executor(const EventRow& event) const {
    static const ExecutorText unknown{"?", "null"};
    return event.executor < executors_.size() ? executors_[event.executor] : unknown;
  }

  const Trace& trace_;
  TaskRegistry tasks_;
  std::vector<ExecutorText> executors_;
  std::unordered_map<TaskId, StringId> resources_;  // by id: the name
  mutable std::unordered_map<StringId, std::string> functions_;
};

DumpReport::DumpReport(const Trace& trace) : lines_(std::make_unique<Lines>(trace)) {}
DumpReport::~DumpReport() = default;

void DumpReport::append_text(std::string& out, size_t index) const {
  lines_->append_text(out, index);
}

void DumpReport::append_json(std::string& out, size_t index) const {
  lines_->append_json(out, index);
}

}  // namespace skein
