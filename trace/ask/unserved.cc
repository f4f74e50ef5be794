#include "trace/ask/unserved.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/function_name.h"
#include "trace/ask/task_kinds.h"
#include "trace/ask/traffic.h"

namespace skein {

namespace {

constexpr uint64_t least_wait_ns = 1'000'000'000;
constexpr size_t least_uses = 2;
constexpr uint64_t near = 1024;  // bytes: parts of one object

// "rt::Queue" of "rt::Queue::pop"; empty: none.
std::string_view class_of(std::string_view function) {
  const size_t end = function.rfind("::");
  return end == std::string_view::npos ? std::string_view() : function.substr(0, end);
}

// Those that have ended waits like one.
struct Servers {
  TaskIndex only = no_index;  // the only one; no_index: none, or several
  size_t uses = 0;
  TaskIndex last = no_index;  // the last use: an operation, or a task that awaited the object
  uint32_t location = 0;      // of that
  bool several = false;

  void add(TaskIndex server, TaskIndex use, uint32_t where) {
    several |= server == no_index || (uses != 0 && only != server);
    only = several ? no_index : server;
    uses++;
    last = use;
    location = where;
  }
};

class ServerFinder {
 public:
  explicit ServerFinder(const Subject& subject) : s_(subject) {}

  Servers find(const Diagnosis& d) {
    const TaskIndex last = d.chain.back().task;
    if (d.verdict == Verdict::Unknown && d.awaited) return find_of_object(d, last);
    if (is_channel_operation(s_.trace, s_.model, last)) return find_of_channel(last);
    return {};
  }

 private:
  // Without parameters and template arguments.
  std::string_view function_at(uint32_t location) {
    const StringId function = s_.trace.locations[location].function;
    const auto [at, is_new] = names_.try_emplace(function);
    if (is_new) at->second = short_function_name(s_.trace.strings[function]);
    return at->second;
  }

  Servers find_of_channel(TaskIndex operation) const {
    Servers found;
    const Model::Object* channel = used_by(s_.model, operation);
    if (channel == nullptr || channel->pre_existing) return found;
    std::vector<TaskIndex> uses;
    for (uint32_t u = channel->last_use; u != Model::Object::none; u = s_.model.concerns[u].before)
      uses.push_back(s_.model.concerns[u].task);
    for (size_t i = uses.size(); i-- > 0;) {
      const Model::Task& use = s_.model.tasks[uses[i]];
      if (use.name != s_.model.tasks[operation].name) found.add(use.parent, uses[i], use.location);
    }
    return found;
  }

  Servers find_of_object(const Diagnosis& d, TaskIndex waiter) {
    Servers found;
    const uint32_t wait = d.chain.back().wait;
    if (wait == Waits::none || d.awaited->type == 0) return found;
    const std::string_view function = function_at(s_.waits.waits[wait].location);
    const std::string_view own = class_of(function);
    for (const AwaitedObject& use : s_.trace.awaited_objects) {
      const EventRow event = s_.trace.events.row(use.event);
      const TaskIndex task = s_.model.find(event.task);
      if (task == no_index || task == waiter) continue;
      const uint64_t apart =
          std::max(use.address, d.awaited->address) - std::min(use.address, d.awaited->address);
      const std::string_view there = function_at(event.location);
      const bool is_other_awaiter = apart == 0 && use.type != d.awaited->type;
      const bool is_other_member = !own.empty() && use.type == d.awaited->type && apart != 0 &&
                                   apart <= near && there != function && class_of(there) == own;
      if (is_other_awaiter || is_other_member) found.add(caller(task, own), task, event.location);
    }
    return found;
  }

  // The task that called the member functions of the class.
  TaskIndex caller(TaskIndex task, std::string_view of) {
    constexpr int deepest = 100;
    for (int depth = 0; depth < deepest && task != no_index; depth++) {
      const std::string_view function = function_at(s_.model.tasks[task].location);
      if (of.empty() || class_of(function) != of) return task;
      task = s_.model.tasks[task].parent;
    }
    return no_index;
  }

  const Subject& s_;
  std::unordered_map<StringId, std::string> names_ = {};  // by function
};

bool is_replaced(const Model& model, TaskIndex failed) {
  const Model::Task& of = model.tasks[failed];
  return std::any_of(model.tasks.begin(), model.tasks.end(), [&](const Model::Task& task) {
    return task.name == of.name && task.location == of.location && task.kind == of.kind &&
           task.how == Model::End::Open;
  });
}

}  // namespace

void add_unserved(const Subject& s, std::span<const Diagnosis> diagnoses,
                  std::vector<UnreadFailure>& failures) {
  if (failures.empty() || s.trace.info.overwritten_packets != 0) return;
  constexpr size_t most = 64;  // diagnoses with an object
  size_t objects = 0;
  ServerFinder finder(s);
  for (const Diagnosis& d : diagnoses) {
    const Diagnosis::Step& last = d.chain.back();
    if (!s.model.is_open(last.task) || d.fed_channel) continue;
    if (d.awaited && ++objects > most) continue;
    const uint64_t begin =
        last.wait == Waits::none ? s.model.tasks[last.task].start : s.waits.waits[last.wait].begin;
    const Servers servers = finder.find(d);
    if (servers.only == no_index || servers.uses < least_uses) continue;
    const Model::Task& server = s.model.tasks[servers.only];
    if (!server.failed() || is_replaced(s.model, servers.only) ||
        s.model.end - std::min(s.model.end, std::max(begin, server.end)) < least_wait_ns)
      continue;
    for (UnreadFailure& f : failures) {
      const Model::Task& of = s.model.tasks[f.origin];
      if (f.may_be_of_peer || of.name != server.name || of.location != server.location ||
          of.reason != server.reason)
        continue;
      const size_t tasks = 1 + d.similar.size();
      if (f.unserved)
        f.unserved->tasks += tasks;
      else
        f.unserved = {.first = last.task,
                      .tasks = tasks,
                      .since = begin,
                      .server = servers.only,
                      .last = servers.last,
                      .last_location = servers.location};
    }
  }
}

}  // namespace skein
