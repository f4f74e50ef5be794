#include "trace/export/table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/escape.h"
#include "trace/export/damaged_texts.h"
#include "trace/model/model.h"
#include "trace/model/names.h"

namespace skein {

namespace {

// Cells of a row, and its end.
class Row {
 public:
  explicit Row(Out& out) : out_(out) {}

  Row& number(uint64_t value) { return raw(std::to_string(value)); }
  Row& signed_number(uint64_t value) { return raw(std::to_string(static_cast<int64_t>(value))); }
  Row& task(TaskId id) { return id == no_task ? raw("") : number(id); }
  Row& text(std::string_view value) {
    if (value.find_first_of("\",\r\n") == std::string_view::npos && !value.starts_with(' ') &&
        !value.ends_with(' '))
      return raw(valid_utf8(value));
    std::string quoted = "\"";
    for (const char c : valid_utf8(value)) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return raw(quoted + '"');
  }
  Row& raw(std::string_view value) {
    if (!first_) out_.text() += ',';
    first_ = false;
    out_.text() += value;
    return *this;
  }
  void end() {
    out_.text() += "\r\n";
    first_ = true;
    out_.piece_done();
  }

 private:
  Out& out_;
  bool first_ = true;
};

void add_place(Row& row, const Trace& trace, uint32_t location) {
  const Location& at = trace.locations[location];
  row.text(trace.strings[at.file]);
  for (const uint32_t number : {at.line, at.column})
    if (number != 0)
      row.number(number);
    else
      row.raw("");
  row.text(trace.strings[at.function]);
}

// Does a 0 say something?
bool has_value(EventKind kind) {
  using K = EventKind;
  static constexpr std::array kinds = {
      K::Notify,  K::CounterAdd, K::CounterSet, K::SpanBegin, K::SpanEnd, K::Pause, K::Send,
      K::Receive, K::Clock,      K::Sample,     K::Capacity,  K::Io,      K::Lost};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace

LeftOut export_events_csv(const Trace& trace, Out& out) {
  out.text() +=
      "time_ns,executor,kind,task,other,value,text,type,file,line,column,function,flags\r\n";
  Row row(out);
  trace.events.for_each([&](const EventRow& event) {
    const bool has_kind = event.kind == EventKind::Create || event.kind == EventKind::Resource;
    row.number(event.time).number(event.executor).raw(name(event.kind));
    row.task(event.task).task(event.other);
    if (event.value == 0 ? !has_value(event.kind) : has_kind)
      row.raw("");
    else
      row.signed_number(event.value);
    row.text(trace.strings[event.text]);
    row.text(has_kind ? kind_name(trace, event.value) : "");
    add_place(row, trace, event.location);
    row.number(event.flags).end();
  });
  LeftOut left_out;
  left_out.add("names of executors", trace.executors.size());
  left_out.add("modules", trace.modules.size());
  add_damaged_texts(trace, left_out);
  left_out.add("entries of the table of live tasks", trace.alive.size());
  left_out.add("notes of what was lost in the original", trace.losses.size());
  return left_out;
}

LeftOut export_tasks_csv(const Trace& trace, Out& out) {
  static constexpr std::array<std::string_view, 5> states = {"open", "resolved", "failed",
                                                             "cancelled", "became"};
  const Model model = build_model(trace, {.simplify = false});
  std::vector<uint64_t> running(model.tasks.size());
  for (const Model::Activation& run : model.activations) running[run.task] += run.end - run.start;
  out.text() +=
      "id,kind,name,label,parent,start_ns,end_ns,state,should_resolve,running_ns,executor,file,"
      "line,column,function,becomes,reason\r\n";
  Row row(out);
  const auto id = [&](TaskIndex task) { return task == no_index ? no_task : model.tasks[task].id; };
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    row.number(task.id).text(kind_name(trace, task.kind)).text(trace.strings[task.name]);
    row.text(trace.strings[task.label]).task(id(task.parent)).number(task.start).number(task.end);
    row.raw(states[static_cast<size_t>(task.how)]).number(task.should_resolve);
    row.number(running[i]).number(task.executor);
    add_place(row, trace, task.location);
    row.task(id(task.becomes)).text(trace.strings[task.reason]).end();
  }
  LeftOut left_out;
  left_out.add("interactions", model.interactions.size());
  left_out.add("labels behind the first of a task", [&] {
    uint64_t first = 0;
    for (const Model::Task& task : model.tasks) first += task.label != 0;
    return model.labels.size() - std::min<uint64_t>(first, model.labels.size());
  }());
  left_out.add("counters", model.counters.size());
  add_damaged_texts(trace, left_out);
  left_out.add("spans", model.spans.size());
  return left_out;
}

}  // namespace skein
