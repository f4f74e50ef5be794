#include "trace/ask/broken_chains.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/stable_sort.h"
#include "trace/ask/stopped_sends.h"
#include "trace/model/names.h"
#include "trace/read/connection.h"

namespace skein {

namespace {

using Object = Model::Object;

// By task: whether its handler started, woke or cancelled anything, or a task waits for it.
std::vector<bool> find_continued(const Subject& s) {
  const Model& model = s.model;
  std::vector<bool> continued(model.tasks.size());
  const auto set = [&](TaskIndex task) {
    if (task != no_index) continued[task] = true;
  };
  for (const Model::Task& task : model.tasks) set(task.parent);
  for (const Waits::Wait& wait : s.waits.waits) {
    set(wait.on);
    set(wait.waker);
  }
  for (const Waits::Notification& notification : s.waits.notifications) set(notification.by);
  for (const Model::Cancel& cancel : model.cancels) set(cancel.by);
  for (const Object& object : model.objects) {
    set(object.maker);
    set(object.ended_by);
  }
  return continued;
}

bool is(const Trace& trace, const Object& object, std::string_view kind) {
  return object.end == Object::never && kind_name(trace, object.kind) == kind;
}

// The operation of the object that ended last, which may have begun before others.
TaskIndex last_to_end(const Model& model, const Object& object) {
  TaskIndex last = model.concerns[object.last_use].task;
  for (uint32_t i = object.last_use; i != Object::none; i = model.concerns[i].before)
    if (model.tasks[model.concerns[i].task].end > model.tasks[last].end)
      last = model.concerns[i].task;
  return last;
}

// Whether an operation of the object is pending.
bool is_used(const Model& model, const Object& object) {
  for (uint32_t i = object.last_use; i != Object::none; i = model.concerns[i].before)
    if (model.is_open(model.concerns[i].task)) return true;
  return false;
}

// Whether the handler of each of the last waits for a timer began the next, and the program has run
// for longer than that since.
bool was_periodic(const Model& model, const Object& timer) {
  constexpr int fewest = 3;
  constexpr uint64_t shortest_rest = 100'000'000;  // ns
  const Model::Concern* last = &model.concerns[timer.last_use];
  const uint64_t end = model.tasks[last->task].end;
  uint64_t begin = end;
  for (int i = 0; i < fewest; i++) {
    const Model::Task& task = model.tasks[last->task];
    if (task.how != Model::End::Resolved || last->before == Object::none) return false;
    const Model::Concern* before = &model.concerns[last->before];
    const Model::Task& earlier = model.tasks[before->task];
    if (task.parent != before->task || task.name != earlier.name ||
        task.location != earlier.location)
      return false;
    begin = std::min(begin, earlier.start);
    last = before;
  }
  return model.end - end > std::max(end - begin, shortest_rest);
}

// The last receive of a socket, if a task cancelled it, and only sends began since.
std::optional<BrokenChain> cancelled_receive(const Subject& s, uint32_t index) {
  const Model& model = s.model;
  const Object& socket = model.objects[index];
  BrokenChain found{.object = index};
  for (uint32_t u = socket.last_use; u != Object::none; u = model.concerns[u].before) {
    const Model::Task& task = model.tasks[found.last = model.concerns[u].task];
    const std::string_view name = s.trace.strings[task.name];
    if (name != "socket.async_send") {
      if (name != "socket.async_receive" || task.how != Model::End::Failed) return {};
      break;
    }
    found.later++;
  }
  const Model::Task& receive = model.tasks[found.last];
  found.cancel = socket.last_cancel;
  while (found.cancel != Object::none && model.cancels[found.cancel].time > receive.end)
    found.cancel = model.cancels[found.cancel].before;
  if (found.later == 0 || found.cancel == Object::none ||
      model.cancels[found.cancel].time < receive.start)
    return {};
  return found;
}

bool accepts(const Subject& s, TaskIndex task) {
  return s.trace.strings[s.model.tasks[task].name].starts_with("socket.async_accept");
}

// How many handlers of an acceptor started the next accept themselves.
uint64_t repeated_accepts(const Model& model, const Object& acceptor) {
  uint64_t count = 0;
  for (uint32_t u = acceptor.last_use; u != Object::none; u = model.concerns[u].before) {
    const uint32_t before = model.concerns[u].before;
    count += before != Object::none &&
             model.tasks[model.concerns[u].task].parent == model.concerns[before].task;
  }
  return count;
}

// Counts the connections that wait in the queue of an acceptor that accepts no longer.
void add_unaccepted(const Subject& s, BrokenChain& chain) {
  const std::string_view own = s.trace.strings[s.model.objects[chain.object].connection];
  const uint64_t since = s.model.tasks[chain.last].end;
  if (!accepts(s, chain.last) || own.empty() || has_peer(own)) return;
  const std::string_view address = peer_in(own);
  std::set<std::string_view> open;  // connections
  for (const Object& object : s.model.objects)
    if (object.end == Object::never && object.connection != 0)
      open.insert(s.trace.strings[object.connection]);
  for (uint32_t i = 0; i < s.model.objects.size(); i++) {
    const Object& object = s.model.objects[i];
    const std::string_view connection = s.trace.strings[object.connection];
    chain.closed_since += object.end != Object::never && object.end > since &&
                          has_peer(connection) &&
                          peer_in(connection_of_peer(connection)) == address;
    if (object.start < since || object.end != Object::never || !has_peer(connection) ||
        peer_in(connection) != address || open.contains(connection_of_peer(connection)))
      continue;
    if (chain.unaccepted++ == 0) chain.first_unaccepted = i;
  }
}

}  // namespace

std::vector<BrokenChain> broken_chains(const Subject& subject) {
  const Model& model = subject.model;
  const std::vector<bool> continued = find_continued(subject);
  using Place = std::pair<StringId, uint32_t>;
  const auto place_of = [&](TaskIndex task) {
    return Place(model.tasks[task].name, model.tasks[task].location);
  };
  std::map<Place, BrokenChain> groups;
  std::map<Place, uint64_t> handlers;  // of accepts: those that started the next one
  for (uint32_t i = 0; i < model.objects.size(); i++) {
    const Object& object = model.objects[i];
    const bool is_timer = is(subject.trace, object, "alarm");
    if (object.last_use == Object::none || (!is_timer && !is(subject.trace, object, "socket")))
      continue;
    if (is_timer && !was_periodic(model, object)) continue;
    const TaskIndex last =
        is_timer ? model.concerns[object.last_use].task : last_to_end(model, object);
    const auto add = [&](const BrokenChain& chain) {
      groups.try_emplace(place_of(chain.last), chain).first->second.count++;
    };
    if (const auto receive = is_timer ? std::nullopt : cancelled_receive(subject, i))
      add(*receive);
    else if (model.tasks[last].how == Model::End::Resolved && !is_used(model, object)) {
      // The handler of an accept starts something for the connection, whether it accepts again or
      // not.
      const bool is_accept = accepts(subject, last) && continued[last];
      const uint64_t repeated = is_accept ? repeated_accepts(model, object) : 0;
      if (repeated > 0 || !continued[last]) add({.last = last, .object = i, .is_timer = is_timer});
      if (repeated > 0) handlers[place_of(last)] += repeated;
    }
  }
  for (TaskIndex i = 0; !groups.empty() && i < model.tasks.size(); i++) {
    const auto group = groups.find(place_of(i));
    if (group != groups.end() && continued[i]) group->second.continued++;
  }
  std::vector<BrokenChain> found;
  for (auto& [place, group] : groups)
    if (group.continued > 0) {
      if (handlers.contains(place)) group.continued = handlers[place];
      found.push_back(group);
      add_unaccepted(subject, found.back());
    }
  std::map<Place, BrokenChain> sends;
  for (const StoppedSends& one : find_stopped_sends(subject)) {
    const Model::Task& task = model.tasks[one.last];
    const BrokenChain chain{.last = one.last,
                            .object = one.object,
                            .continued = one.with,
                            .later = one.without,
                            .starter = one.starter,
                            .every = one.every};
    sends.try_emplace({task.name, task.location}, chain).first->second.count++;
  }
  for (const auto& [place, group] : sends) found.push_back(group);
  stable_sort_by(found, [&](const BrokenChain& chain) { return model.tasks[chain.last].end; });
  return found;
}

}  // namespace skein
