#include "trace/ask/task_kinds.h"

#include "trace/model/names.h"

namespace skein {

namespace {

struct Kind {
  std::string_view name;
  KindClass kind_class;
};
constexpr Kind known_kinds[] = {
    // The most frequent kinds first.
    {"coroutine", KindClass::Runnable},  {"timer", KindClass::Operation},
    {"io", KindClass::Operation},        {"handler", KindClass::Handler},
    {"promise", KindClass::Promise},     {"fiber", KindClass::Runnable},
    {"generator", KindClass::Runnable},  {"sender", KindClass::Runnable},
    {"callback", KindClass::Callback},   {"work", KindClass::Callback},
    {"process", KindClass::Operation},   {"mutex", KindClass::Mutex},
    {"semaphore", KindClass::Semaphore}, {"condition", KindClass::Condition},
    {"channel", KindClass::Queue},       {"queue", KindClass::Queue},
};

}  // namespace

KindClass kind_class(std::string_view kind) {
  for (const Kind& one : known_kinds)
    if (one.name == kind) return one.kind_class;
  return KindClass::Other;
}

KindClass kind_class(const Trace& trace, const Model::Task& task) {
  if (task.kind >= trace.kinds.size()) return KindClass::Other;
  return kind_class(trace.strings[trace.kinds[task.kind]]);
}

bool sends(const Trace& trace, const Model& model, TaskIndex task) {
  const std::string_view name = trace.strings[model.tasks[task].name];
  return is_operation(trace, model.tasks[task]) &&
         (name.find("send") != name.npos || name.find("write") != name.npos);
}

bool is_channel_operation(const Trace& trace, const Model& model, TaskIndex task) {
  return is_operation(trace, model.tasks[task]) &&
         trace.strings[model.tasks[task].name].starts_with("channel.");
}

bool is_generator(const Trace& trace, const Model::Task& task) {
  return kind_name(trace, task.kind) == "generator";
}

}  // namespace skein
