#include "trace/ask/doctor/growth.h"

#include <algorithm>
#include <map>

#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

using Points = std::vector<Model::Counter::Point>;

constexpr size_t parts = 10;
constexpr size_t least_changes = 20;

bool ever_falls(const Points& points) {
  return std::adjacent_find(points.begin(), points.end(), [](const auto& a, const auto& b) {
           return b.value < a.value;
         }) != points.end();
}

// Computes the level of a queue from the events of its senders and receivers.
class Queue {
 public:
  void notified(uint64_t time, TaskId by, uint64_t woken) {
    if (woken == 0) set(time, level_ + 1);
    just_notified_by_ = by;
  }
  // A sender that need not wait records `ready`; so does a receiver that finds an item.
  void ready(uint64_t time, TaskId task) {
    const bool has_put = just_notified_by_ == task;
    just_notified_by_ = no_task;
    if (!has_put && level_ > 0) set(time, level_ - 1);
  }
  // A receiver waits for an item, or a sender for space.
  void waited(uint64_t time) {
    just_notified_by_ = no_task;
    if (capacity == 0 || level_ < capacity) set(time, 0);
  }

  int64_t capacity = 0;  // 0: unknown
  Points points;

 private:
  void set(uint64_t time, int64_t level) {
    if (points.empty()) points.push_back({time, level_});
    if (level == level_) return;
    level_ = level;
    points.push_back({time, level});
  }

  int64_t level_ = 0;
  TaskId just_notified_by_ = no_task;  // the last task to notify, with no event of the queue since
};

void add(std::vector<Growth>& found, const Points& points, uint64_t end, TaskIndex resource,
         StringId counter) {
  if (std::optional<Growth> g = growth(points, end)) {
    g->resource = resource;
    g->counter = counter;
    found.push_back(*g);
  }
}

void find_full_queues(const Trace& trace, const Model& model, std::vector<Growth>& found) {
  std::map<TaskIndex, Queue> queues;
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    if (task.is_resource && kind_class(trace, task) == KindClass::Queue) queues[i] = {};
  }
  if (queues.empty()) return;
  const auto find = [&](TaskId id) -> Queue* {
    const auto at = queues.find(model.find(id));
    return at == queues.end() ? nullptr : &at->second;
  };
  trace.events.for_each([&](const EventRow& event) {
    switch (event.kind) {
      case EventKind::Notify:
        if (Queue* queue = find(event.task)) queue->notified(event.time, event.other, event.value);
        return;
      case EventKind::Ready:
        if (Queue* queue = find(event.other)) queue->ready(event.time, event.task);
        return;
      case EventKind::Suspend:
      case EventKind::Await:
        if (Queue* queue = find(event.other)) queue->waited(event.time);
        return;
      case EventKind::Capacity:
        if (Queue* queue = find(event.other))
          queue->capacity = static_cast<int64_t>(std::min<uint64_t>(event.value, INT64_MAX));
        return;
      default:
        return;
    }
  });
  for (const auto& [resource, queue] : queues) add(found, queue.points, model.end, resource, 0);
}

void find_long_queues(const Trace& trace, const Model& model, const Waits& waits,
                      std::vector<Growth>& found) {
  std::map<TaskIndex, Points> changes;  // by lock: +1 and -1
  for (const Waits::Wait& wait : waits.waits) {
    if (wait.on == no_index || !model.tasks[wait.on].is_resource) continue;
    const KindClass kind = kind_class(trace, model.tasks[wait.on]);
    if (kind != KindClass::Mutex && kind != KindClass::Semaphore) continue;
    Points& points = changes[wait.on];
    points.push_back({wait.begin, 1});
    if (wait.ready != Waits::never) points.push_back({wait.ready, -1});
  }
  for (auto& [resource, points] : changes) {
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    int64_t level = 0;
    for (Model::Counter::Point& point : points) point.value = level += point.value;
    add(found, points, model.end, resource, 0);
  }
}

}  // namespace

std::optional<Growth> growth(const Points& points, uint64_t end) {
  if (points.size() <= least_changes || end <= points.front().time) return {};
  const uint64_t begin = points.front().time;
  size_t next = 1;
  int64_t level = points.front().value;
  int64_t before = INT64_MIN;
  for (size_t part = 1; part <= parts; part++) {
    const auto until = begin + static_cast<uint64_t>(static_cast<double>(end - begin) *
                                                     static_cast<double>(part) / parts);
    int64_t lowest = level;
    for (; next < points.size() && points[next].time < until; next++) {
      level = points[next].value;
      lowest = std::min(lowest, level);
    }
    if (part > 1 && lowest <= before) return {};
    before = lowest;
  }
  return Growth{.begin = begin,
                .end = points.back().time,
                .from = points.front().value,
                .to = points.back().value};
}

std::vector<Growth> growing_counters(const Trace& trace, const Model& model) {
  std::vector<Growth> found;
  std::vector<StringId> perhaps_totals;
  for (const Model::Counter& counter : model.counters) {
    const size_t known = found.size();
    add(found, counter.points, model.end, no_index, counter.name);
    if (found.size() > known && !ever_falls(counter.points)) perhaps_totals.push_back(counter.name);
  }
  if (perhaps_totals.empty()) return found;
  std::vector<StringId> set;
  trace.events.for_each([&](const EventRow& event) {
    if (event.kind == EventKind::CounterSet && (set.empty() || set.back() != event.text))
      set.push_back(event.text);
  });
  std::sort(set.begin(), set.end());
  std::erase_if(found, [&](const Growth& g) {
    return std::find(perhaps_totals.begin(), perhaps_totals.end(), g.counter) !=
               perhaps_totals.end() &&
           !std::binary_search(set.begin(), set.end(), g.counter);
  });
  return found;
}

std::vector<Growth> growing_queues(const Trace& trace, const Model& model, const Waits& waits) {
  std::vector<Growth> found;
  find_full_queues(trace, model, found);
  find_long_queues(trace, model, waits, found);
  return found;
}

}  // namespace skein
