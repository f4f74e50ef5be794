#include "trace/ask/find.h"

#include <algorithm>
#include <charconv>

#include "trace/model/names.h"

namespace skein {

std::vector<TaskIndex> find_tasks(const Trace& trace, const Model& model, std::string_view text) {
  TaskId id = 0;
  std::string_view digits = text.substr(text.starts_with('#') ? 1 : 0);
  if (const size_t at = text.rfind("(#"); at != std::string_view::npos && text.ends_with(')'))
    digits = text.substr(at + 2, text.size() - at - 3);  // as all commands print it
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

uint64_t end_of(const Model& model, TaskIndex task) {
  return model.is_open(task) ? model.end : model.tasks[task].end;
}

TaskIndex longest_of(const Model& model, const std::vector<TaskIndex>& tasks) {
  const auto duration = [&](TaskIndex task) {
    return end_of(model, task) - model.tasks[task].start;
  };
  const auto longest = std::max_element(tasks.begin(), tasks.end(),
                                        [&](auto a, auto b) { return duration(a) < duration(b); });
  return longest == tasks.end() ? no_index : *longest;
}

}  // namespace skein
