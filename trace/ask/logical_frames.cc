#include "trace/ask/logical_frames.h"

#include <algorithm>
#include <string_view>

#include "base/awaiter_type.h"
#include "base/function_name.h"
#include "trace/model/names.h"

namespace skein {

namespace {

// "(anonymous)::bell"; of a type within a function, whose signature may be long, the last name.
std::string object_name(std::string_view awaiter) {
  const std::string_view type = object_type(awaiter);
  if (type.find('(') == type.npos || type.starts_with("(anonymous")) return std::string(type);
  const size_t last = type.rfind("::");
  return std::string(last == type.npos ? type : type.substr(last + 2));
}

}  // namespace

LogicalFrames::LogicalFrames(const Subject& subject)
    : trace_(subject.trace),
      model_(subject.model),
      by_name_(trace_.strings.size()),
      by_location_(trace_.locations.size()) {
  if (!model_.labels.empty() || !trace_.live_tasks.empty()) count_labels();
}

void LogicalFrames::count_labels() {
  for (const Model::Task& task : model_.tasks) {
    if (task.label == 0) continue;
    std::vector<StringId>& labels = labels_[key_of(task).hash()];
    if (labels.size() <= most_labels &&
        std::find(labels.begin(), labels.end(), task.label) == labels.end())
      labels.push_back(task.label);
  }
}

LogicalFrames::Key LogicalFrames::key_of(const Model::Task& task) const {
  return {.name = task.name,
          .location = task.name == 0 ? task.location : 0,
          .kind = task.kind,
          .sort = task.is_resource ? Sort::Resource : Sort::Task};
}

uint32_t LogicalFrames::add(const Model::Task& task) {
  Key key = key_of(task);
  if (task.label != 0) {
    const auto labels = labels_.find(key.hash());
    if (labels != labels_.end() && labels->second.size() <= most_labels) key.label = task.label;
  }
  return table_.add(key);
}

std::string LogicalFrames::text(uint32_t name, uint32_t location) const {
  const Key& key = table_[name];
  if (key.sort == Sort::Object) return object_name(trace_.strings[key.name]);
  std::string text = task_name(trace_, 0, key.name, key.location);
  const std::string kind = kind_name(trace_, key.kind);
  if (key.sort == Sort::Resource && !text.empty() && !kind.empty()) text.insert(0, kind + ' ');
  const std::string_view label = trace_.strings[key.label];
  if (text.empty())
    text = label;
  else if (!label.empty() && label != text)
    text += " [" + std::string(label) + ']';
  if (text.empty()) text = kind.empty() ? "task" : kind;
  const Location& where = trace_.locations[location];
  // Without a file, the function is the name of a wait, as FXT of Eio has it.
  if (where.file == 0)
    return where.function == 0
               ? text
               : text + " (" + short_function_name(trace_.strings[where.function]) + ')';
  const std::string_view file = trace_.strings[where.file];
  return text + " (" + std::string(file.substr(file.rfind('/') + 1)) + ':' +
         std::to_string(where.line) + ')';
}

}  // namespace skein
