#include "cli/asked.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/escape.h"
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

nlohmann::ordered_json task_json(const Trace& trace, const Model& model, TaskIndex task) {
  if (task == no_index) return nullptr;
  return {{"id", model.tasks[task].id}, {"name", valid_utf8(task_name(trace, model.tasks[task]))}};
}

nlohmann::ordered_json place_json(const Trace& trace, uint32_t location) {
  if (location == 0 || location >= trace.locations.size()) return nullptr;
  const Location& place = trace.locations[location];
  return {{"file", valid_utf8(trace.strings[place.file])},
          {"line", place.line},
          {"function", valid_utf8(trace.strings[place.function])}};
}

}  // namespace skein::cli
