#include "trace/export/await_graph.h"

#include <algorithm>
#include <unordered_map>

#include "base/function_name.h"
#include "trace/model/names.h"

namespace skein {

namespace {

struct Interval {
  uint64_t begin;
  uint64_t end;
};

class Graph {
 public:
  Graph(const Trace& trace, const Model& model, const Waits& waits)
      : trace_(trace), model_(model), waits_(waits) {
    find_chains();
  }

  AwaitGraph suspended();
  AwaitGraph running();

 private:
  // In this interval the chain of a task continues through the waiter of `wait`.
  struct Piece {
    uint64_t begin;
    uint64_t end;
    uint32_t wait;
  };

  uint64_t end_of(const Waits::Wait& wait) const {
    return wait.is_open() ? std::max(model_.end, wait.begin) : wait.end;
  }
  uint64_t ready_of(const Waits::Wait& wait) const {
    return std::clamp(wait.ready, wait.begin, end_of(wait));
  }
  void find_chains();
  void add_wait(uint32_t index);
  // Adds stacks for `time` with frames_ below the chain of waiters that starts with `task`.
  void add_above(TaskIndex task, Interval time);
  void add_stack(uint64_t ns);

  uint32_t number(std::string name);
  uint32_t name_of(TaskIndex task);
  uint32_t name_of_end(const Waits::Wait& wait);

  const Trace& trace_;
  const Model& model_;
  const Waits& waits_;
  AwaitGraph graph_;
  std::vector<std::vector<Piece>> awaited_by_;   // by task, in order, without overlaps
  std::vector<std::vector<uint32_t>> waits_of_;  // by task
  std::vector<uint32_t> names_;                  // by task; UINT32_MAX: not computed yet
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint32_t> frames_;  // of the current stack, the innermost first
};

void Graph::find_chains() {
  awaited_by_.resize(model_.tasks.size());
  waits_of_.resize(model_.tasks.size());
  names_.assign(model_.tasks.size(), UINT32_MAX);
  for (uint32_t i = 0; i < waits_.waits.size(); i++) {
    const Waits::Wait& wait = waits_.waits[i];
    waits_of_[wait.task].push_back(i);
    if (wait.on == no_index || wait.on == wait.task) continue;
    std::vector<Piece>& pieces = awaited_by_[wait.on];
    const uint64_t begin = pieces.empty() ? wait.begin : std::max(wait.begin, pieces.back().end);
    if (const uint64_t end = ready_of(wait); begin < end) pieces.push_back({begin, end, i});
  }
}

uint32_t Graph::number(std::string name) {
  const auto [found, added] =
      numbers_.try_emplace(std::move(name), static_cast<uint32_t>(graph_.names.size()));
  if (added) graph_.names.push_back(found->first);
  return found->second;
}

// Similar tasks share a stack, so it has the name they were created with, not their labels.
uint32_t Graph::name_of(TaskIndex task) {
  uint32_t& known = names_[task];
  if (known != UINT32_MAX) return known;
  const Model::Task& of = model_.tasks[task];
  std::string name = task_name(trace_, 0, of.name, of.location);
  if (name.empty()) name = trace_.strings[of.label];
  std::string kind = kind_name(trace_, of.kind);
  if (of.is_resource && !name.empty() && !kind.empty()) name = kind + " " + name;
  if (name.empty()) name = kind.empty() ? "task" : std::move(kind);
  return known = number(std::move(name));
}

uint32_t Graph::name_of_end(const Waits::Wait& wait) {
  if (wait.on != no_index) return name_of(wait.on);
  std::string place = short_function_name(trace_.strings[trace_.locations[wait.location].function]);
  return number(place.empty() ? "(unknown target)" : std::move(place));
}

void Graph::add_stack(uint64_t ns) {
  graph_.weights[AwaitGraph::Stack(frames_.rbegin(), frames_.rend())] += ns;
}

void Graph::add_above(TaskIndex task, Interval time) {
  constexpr size_t deepest = 500;  // a cycle has no end
  frames_.push_back(name_of(task));
  if (frames_.size() < deepest) {
    const std::vector<Piece>& pieces = awaited_by_[task];
    auto piece = std::upper_bound(pieces.begin(), pieces.end(), time.begin,
                                  [](uint64_t t, const Piece& p) { return t < p.end; });
    for (; piece != pieces.end() && piece->begin < time.end; ++piece) {
      const uint64_t begin = std::max(piece->begin, time.begin);
      const uint64_t end = std::min(piece->end, time.end);
      if (time.begin < begin) add_stack(begin - time.begin);
      add_above(waits_.waits[piece->wait].task, {begin, end});
      time.begin = end;
    }
  }
  if (time.begin < time.end) add_stack(time.end - time.begin);
  frames_.pop_back();
}

// Adds the part of the wait in which the target does not itself wait as part of a chain through
// this wait.
void Graph::add_wait(uint32_t index) {
  const Waits::Wait& wait = waits_.waits[index];
  std::vector<Interval> below;
  if (wait.on != no_index && wait.on != wait.task) {
    for (const Piece& piece : awaited_by_[wait.on]) {
      if (piece.wait != index) continue;
      for (const uint32_t inner : waits_of_[wait.on]) {
        const uint64_t begin = std::max(waits_.waits[inner].begin, piece.begin);
        const uint64_t end = std::min(end_of(waits_.waits[inner]), piece.end);
        if (begin < end) below.push_back({begin, end});
      }
    }
    std::sort(below.begin(), below.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  }
  const uint64_t ready = ready_of(wait);
  frames_ = {name_of_end(wait)};
  uint64_t from = wait.begin;
  for (const Interval& covered : below) {
    if (from < covered.begin) add_above(wait.task, {from, covered.begin});
    from = std::max(from, covered.end);
  }
  if (from < ready) add_above(wait.task, {from, ready});
  if (const uint64_t end = end_of(wait); ready < end) {
    frames_ = {number("(runnable)")};
    add_above(wait.task, {ready, end});
  }
}

AwaitGraph Graph::suspended() {
  for (uint32_t i = 0; i < waits_.waits.size(); i++) add_wait(i);
  return std::move(graph_);
}

AwaitGraph Graph::running() {
  for (const Model::Activation& run : model_.activations) {
    frames_.clear();
    add_above(run.task, {run.start, run.end});
  }
  return std::move(graph_);
}

}  // namespace

AwaitGraph make_await_graph(const Trace& trace, const Model& model, const Waits& waits,
                            AwaitGraphOf of) {
  Graph graph(trace, model, waits);
  return of == AwaitGraphOf::Suspended ? graph.suspended() : graph.running();
}

}  // namespace skein
