#include "trace/ask/fed_channels.h"

#include <algorithm>
#include <set>
#include <vector>

#include "trace/ask/traffic.h"

namespace skein {

namespace {

class FedChannelFinder {
 public:
  explicit FedChannelFinder(const Subject& subject) : s_(subject) {}

  std::optional<FedChannel> find(TaskIndex operation) {
    name_ = task(operation).name;
    may_continue_ = s_.trace.strings[name_].starts_with("channel.async_send");
    if (s_.trace.info.overwritten_packets != 0 ||
        !s_.trace.strings[name_].starts_with("channel.") || !visit(operation))
      return {};
    std::optional<FedChannel> first;
    // Each step may add another channel.
    for (size_t i = 0; i < pending_.size(); i++) {
      const auto found = examine(pending_[i]);
      if (!found) return {};
      if (i == 0) first = found;
    }
    if (is_wide_ && has_timer()) return {};
    first->since = since_;
    return first;
  }

 private:
  const Model::Task& task(TaskIndex index) const { return s_.model.tasks[index]; }

  // Adds the channel that the pending operation uses.
  bool visit(TaskIndex operation) {
    const Model::Object* channel = used_by(s_.model, operation);
    if (channel == nullptr || channel->pre_existing) return false;
    if (channels_.insert(channel).second) pending_.push_back(operation);
    since_ = std::max(since_, task(operation).start);
    return true;
  }

  // The operation on a channel that the task waits for, if it is one like the first. Else no_index.
  TaskIndex waits_for(TaskIndex index) const {
    const Waits::Wait* wait = index == no_index ? nullptr : s_.waits.open(index);
    const bool is_known = wait != nullptr && wait->is_open() && wait->on != no_index &&
                          task(index).how == Model::End::Open && task(wait->on).name == name_ &&
                          task(wait->on).how == Model::End::Open;
    return is_known ? wait->on : no_index;
  }

  std::optional<FedChannel> examine(TaskIndex operation) {
    const Model::Object* channel = used_by(s_.model, operation);
    FedChannel found;
    std::set<TaskIndex> tasks;
    std::set<TaskIndex> rivals;  // tasks that have completed such an operation as this one
    size_t done_same = 0;
    size_t done_other = 0;
    for (uint32_t u = channel->last_use; u != Model::Object::none;
         u = s_.model.concerns[u].before) {
      const Model::Task& use = task(s_.model.concerns[u].task);
      const bool is_done = use.how == Model::End::Resolved;
      (use.name == name_ ? done_same : done_other) += is_done;
      if (is_done && use.name == name_ && use.parent != no_index) rivals.insert(use.parent);
      if (use.name == name_) continue;
      if (use.parent == no_index) return {};
      if (tasks.empty()) found.last = s_.model.concerns[u].task;
      tasks.insert(use.parent);
    }
    // More has been received than the tasks have sent: others send by try_send(), and may again. Or
    // a task has received, does something else, and may send it back: the channel is a pool.
    if (!may_continue_ && (done_same > done_other || any_elsewhere(rivals, channel))) return {};
    for (const TaskIndex user : tasks) {
      const bool has_ended = task(user).how != Model::End::Open;
      if (!(has_ended ? add_successors(user, tasks, found) : add(user, channel, found))) return {};
    }
    found.tasks = tasks.size();
    if (tasks.empty()) return {};
    return found;
  }

  // Whether one of the tasks lives and does not wait for the same.
  bool any_elsewhere(const std::set<TaskIndex>& tasks, const Model::Object* channel) const {
    return std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex one) {
      const TaskIndex operation = waits_for(one);
      return s_.model.is_open(one) &&
             (operation == no_index || used_by(s_.model, operation) != channel);
    });
  }

  // The task must wait for a channel.
  bool add(TaskIndex waiter, const Model::Object* channel, FedChannel& found) {
    const TaskIndex operation = waits_for(waiter);
    if (operation == no_index) return false;
    members_.push_back(waiter);
    if (used_by(s_.model, operation) == channel) {
      since_ = std::max(since_, task(operation).start);
      return true;
    }
    is_wide_ = true;
    if (!may_continue_ || !visit(operation)) return false;
    if (found.next == no_index) found.next = operation;
    return true;
  }

  // Of a task that has ended. Its successors have not come to do what it did: those that have may
  // do it again before they wait like that.
  bool add_successors(TaskIndex ended, const std::set<TaskIndex>& users, FedChannel& found) {
    if (!may_continue_ || task(ended).location == 0) return false;
    is_wide_ = true;
    if (found.successor != no_index && is_like(found.successor, ended)) return true;
    const TaskIndex first = first_successor(ended);
    if (first == no_index) return false;
    for (TaskIndex i = first; i < s_.model.tasks.size(); i++)
      if (is_like(i, ended) && task(i).how == Model::End::Open &&
          (users.contains(i) || !add(i, nullptr, found)))
        return false;
    found.successor = first;
    return true;
  }
  bool is_like(TaskIndex a, TaskIndex b) const {
    return task(a).name == task(b).name && task(a).location == task(b).location &&
           task(a).kind == task(b).kind;
  }
  TaskIndex first_successor(TaskIndex ended) const {
    for (TaskIndex i = 0; i < s_.model.tasks.size(); i++)
      if (is_like(i, ended) && task(i).how == Model::End::Open) return i;
    return no_index;
  }

  // Whether one of the tasks, or one that waits for them, has created a timer that will expire.
  bool has_timer() const {
    std::set<TaskIndex> owners(members_.begin(), members_.end());
    // A waiter begins to wait before its target does.
    for (size_t i = s_.waits.waits.size(); i-- > 0;) {
      const Waits::Wait& wait = s_.waits.waits[i];
      if (wait.is_open() && wait.on != no_index && owners.contains(s_.model.last_self(wait.on)))
        owners.insert(wait.task);
    }
    return std::any_of(
        s_.model.concerns.begin(), s_.model.concerns.end(), [&](const Model::Concern& use) {
          return use.expires != 0 && use.expires != Model::Object::never &&
                 task(use.task).how == Model::End::Open && owners.contains(task(use.task).parent);
        });
  }

  const Subject& s_;
  StringId name_ = 0;          // of the operations
  bool may_continue_ = false;  // to other channels: a task may wait for messages for ever
  bool is_wide_ = false;       // several channels, or tasks instead of others
  uint64_t since_ = 0;
  std::set<const Model::Object*> channels_ = {};
  std::vector<TaskIndex> pending_ = {};  // an operation for each channel
  std::vector<TaskIndex> members_ = {};  // tasks that wait for them
};

}  // namespace

std::optional<FedChannel> find_fed_channel(const Subject& subject, TaskIndex operation) {
  return FedChannelFinder(subject).find(operation);
}

}  // namespace skein
