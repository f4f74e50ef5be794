#include "view/viewer/task_text.h"

#include "base/function_name.h"

namespace skein {

std::string task_text(const Trace& trace, const Model& model, TaskIndex index) {
  if (index >= model.tasks.size()) return "the event loop";
  const Model::Task& task = model.tasks[index];
  std::string text = safe_text(trace.strings[task.label ? task.label : task.name], 100);
  if (text.empty()) text = kind_text(trace, task);
  return text + " (#" + std::to_string(task.id) + ")";
}

std::string executor_text(const Trace& trace, uint32_t executor) {
  std::string text = "executor " + std::to_string(executor);
  if (executor >= trace.executors.size()) return text;
  const Executor& known = trace.executors[executor];
  if (known.name != 0) text = safe_text(trace.strings[known.name], 100);
  if (known.tid != 0) text += " (thread " + std::to_string(known.tid) + ")";
  return text;
}

std::string kind_text(const Trace& trace, const Model::Task& task) {
  if (task.kind >= trace.kinds.size()) return "unknown";
  return safe_text(trace.strings[trace.kinds[task.kind]], 100);
}

std::string source_text(const Trace& trace, uint32_t location) {
  const Location& at = trace.locations[location];
  std::string text = safe_text(trace.strings[at.file]);
  if (at.line != 0) text.append(":").append(std::to_string(at.line));
  if (at.function != 0)
    text.append(" (")
        .append(safe_text(short_function_name(trace.strings[at.function]), 200))
        .append(")");
  return text;
}

std::string interval_text(uint64_t from, uint64_t to) {
  return duration_text(to > from ? static_cast<double>(to - from) : 0);
}

}  // namespace skein
