#include "cli/asked.h"

#include <algorithm>
#include <charconv>

#include "cli/running.h"
#include "cli/trace_input.h"
#include "trace/model/names.h"

namespace skein::cli {

Asked open_asked(const std::string& trace_or_pid) {
  const std::string path = trace_directory(trace_or_pid);
  Asked asked{.trace = open_trace(path), .model = {}, .waits = {}};
  report_losses(asked.trace, path);
  asked.model = build_model(asked.trace, {.simplify = false});
  asked.waits = find_waits(asked.trace, asked.model);
  return asked;
}

std::vector<TaskIndex> find_tasks(const Trace& trace, const Model& model, const std::string& text) {
  TaskId id = 0;
  const std::string_view digits = std::string_view(text).substr(text.starts_with('#') ? 1 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error == std::errc() && end == digits.data() + digits.size())
    if (const TaskIndex task = model.find(id); task != no_index) return {task};
  std::vector<TaskIndex> found;
  for (TaskIndex task = 0; task < model.tasks.size(); task++)
    if (!model.tasks[task].is_resource && task_name(trace, model.tasks[task]) == text)
      found.push_back(task);
  for (const Model::Label& label : model.labels)
    if (trace.strings[label.text] == text) found.push_back(label.task);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace skein::cli
