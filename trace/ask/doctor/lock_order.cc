#include "trace/ask/doctor/lock_order.h"

#include <algorithm>
#include <unordered_map>

#include "trace/ask/doctor/lock_graph.h"
#include "trace/ask/none.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

constexpr size_t most_cycles = 100;
constexpr size_t most_tried = 10'000;
constexpr size_t most_held = 64;         // by one task at a time: the latest
constexpr size_t most_orders = 100'000;  // bounds memory: each has up to `most_held` gates

// A task acquires a lock, or begins a wait for one that never ends.
struct Acquisition {
  uint64_t time;
  uint32_t holding;  // either this or `wait` is none
  uint32_t wait;
};

// "The holder of one lock acquires the other", merged over all occurrences.
struct Order {
  LockCycle::Edge edge;          // one of the occurrences; a deadlock if there is one
  bool by_several = false;       // by more than one task
  std::vector<TaskIndex> gates;  // locks held at every occurrence
  bool is_done = false;          // reported, or in no cycle
};

class LockOrderFinder {
 public:
  LockOrderFinder(const Trace& trace, const Model& model, const Waits& waits)
      : trace_(trace), model_(model), waits_(waits) {}

  std::vector<LockCycle> find() {
    collect();
    std::vector<LockStep> steps;
    follow([&](TaskIndex, const std::vector<uint32_t>& held, TaskIndex taken, const Acquisition&) {
      const TaskIndex last = waits_.holdings[held.front()].resource;
      if (last != taken) steps.push_back({last, taken});
    });
    const std::vector<bool> is_cyclic = find_cyclic(steps, model_.tasks.size());
    steps = {};
    follow([&](TaskIndex task, const std::vector<uint32_t>& held, TaskIndex taken,
               const Acquisition& acquisition) {
      if (!is_cyclic[taken]) return;
      for (const uint32_t i : held) {
        const TaskIndex lock = waits_.holdings[i].resource;
        if (lock != taken && is_cyclic[lock]) add(task, i, held, taken, acquisition);
      }
    });
    build_graph();
    std::vector<LockCycle> found;
    size_t tried = 0;
    for (size_t i = 0; i < orders_.size() && found.size() < most_cycles; i++) {
      if (orders_[i].is_done) continue;
      if (++tried > most_tried) break;
      const std::vector<size_t> cycle = shortest_around(i);
      if (cycle.empty() || is_harmless(cycle)) continue;
      LockCycle reported;
      for (const size_t order : cycle) {
        orders_[order].is_done = true;
        reported.edges.push_back(orders_[order].edge);
      }
      found.push_back(std::move(reported));
    }
    return found;
  }

 private:
  bool is_lock(TaskIndex resource) const {
    return kind_class(trace_, model_.tasks[resource]) == KindClass::Mutex;
  }

  bool lasts_until(const Waits::Holding& h, uint64_t time) const {
    return h.end == Waits::never ? is_held(trace_, model_, h) : h.end > time;
  }

  void collect() {
    for (uint32_t i = 0; i < waits_.holdings.size(); i++) {
      const Waits::Holding& h = waits_.holdings[i];
      if (h.holder != no_index && is_lock(h.resource)) acquisitions_.push_back({h.begin, i, none});
    }
    if (acquisitions_.empty()) return;  // waits for locks that are never held form no cycle
    for (uint32_t i = 0; i < waits_.waits.size(); i++) {
      const Waits::Wait& w = waits_.waits[i];
      if (w.was_never_woken() && w.on != no_index && is_lock(w.on))
        acquisitions_.push_back({w.begin, none, i});
    }
    std::stable_sort(acquisitions_.begin(), acquisitions_.end(),
                     [](const Acquisition& a, const Acquisition& b) { return a.time < b.time; });
  }

  // Calls `act` for each acquisition of a lock by a task that holds others: those, the latest
  // first. The holdings of each task are a linked list, the latest first.
  template <typename Act>
  void follow(const Act& act) {
    if (acquisitions_.empty()) return;
    std::vector<uint32_t> newest(model_.tasks.size(), none);
    std::vector<uint32_t> older(waits_.holdings.size(), none);
    std::vector<uint32_t> held;
    for (const Acquisition& acquisition : acquisitions_) {
      const bool has_it = acquisition.holding != none;
      const TaskIndex task = has_it ? waits_.holdings[acquisition.holding].holder
                                    : waits_.waits[acquisition.wait].task;
      const TaskIndex taken = has_it ? waits_.holdings[acquisition.holding].resource
                                     : waits_.waits[acquisition.wait].on;
      held.clear();
      uint32_t rest = newest[task];  // not visited
      for (; rest != none && held.size() < most_held; rest = older[rest])
        if (lasts_until(waits_.holdings[rest], acquisition.time)) held.push_back(rest);
      newest[task] = rest;  // drops the holdings that ended
      for (size_t i = held.size(); i-- > 0;) {
        older[held[i]] = newest[task];
        newest[task] = held[i];
      }
      if (!held.empty()) act(task, held, taken, acquisition);
      if (has_it) {
        older[acquisition.holding] = newest[task];
        newest[task] = acquisition.holding;
      }
    }
  }

  void add(TaskIndex task, uint32_t holding, const std::vector<uint32_t>& all_held, TaskIndex taken,
           const Acquisition& acquisition) {
    const Waits::Holding& h = waits_.holdings[holding];
    const uint64_t pair = uint64_t{h.resource} << 32 | taken;
    if (orders_.size() >= most_orders && !by_pair_.contains(pair)) return;
    std::vector<TaskIndex> gates;
    for (const uint32_t i : all_held)
      if (i != holding) gates.push_back(waits_.holdings[i].resource);
    std::sort(gates.begin(), gates.end());
    const LockCycle::Edge edge{.task = task,
                               .held = h.resource,
                               .taken = taken,
                               .since = h.begin,
                               .time = acquisition.time,
                               .held_location = h.location,
                               .location = acquisition.wait != none
                                               ? waits_.waits[acquisition.wait].location
                                               : waits_.holdings[acquisition.holding].location,
                               .wait = acquisition.wait};
    const auto [at, is_new] = by_pair_.try_emplace(pair, orders_.size());
    if (is_new) {
      orders_.push_back({.edge = edge, .gates = std::move(gates)});
      return;
    }
    Order& order = orders_[at->second];
    if (order.edge.task != task) order.by_several = true;
    if (order.edge.wait == none && edge.wait != none) order.edge = edge;
    std::erase_if(order.gates, [&](TaskIndex gate) {
      return !std::binary_search(gates.begin(), gates.end(), gate);
    });
  }

  // Removes the orders that lead to a dead end or come from one, because they are in no cycle. Few
  // orders remain, usually none.
  void build_graph() {
    std::unordered_map<TaskIndex, std::vector<size_t>> to;
    for (size_t i = 0; i < orders_.size(); i++) {
      from_[orders_[i].edge.held].push_back(i);
      to[orders_[i].edge.taken].push_back(i);
    }
    std::vector<TaskIndex> dead_ends;
    for (const auto& [lock, orders] : from_)
      if (!to.contains(lock)) dead_ends.push_back(lock);
    for (const auto& [lock, orders] : to)
      if (!from_.contains(lock)) dead_ends.push_back(lock);
    const auto remove = [&](std::unordered_map<TaskIndex, std::vector<size_t>>& orders,
                            TaskIndex lock, size_t order) {
      const auto at = orders.find(lock);
      if (at == orders.end()) return;
      std::erase(at->second, order);
      if (!at->second.empty()) return;
      orders.erase(at);
      dead_ends.push_back(lock);
    };
    while (!dead_ends.empty()) {
      const TaskIndex lock = dead_ends.back();
      dead_ends.pop_back();
      for (auto* orders : {&from_, &to}) {
        const auto at = orders->find(lock);
        if (at == orders->end()) continue;
        const std::vector<size_t> dead = std::move(at->second);
        orders->erase(at);
        for (const size_t order : dead) {
          orders_[order].is_done = true;
          if (orders == &from_)
            remove(to, orders_[order].edge.taken, order);
          else
            remove(from_, orders_[order].edge.held, order);
        }
      }
    }
  }

  // The shortest cycle through this order, which comes first; empty if there is none.
  std::vector<size_t> shortest_around(size_t first) {
    const TaskIndex begin = orders_[first].edge.held;
    std::unordered_map<TaskIndex, size_t> reached_by;
    std::vector<TaskIndex> queue = {orders_[first].edge.taken};
    reached_by[queue[0]] = first;
    for (size_t next = 0; next < queue.size() && !reached_by.contains(begin); next++) {
      const auto on = from_.find(queue[next]);
      if (on == from_.end()) continue;
      for (const size_t order : on->second)
        if (reached_by.try_emplace(orders_[order].edge.taken, order).second)
          queue.push_back(orders_[order].edge.taken);
    }
    std::vector<size_t> cycle;
    if (!reached_by.contains(begin)) return cycle;
    for (TaskIndex at = begin;;) {
      const size_t order = reached_by[at];
      cycle.push_back(order);
      if (order == first) break;
      at = orders_[order].edge.held;
    }
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  bool is_harmless(const std::vector<size_t>& cycle) const {
    bool by_one = true;
    std::vector<TaskIndex> gates = orders_[cycle[0]].gates;
    for (const size_t i : cycle) {
      const Order& order = orders_[i];
      by_one &= !order.by_several && order.edge.task == orders_[cycle[0]].edge.task;
      std::erase_if(gates, [&](TaskIndex gate) {
        return !std::binary_search(order.gates.begin(), order.gates.end(), gate);
      });
    }
    return by_one || !gates.empty();
  }

  const Trace& trace_;
  const Model& model_;
  const Waits& waits_;
  std::vector<Acquisition> acquisitions_;
  std::vector<Order> orders_;
  std::unordered_map<uint64_t, size_t> by_pair_;
  std::unordered_map<TaskIndex, std::vector<size_t>> from_;
};

}  // namespace

bool is_held(const Trace& trace, const Model& model, const Waits::Holding& holding) {
  if (holding.end != Waits::never || holding.holder == no_index) return false;
  if (holding.begin >= trace.info.complete_from) return true;
  const LiveTaskEntry* entry = trace.find_live_task(model.tasks[holding.resource].id);
  return entry != nullptr && entry->on == model.tasks[holding.holder].id;
}

bool LockCycle::is_deadlock() const {
  return std::all_of(edges.begin(), edges.end(),
                     [](const Edge& edge) { return edge.wait != Waits::none; });
}

std::vector<LockCycle> lock_cycles(const Trace& trace, const Model& model, const Waits& waits) {
  return LockOrderFinder(trace, model, waits).find();
}

}  // namespace skein
