#include "trace/export/slices.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "trace/export/common_omissions.h"
#include "trace/model/names.h"
#include "trace/read/event_schema.h"
#include "trace/read/event_value.h"

namespace skein {

namespace {

using RecordType = SliceRecord::Type;

class SliceExporter {
 public:
  SliceExporter(const Trace& trace, SliceSink& sink)
      : trace_(trace), sink_(sink), model_(build_model(trace, {.simplify = false})) {}

  void info();
  void processes();
  void executors();
  void events();
  void slices();
  void flows();

 private:
  void begin(std::string_view event) {
    fields_.clear();
    text("event", event);
  }
  void number(std::string_view name, uint64_t value) {
    fields_.push_back({.name = name, .number = value});
  }
  void text(std::string_view name, std::string_view value) {
    fields_.push_back({.name = name, .is_text = true, .text = value});
  }
  void event(const EventRow& row);
  RecordType type_of(const EventRow& row);
  std::string name_of(TaskIndex task) const;
  uint32_t executor_at(TaskIndex task, uint64_t time) const;

  const Trace& trace_;
  SliceSink& sink_;
  const Model model_;
  std::vector<RecordField> fields_;
  std::unordered_map<TaskId, TaskIndex> open_;  // tasks with an open slice
  std::unordered_map<StringId, uint64_t> counters_;
  std::vector<std::vector<uint32_t>> runs_;  // by task, indices of activations
};

void SliceExporter::info() {
  const TraceInfo& info = trace_.info;
  begin("trace");
  text("format", info.format);
  const Process& process = trace_.processes[0];
  const std::string& host = trace_.machines[0].name;
  if (!host.empty()) text("host", host);
  if (!process.name.empty()) text("program", process.name);
  if (!info.clock.empty()) text("clock", info.clock);
  if (process.pid) number("pid", process.pid);
  if (info.utc_offset) number("utc_offset", static_cast<uint64_t>(*info.utc_offset));
  if (info.overwritten_packets) number("overwritten_packets", info.overwritten_packets);
  if (info.complete_from) number("complete_from", info.complete_from);
  sink_.event({.name = "trace", .fields = fields_});
}

// The fields that info() does not write.
void SliceExporter::processes() {
  const bool is_one = trace_.processes.size() == 1 && trace_.machines.size() == 1 &&
                      trace_.processes[0].machine == 0 && trace_.machines[0].boot_id.empty();
  if (is_one) return;
  for (size_t i = 0; i < trace_.machines.size(); i++) {
    const Machine& machine = trace_.machines[i];
    begin("machine");
    number("index", i);
    if (!machine.name.empty()) text("name", machine.name);
    if (!machine.boot_id.empty()) text("boot_id", machine.boot_id);
    sink_.event({.name = "machine", .fields = fields_});
  }
  for (size_t i = 0; i < trace_.processes.size(); i++) {
    const Process& process = trace_.processes[i];
    begin("process");
    number("index", i);
    if (process.pid) number("pid", process.pid);
    if (!process.name.empty()) text("name", process.name);
    if (process.machine) number("machine", process.machine);
    sink_.event({.name = "process", .fields = fields_});
  }
}

void SliceExporter::executors() {
  for (uint32_t i = 0; i < trace_.executors.size(); i++) {
    const Executor& executor = trace_.executors[i];
    begin("thread");
    number("index", i);
    const std::string_view name = trace_.strings[executor.name];
    if (!name.empty()) text("name", name);
    if (executor.tid) number("tid", executor.tid);
    if (executor.stream) number("stream", executor.stream);
    if (executor.process) number("process", executor.process);
    const std::string shown = executor_name(trace_, i);
    sink_.executor({.executor = i, .name = shown, .fields = fields_});
  }
}

void SliceExporter::events() {
  trace_.events.for_each([this](const EventRow& row) { event(row); });
}

// A task's slice begins and ends only once.
RecordType SliceExporter::type_of(const EventRow& row) {
  const EventSchema& schema = event_schema(row.kind);
  if (schema.text == TextRole::Counter) return RecordType::Counter;
  switch (schema.effect) {
    case Effect::Creates: {
      const bool added = open_.emplace(row.task, model_.find(row.task)).second;
      return added ? RecordType::AsyncBegin : RecordType::AsyncInstant;
    }
    case Effect::Ends:
    case Effect::Becomes:
      return open_.contains(row.task) ? RecordType::AsyncEnd : RecordType::Instant;
    default:
      return open_.contains(row.task) ? RecordType::AsyncInstant : RecordType::Instant;
  }
}

void SliceExporter::event(const EventRow& row) {
  begin(name(row.kind));
  const RecordType type = type_of(row);
  const EventSchema& schema = event_schema(row.kind);
  const ValueRole role = schema.value.role;
  if (type == RecordType::Counter) {
    uint64_t& counter = counters_[row.text];
    counter = row.kind == EventKind::CounterAdd ? counter + row.value : row.value;
    number("value", counter);
  } else if (role == ValueRole::Kind && row.value < trace_.kinds.size()) {
    text("type", trace_.strings[trace_.kinds[row.value]]);
  } else if (role == ValueRole::ClockReading) {
    const ClockReading reading = clock_reading(trace_, row.value);
    number("domain", reading.domain);
    number("ahead", static_cast<uint64_t>(reading.ahead));
    number("bracket", reading.bracket);
  } else if (role == ValueRole::Stack) {
    number("value", trace_.stacks.number(row.value));
  } else if (row.value != 0) {
    number("value", row.value);
  }
  if (row.task != no_task) number("task", row.task);
  if (row.other != no_task) number("other", row.other);
  const std::string_view said = trace_.strings[row.text];
  if (!said.empty() && type != RecordType::Counter) text("text", said);
  if (row.location < trace_.locations.size() && row.location != 0) {
    const Location& at = trace_.locations[row.location];
    if (at.file) text("file", trace_.strings[at.file]);
    if (at.function) text("function", trace_.strings[at.function]);
    if (at.line) number("line", at.line);
    if (at.column) number("column", at.column);
  }
  if (row.flags) number("flags", row.flags);
  std::string shown(name(row.kind));
  if (type == RecordType::AsyncBegin || type == RecordType::AsyncEnd)
    shown = name_of(open_.at(row.task));
  else if (type == RecordType::Counter || schema.text == TextRole::Label)
    shown = said;
  sink_.event({.type = type,
               .time = row.time,
               .id = row.task,
               .executor = row.executor,
               .name = shown,
               .fields = fields_});
  if (type == RecordType::AsyncEnd) open_.erase(row.task);
}

std::string SliceExporter::name_of(TaskIndex task) const {
  if (task == no_index) return "task";
  std::string text = task_name(trace_, model_.tasks[task]);
  if (text.empty()) text = kind_name(trace_, model_.tasks[task].kind);
  return text.empty() ? "task" : text;
}

void SliceExporter::slices() {
  for (const Model::Activation& run : model_.activations) {
    const std::string shown = name_of(run.task);
    sink_.slice({.start = run.start, .end = run.end, .executor = run.executor, .name = shown});
  }
}

// The executor on which the task last ran at that time; if it had not run, that of its creation.
uint32_t SliceExporter::executor_at(TaskIndex task, uint64_t time) const {
  const std::vector<uint32_t>& runs = runs_[task];
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), time,
                       [&](uint64_t t, uint32_t run) { return t < model_.activations[run].start; });
  if (after != runs.begin()) return model_.activations[*(after - 1)].executor;
  return model_.tasks[task].executor;
}

void SliceExporter::flows() {
  runs_.resize(model_.tasks.size());
  for (uint32_t i = 0; i < model_.activations.size(); i++)
    runs_[model_.activations[i].task].push_back(i);
  static constexpr std::array<std::string_view, 6> names = {
      "read", "read of a failure", "resolve", "notify", "await", "message"};
  for (size_t i = 0; i < model_.interactions.size(); i++) {
    const Model::Interaction& arrow = model_.interactions[i];
    if (arrow.from == no_index || arrow.to == no_index) continue;
    sink_.flow({.id = i + 1,
                .from_time = arrow.from_time,
                .to_time = arrow.to_time,
                .from_executor = executor_at(arrow.from, arrow.from_time),
                .to_executor = executor_at(arrow.to, arrow.to_time),
                .name = names[static_cast<size_t>(arrow.link)]});
  }
}

}  // namespace

void export_slices(const Trace& trace, SliceSink& sink, Omissions& omissions) {
  SliceExporter exporter(trace, sink);
  exporter.info();
  exporter.processes();
  exporter.executors();
  exporter.events();
  exporter.slices();
  exporter.flows();
  add_omitted_tables(trace, omissions);
  omissions.add("entries of the live task table", trace.live_tasks.size());
  omissions.add("records of losses", trace.losses.size());
}

}  // namespace skein
