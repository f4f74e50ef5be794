#include "trace/model/names.h"

#include "base/function_name.h"
#include "base/text.h"

namespace skein {

std::string task_name(const Trace& trace, StringId label, StringId name, uint32_t location) {
  if (label || name) return std::string(trace.strings[label ? label : name]);
  return short_function_name(trace.strings[trace.locations[location].function]);
}

std::string task_name(const Trace& trace, const Model::Task& task) {
  return task_name(trace, task.label, task.name, task.location);
}

std::string task_title(const Trace& trace, const Model::Task& task) {
  std::string title = task_name(trace, task);
  if (title.empty())
    title = kind_name(trace, task.kind);
  else if (const std::string kind = task.is_resource ? kind_name(trace, task.kind) : "";
           !kind.empty())
    title.insert(0, kind + ' ');
  const std::string number = '#' + std::to_string(task.id);
  return title.empty() ? number : title + " (" + number + ')';
}

std::string kind_name(const Trace& trace, uint64_t kind) {
  if (kind >= trace.kinds.size()) return "";
  const std::string_view text = trace.strings[trace.kinds[kind]];
  return text == "unknown" ? "" : std::string(text);
}

bool was_aborted(const Trace& trace, const Model::Task& task) {
  return task.failed() && trace.strings[task.reason] == "Operation canceled";
}

std::string executor_name(const Trace& trace, uint32_t index) {
  if (index < trace.executors.size()) {
    const Executor& executor = trace.executors[index];
    if (executor.name) return std::string(trace.strings[executor.name]);
    if (executor.tid) return "thread " + std::to_string(executor.tid);
  }
  return "executor " + std::to_string(index);
}

std::string sampled_note(const Trace& trace) {
  const uint64_t rate = trace.info.sample_rate;
  const bool has_switches = !trace.thread_states.empty();
  std::string source = "samples" + (rate == 0 ? "" : " at " + grouped(rate) + " Hz");
  if (has_switches) source = rate == 0 ? "context switches" : source + " and context switches";
  return "From " + source +
         ": a task is shown from its first sample to its last. When it began and ended, and what "
         "ran between two samples, is not known";
}

std::string executor_title(const Trace& trace, uint32_t index) {
  std::string title = executor_name(trace, index);
  if (index >= trace.executors.size()) return title;
  const Executor& executor = trace.executors[index];
  if (executor.name && executor.tid) title += '/' + std::to_string(executor.tid);
  return title;
}

std::string location_text(const Trace& trace, uint32_t location) {
  const Location& where = trace.locations[location];
  if (where.file == 0) return short_function_name(trace.strings[where.function]);
  std::string_view file = trace.strings[where.file];
  file = file.substr(file.rfind('/') + 1);  // npos + 1 == 0
  std::string text = short_function_name(trace.strings[where.function]);
  // The line matters more than the namespaces, which are dropped until the name is short.
  constexpr size_t short_enough = 24;
  for (size_t at = 0; text.size() > short_enough && (at = text.find("::")) != std::string::npos;)
    text.erase(0, at + 2);
  if (!text.empty()) text += ' ';
  return text + std::string(file) + ':' + std::to_string(where.line);
}

}  // namespace skein
