#include "trace/ask/branches.h"

#include <algorithm>
#include <unordered_map>

#include "trace/ask/task_kinds.h"

namespace skein {

std::vector<bool> awaitable_operator_names(const Trace& trace) {
  std::vector<bool> names;
  for (StringId id = 0; id < trace.strings.size(); id++) {
    const std::string_view name = trace.strings[id];
    if (name.find("awaitable_operators::operator") == name.npos) continue;
    names.resize(trace.strings.size());
    names[id] = true;
  }
  return names;
}

std::vector<Branches> find_branches(const Trace& trace, const Model& model,
                                    const std::vector<bool>& names,
                                    const std::vector<uint64_t>& first_run) {
  std::vector<Branches> found;
  if (names.empty()) return found;
  // By creator: its coroutines that are no operands yet, the last ones.
  std::unordered_map<TaskIndex, std::vector<TaskIndex>> made;
  constexpr size_t most = 64;  // nested operators
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    const Model::Task& task = model.tasks[index];
    if (task.is_resource || kind_class(trace, task) != KindClass::Runnable) continue;
    std::vector<TaskIndex>& before = made[task.parent];
    const StringId function = trace.locations[task.location].function;
    if ((names[task.name] || names[function]) && before.size() >= 2) {
      const Branches b{.operation = index, .operands = {before.end()[-2], before.back()}};
      const auto started_before = [&](TaskIndex operand) {
        return first_run[operand] < first_run[index];
      };
      if (std::none_of(b.operands.begin(), b.operands.end(), started_before)) {
        before.resize(before.size() - 2);
        if (task.how == Model::End::Open) found.push_back(b);
      }
    }
    if (before.size() == most) before.erase(before.begin());
    before.push_back(index);
  }
  return found;
}

}  // namespace skein
