#include "trace/export/table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "trace/export/common_omissions.h"
#include "trace/model/model.h"
#include "trace/model/names.h"
#include "trace/read/event_schema.h"
#include "trace/read/event_value.h"

namespace skein {

namespace {

void add_task(TableWriter& table, TaskId id) {
  if (id == no_task)
    table.null();
  else
    table.number(id);
}

void add_text(TableWriter& table, std::string_view text) {
  if (text.empty())
    table.null();
  else
    table.text(text);
}

void add_location(TableWriter& table, const Trace& trace, uint32_t location) {
  const Location& at = trace.locations[location];
  add_text(table, trace.strings[at.file]);
  for (const uint32_t number : {at.line, at.column})
    if (number != 0)
      table.number(number);
    else
      table.null();
  add_text(table, trace.strings[at.function]);
}

}  // namespace

using ColumnType = TableColumn::Type;

const std::vector<TableColumn>& event_columns() {
  static const std::vector<TableColumn> columns = {{"time_ns"},
                                                   {"executor_id"},
                                                   {"kind", ColumnType::Text},
                                                   {"task"},
                                                   {"other"},
                                                   {"value", ColumnType::Signed},
                                                   {"text", ColumnType::Text},
                                                   {"task_kind", ColumnType::Text},
                                                   {"file", ColumnType::Text},
                                                   {"line"},
                                                   {"column"},
                                                   {"function", ColumnType::Text},
                                                   {"flags"}};
  return columns;
}

Omissions export_events(const Trace& trace, TableWriter& table) {
  trace.events.for_each([&](const EventRow& event) {
    const ValueRole role = event_schema(event.kind).value.role;
    table.number(event.time).number(event.executor).text(name(event.kind));
    add_task(table, event.task);
    add_task(table, event.other);
    if (event.value == 0 ? !is_number(role) : role == ValueRole::Kind)
      table.null();
    else
      table.number(is_number(role)
                       ? value_number(trace, event.kind, event.value).value_or(unknown_value)
                       : event.value);
    add_text(table, trace.strings[event.text]);
    add_text(table, role == ValueRole::Kind ? kind_name(trace, event.value) : "");
    add_location(table, trace, event.location);
    table.number(event.flags).end_row();
  });
  table.finish();
  Omissions omissions;
  omissions.add("executor names", trace.executors.size());
  add_omitted_tables(trace, omissions);
  omissions.add("domains and errors of clock readings", trace.clock_readings.size());
  add_damaged_texts(trace, omissions);
  omissions.add("entries of the live task table", trace.live_tasks.size());
  omissions.add("records of losses", trace.losses.size());
  return omissions;
}

const std::vector<TableColumn>& task_columns() {
  static const std::vector<TableColumn> columns = {{"id"},
                                                   {"kind", ColumnType::Text},
                                                   {"name", ColumnType::Text},
                                                   {"label", ColumnType::Text},
                                                   {"parent"},
                                                   {"start_ns"},
                                                   {"end_ns"},
                                                   {"state", ColumnType::Text},
                                                   {"should_resolve"},
                                                   {"running_ns"},
                                                   {"executor_id"},
                                                   {"file", ColumnType::Text},
                                                   {"line"},
                                                   {"column"},
                                                   {"function", ColumnType::Text},
                                                   {"becomes"},
                                                   {"reason", ColumnType::Text}};
  return columns;
}

Omissions export_tasks(const Trace& trace, TableWriter& table) {
  const Model model = build_model(trace, {.simplify = false});
  std::vector<uint64_t> running(model.tasks.size());
  for (const Model::Activation& run : model.activations) running[run.task] += run.end - run.start;
  const auto id = [&](TaskIndex task) { return task == no_index ? no_task : model.tasks[task].id; };
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    table.number(task.id);
    add_text(table, kind_name(trace, task.kind));
    add_text(table, trace.strings[task.name]);
    add_text(table, trace.strings[task.label]);
    add_task(table, id(task.parent));
    table.number(task.start);
    if (task.how == Model::End::Open || task.how == Model::End::Overwritten)
      table.null();
    else
      table.number(task.end);
    table.text(name(task.how));
    table.number(task.should_resolve).number(running[i]).number(task.executor);
    add_location(table, trace, task.location);
    add_task(table, id(task.becomes));
    add_text(table, trace.strings[task.reason]);
    table.end_row();
  }
  table.finish();
  Omissions omissions;
  omissions.add("interactions", model.interactions.size());
  omissions.add("labels after the first of a task", [&] {
    uint64_t first = 0;
    for (const Model::Task& task : model.tasks) first += task.label != 0;
    return model.labels.size() - std::min<uint64_t>(first, model.labels.size());
  }());
  omissions.add("counters", model.counters.size());
  add_damaged_texts(trace, omissions);
  omissions.add("spans", model.spans.size());
  return omissions;
}

}  // namespace skein
