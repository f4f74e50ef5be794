#include "view/viewer/panel/task_text.h"

#include <algorithm>

#include "trace/model/names.h"

namespace skein {

std::string task_text(const Trace& trace, const Model& model, TaskIndex index) {
  if (index >= model.tasks.size()) return "the event loop";
  const std::string title = task_title(trace, model.tasks[index]);
  const size_t id = std::min(title.rfind(" (#"), title.size());  // keeps the id of a long name
  return safe_text(std::string_view(title).substr(0, id), 100) + title.substr(id);
}

std::string executor_text(const Trace& trace, uint32_t executor) {
  return safe_text(executor_title(trace, executor), 100);
}

std::string kind_text(const Trace& trace, const Model::Task& task) {
  if (task.kind >= trace.kinds.size()) return "unknown";
  return safe_text(trace.strings[trace.kinds[task.kind]], 100);
}

std::string interval_text(uint64_t from, uint64_t to) {
  return duration_text(to > from ? static_cast<double>(to - from) : 0);
}

}  // namespace skein
