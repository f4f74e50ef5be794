#include "trace/ask/stopped_sends.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/stable_sort.h"
#include "trace/ask/other_end.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

using Object = Model::Object;
constexpr uint64_t shortest_stop = 1'000'000'000;  // ns
constexpr size_t fewest_sends = 3;                 // runs of the handler, with and without a send
constexpr size_t fewest_regular = 10;              // the same, if not each run started one

class StoppedSendFinder {
 public:
  explicit StoppedSendFinder(const Subject& subject)
      : s_(subject), model_(subject.model), ends_(subject.trace, subject.model) {}

  std::vector<StoppedSends> find() {
    std::vector<StoppedSends> found;
    for (uint32_t i = 0; i < model_.objects.size(); i++)
      if (model_.objects[i].end == Object::never && model_.objects[i].connection != 0)
        add(found, i);
    return found;
  }

 private:
  bool is_send(TaskIndex task) const {
    return s_.trace.strings[model_.tasks[task].name] == "socket.async_send";
  }
  uint64_t age(uint64_t time) const { return model_.end - std::min(model_.end, time); }

  void add(std::vector<StoppedSends>& found, uint32_t index) {
    TaskIndex last = no_index;        // send
    std::vector<TaskIndex> starters;  // the last first, each once
    for (uint32_t u = model_.objects[index].last_use; u != Object::none;
         u = model_.concerns[u].before) {
      const TaskIndex send = model_.concerns[u].task;
      if (!is_send(send)) continue;
      if (last == no_index) last = send;
      const TaskIndex by = starter(send);
      if (by == no_index || (!starters.empty() && !is_same_handler(by, starters.front()))) break;
      if (starters.empty() || starters.back() != by) starters.push_back(by);
    }
    if (starters.size() < fewest_sends || concerns(starters.front(), index) ||
        model_.tasks[last].how != Model::End::Resolved ||
        age(model_.tasks[last].end) < shortest_stop || !peer_waits(index))
      return;
    const std::vector<uint64_t>& runs = runs_of(starters.front());
    const auto run_of = [&](TaskIndex by) {
      return std::lower_bound(runs.begin(), runs.end(), s_.waits.first_run[by]);
    };
    const auto with = run_of(starters.front()) - run_of(starters.back()) + 1;
    const auto without = runs.end() - run_of(starters.front()) - 1;
    std::ptrdiff_t every = 1;
    if (static_cast<size_t>(with) != starters.size()) {
      if (starters.size() < fewest_regular) return;
      std::ptrdiff_t shortest = with;
      for (size_t i = 1; i < starters.size(); i++) {
        const auto distance = run_of(starters[i - 1]) - run_of(starters[i]);
        shortest = std::min(shortest, distance);
        every = std::max(every, distance);
      }
      if (every > shortest + 1 || without < every * std::ptrdiff_t{fewest_regular} ||
          !sends_elsewhere(starters.front(), index))
        return;
    } else if (without < std::ptrdiff_t{fewest_sends}) {
      return;
    }
    found.push_back({.last = last,
                     .starter = starters.front(),
                     .object = index,
                     .every = static_cast<uint64_t>(every),
                     .with = starters.size(),
                     .without = static_cast<uint64_t>(without)});
  }

  // The handler that started it, or the send of this chain of sends that came first.
  TaskIndex starter(TaskIndex send) const {
    TaskIndex by = model_.tasks[send].parent;
    while (by != no_index && is_send(by)) by = model_.tasks[by].parent;
    const bool is_handler = by != no_index && is_operation(s_.trace, model_.tasks[by]) &&
                            model_.tasks[by].location != 0;
    return is_handler ? by : no_index;
  }

  // A handler of the socket itself starts sends in answer to what it receives. Handlers of the same
  // place belong to other sessions.
  bool concerns(TaskIndex task, uint32_t socket) const {
    for (uint32_t u = model_.objects[socket].last_use; u != Object::none;
         u = model_.concerns[u].before)
      if (model_.concerns[u].task == task) return true;
    return false;
  }

  bool is_same_handler(TaskIndex a, TaskIndex b) const {
    return model_.tasks[a].name == model_.tasks[b].name &&
           model_.tasks[a].location == model_.tasks[b].location;
  }

  // Whether handlers like this that ran later have started a send on another socket.
  bool sends_elsewhere(TaskIndex like, uint32_t socket) const {
    const uint64_t since = s_.waits.first_run[like];
    for (size_t i = model_.concerns.size(); i-- > 0;) {
      const Model::Concern& use = model_.concerns[i];
      if (model_.tasks[use.task].start <= since) return false;
      if (use.object == socket || !is_send(use.task)) continue;
      const TaskIndex by = starter(use.task);
      if (by != no_index && is_same_handler(by, like) && s_.waits.first_run[by] > since)
        return true;
    }
    return false;
  }

  // The times at which handlers like this were invoked.
  const std::vector<uint64_t>& runs_of(TaskIndex like) {
    const Model::Task& task = model_.tasks[like];
    const auto [at, is_new] = runs_.try_emplace({task.name, task.location});
    std::vector<uint64_t>& runs = at->second;
    if (!is_new) return runs;
    for (TaskIndex i = 0; i < model_.tasks.size(); i++)
      if (is_same_handler(i, like) && s_.waits.first_run[i] != Waits::never)
        runs.push_back(s_.waits.first_run[i]);
    sort_numbers(runs);
    return runs;
  }

  bool peer_waits(uint32_t socket) const {
    const auto ends = ends_.find(socket);
    if (!ends) return false;
    const TaskIndex receive = ends->other.receives;
    return receive != no_index && model_.is_open(receive) &&
           age(model_.tasks[receive].start) >= shortest_stop;
  }

  const Subject s_;
  const Model& model_;
  const OtherEnds ends_;
  std::map<std::pair<StringId, uint32_t>, std::vector<uint64_t>> runs_;
};

}  // namespace

std::vector<StoppedSends> find_stopped_sends(const Subject& subject) {
  return StoppedSendFinder(subject).find();
}

}  // namespace skein
