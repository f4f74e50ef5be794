#include "trace/ask/branches.h"

#include <algorithm>
#include <unordered_map>

#include "trace/ask/task_kinds.h"

namespace skein {

bool is_awaitable_operator(std::string_view name) {
  return name.find("awaitable_operators::operator") != name.npos;
}

std::vector<Branches> find_branches(const Trace& trace, const Model& model,
                                    const std::vector<uint64_t>& first_run) {
  std::vector<bool> names(trace.strings.size());
  bool any = false;
  for (StringId id = 0; id < trace.strings.size(); id++)
    if (is_awaitable_operator(trace.strings[id])) any = names[id] = true;
  std::vector<Branches> found;
  if (!any) return found;
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
