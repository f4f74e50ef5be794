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
      by_name_(trace_.strings.size()),
      by_location_(trace_.locations.size()) {}

LogicalFrames::Key LogicalFrames::key_of(const Model::Task& task) {
  return {.name = task.name,
          .location = task.name == 0 ? task.location : 0,
          .kind = task.kind,
          .sort = task.is_resource ? Sort::Resource : Sort::Task};
}

void LogicalFrames::count_label(uint32_t name, StringId label) {
  if (name >= labels_.size()) labels_.resize(name + 1);
  std::vector<StringId>& labels = labels_[name];
  if (labels.size() <= most_labels &&
      std::find(labels.begin(), labels.end(), label) == labels.end())
    labels.push_back(label);
}

uint32_t LogicalFrames::with_label(uint32_t name, StringId label) {
  if (labels_[name].size() > most_labels) return name;
  Key key = table_[name];
  key.label = label;
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
