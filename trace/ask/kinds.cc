#include "trace/ask/kinds.h"

namespace skein {

namespace {

struct Kind {
  std::string_view name;
  Nature nature;
};
constexpr Kind known[] = {
    // those first that many tasks have
    {"coroutine", Nature::Runnable},  {"timer", Nature::Operation},
    {"io", Nature::Operation},        {"handler", Nature::Handler},
    {"promise", Nature::Promise},     {"fiber", Nature::Runnable},
    {"generator", Nature::Runnable},  {"sender", Nature::Runnable},
    {"callback", Nature::Callback},   {"work", Nature::Callback},
    {"process", Nature::Operation},   {"mutex", Nature::Mutex},
    {"semaphore", Nature::Semaphore}, {"condition", Nature::Condition},
    {"channel", Nature::Queue},       {"queue", Nature::Queue},
};

}  // namespace

Nature nature_of(std::string_view kind) {
  for (const Kind& one : known)
    if (one.name == kind) return one.nature;
  return Nature::Other;
}

Nature nature_of(const Trace& trace, const Model::Task& task) {
  if (task.kind >= trace.kinds.size()) return Nature::Other;
  return nature_of(trace.strings[trace.kinds[task.kind]]);
}

}  // namespace skein
