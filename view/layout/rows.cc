#include "view/layout/rows.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "base/stable_sort.h"
#include "trace/model/names.h"

namespace skein {

namespace {

// The rows of tasks by the end of their last bar, as a tree of minima: leaves are rows, an inner
// node is the minimum of its two children. Unused rows have the end 0.
class RowEnds {
 public:
  // The first row from `from` on that is free at `time`.
  uint32_t find(uint32_t from, uint64_t time) {
    for (;;) {
      const uint32_t found = search(from, time);
      if (found != none) return found;
      grow();
    }
  }

  void set(uint32_t row, uint64_t end) {
    while (row >= leaves_) grow();
    used_ = std::max(used_, row + 1);
    size_t node = leaves_ + row;
    least_[node] = end;
    for (node /= 2; node != 0; node /= 2)
      least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
  }

  uint32_t used() const { return used_; }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t search(uint32_t from, uint64_t time) const {
    if (from >= leaves_) return none;
    size_t node = leaves_ + from;
    while (least_[node] > time) {
      while (node & 1) node /= 2;  // a right child: its successor is its parent's successor
      if (node == 0) return none;
      node++;
    }
    while (node < leaves_) {
      node *= 2;
      if (least_[node] > time) node++;
    }
    return static_cast<uint32_t>(node - leaves_);
  }

  void grow() {
    std::vector<uint64_t> larger(size_t{4} * leaves_, 0);
    std::copy(least_.begin() + leaves_, least_.end(), larger.begin() + 2 * leaves_);
    leaves_ *= 2;
    for (size_t node = leaves_ - 1; node != 0; node--)
      larger[node] = std::min(larger[2 * node], larger[2 * node + 1]);
    least_ = std::move(larger);
  }

  uint32_t leaves_ = 16;
  uint32_t used_ = 0;
  std::vector<uint64_t> least_ = std::vector<uint64_t>(2 * 16, 0);  // [1]: the root; [0]: unused
};

// Indices of tasks by start; equal starts keep their order. The start of a pre-existing task is its
// first event in the trace, which is arbitrary: pre-existing tasks come first, by id.
std::vector<TaskIndex> by_start(const Model& model, std::span<const uint8_t> shown) {
  struct Key {
    uint64_t start;
    TaskIndex task;
  };
  std::vector<Key> keys;
  keys.reserve(model.tasks.size());
  for (TaskIndex i = 0; i < model.tasks.size(); i++)
    if (shown.empty() || shown[i]) keys.push_back({model.tasks[i].start, i});
  stable_sort(keys, [&](const Key& a, const Key& b) {
    if (a.start != b.start || a.start != 0) return a.start < b.start;
    const Model::Task& task = model.tasks[a.task];
    const Model::Task& other = model.tasks[b.task];
    if (task.pre_existing != other.pre_existing) return bool{task.pre_existing};
    return task.pre_existing && task.id < other.id;
  });
  std::vector<TaskIndex> order(keys.size());
  for (size_t i = 0; i < keys.size(); i++) order[i] = keys[i].task;
  return order;
}

class Arrangement {
 public:
  Arrangement(const Trace& trace, const Model& model, std::span<const uint8_t> shown)
      : trace_(trace), model_(model), shown_(shown), executors_(trace.executors.size()) {}

  Rows run() {
    find_first_activations();
    find_lanes();
    const std::vector<TaskIndex> order = by_start(model_, shown_);
    place(rows_.lanes.empty() ? order : by_tree(order));
    fill_rows(order);
    fill_activations();
    fill_times();
    fill_arrow_blocks();
    fill_scales();
    return std::move(rows_);
  }

 private:
  const Model::Task& task(TaskIndex index) const { return model_.tasks[index]; }
  bool is_shown(TaskIndex index) const { return shown_.empty() || shown_[index]; }

  void find_first_activations() {
    first_active_.assign(model_.tasks.size(), UINT64_MAX);
    for (const Model::Activation& activation : model_.activations)
      if (activation.task < first_active_.size())
        first_active_[activation.task] = std::min(first_active_[activation.task], activation.start);
  }

  void find_lanes() {
    std::vector<uint8_t> runs(executors_, 0);
    for (const Model::Activation& activation : model_.activations)
      if (activation.executor < executors_) runs[activation.executor] = 1;
    rows_.threads = ThreadIntervals(trace_);
    // Threads of a profile that run no coroutine.
    for (uint32_t executor = 0; trace_.info.is_sampled() && executor < executors_; executor++)
      if (!rows_.threads.of(executor).empty()) runs[executor] = 1;
    const auto used = std::count(runs.begin(), runs.end(), 1);
    const bool has_samples = trace_.stacks.size() != 0;
    if (used < (rows_.threads.empty() && !has_samples ? 2 : 1)) return;
    for (uint32_t executor = 0; executor < executors_; executor++)
      if (runs[executor]) rows_.lanes.push_back(executor);
    if (has_samples) find_samples();
  }

  void find_samples() {
    std::vector<uint32_t> lane_of(executors_, Rows::no_row);
    for (uint32_t lane = 0; lane < rows_.lanes.size(); lane++) lane_of[rows_.lanes[lane]] = lane;
    // A thread has a second executor for the events of signal handlers that interrupt the recorder.
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> lane_of_thread;  // by process and thread
    const size_t known = std::min<size_t>(executors_, trace_.executors.size());
    for (uint32_t i = 0; i < known; i++)
      if (const Executor& one = trace_.executors[i]; one.tid != 0 && lane_of[i] != Rows::no_row)
        lane_of_thread.try_emplace({one.process, one.tid}, lane_of[i]);
    for (uint32_t i = 0; i < known; i++)
      if (const auto found =
              lane_of_thread.find({trace_.executors[i].process, trace_.executors[i].tid});
          lane_of[i] == Rows::no_row && found != lane_of_thread.end())
        lane_of[i] = found->second;
    rows_.samples.resize(rows_.lanes.size());
    trace_.events.for_each([&](const EventRow& event) {
      if (event.kind != EventKind::Sample || event.executor >= executors_) return;
      if (const uint32_t lane = lane_of[event.executor]; lane != Rows::no_row)
        rows_.samples[lane].push_back(event.time);
    });
    for (std::vector<uint64_t>& times : rows_.samples)
      if (!std::is_sorted(times.begin(), times.end())) std::sort(times.begin(), times.end());
  }

  // The same tasks, each tree after those whose root is earlier in `order`.
  std::vector<TaskIndex> by_tree(const std::vector<TaskIndex>& order) const {
    std::vector<TaskIndex> root(model_.tasks.size(), no_index);
    std::vector<TaskIndex> path;
    for (TaskIndex i = 0; i < root.size(); i++) {
      TaskIndex at = i;
      for (; root[at] == no_index; at = task(at).parent) {
        path.push_back(at);
        if (task(at).parent == no_index) break;
      }
      const TaskIndex top = root[at] == no_index ? at : root[at];
      for (const TaskIndex member : path) root[member] = top;
      path.clear();
    }
    constexpr uint32_t none = UINT32_MAX;
    std::vector<uint32_t> rank(root.size(), none);  // of a root: its position among the roots
    uint32_t roots = 0;
    for (const TaskIndex index : order)
      if (rank[root[index]] == none) rank[root[index]] = roots++;
    std::vector<uint32_t> begin(roots + size_t{1}, 0);
    for (const TaskIndex index : order) begin[rank[root[index]] + size_t{1}]++;
    for (size_t r = 0; r < roots; r++) begin[r + 1] += begin[r];
    std::vector<TaskIndex> grouped(order.size());
    for (const TaskIndex index : order) grouped[begin[rank[root[index]]]++] = index;
    return grouped;
  }

  // The successor of `from`, if it fits in the same row: it starts later, or did not run before.
  TaskIndex successor(TaskIndex from) const {
    const TaskIndex next = task(from).becomes;
    if (next == no_index || next == from || !is_shown(next) || rows_.row[next] != Rows::no_row)
      return no_index;
    if (task(next).start < task(from).start) return no_index;
    if (task(next).start >= task(from).end || first_active_[next] >= task(from).end) return next;
    return no_index;
  }

  uint64_t end_of(TaskIndex index) const {
    const Model::Task& t = task(index);
    return t.is_unresolved() ? UINT64_MAX : std::max(t.start, t.end);
  }

  void place(const std::vector<TaskIndex>& order) {
    rows_.row.assign(model_.tasks.size(), Rows::no_row);
    const auto lanes = static_cast<uint32_t>(rows_.lanes.size());
    RowEnds ends;
    for (const TaskIndex index : order) {
      if (rows_.row[index] != Rows::no_row) continue;
      const uint32_t row = ends.find(row_of_parent(index) - lanes, task(index).start);
      uint64_t end = 0;
      for (TaskIndex member = index; member != no_index; member = successor(member)) {
        rows_.row[member] = lanes + row;
        end = std::max(end, end_of(member));
      }
      ends.set(row, end);
    }
    rows_.count = lanes + ends.used();
  }

  // The row of the nearest ancestor that has one; the first without one. Hidden ancestors are
  // skipped, up to a limit: a filter may pass only the last of a million nested calls.
  uint32_t row_of_parent(TaskIndex index) const {
    constexpr int patience = 64;
    TaskIndex parent = task(index).parent;
    for (int i = 0; i < patience && parent != no_index; i++, parent = task(parent).parent)
      if (rows_.row[parent] != Rows::no_row) return rows_.row[parent];
    return static_cast<uint32_t>(rows_.lanes.size());
  }

  void fill_rows(const std::vector<TaskIndex>& order) {
    rows_.begin.assign(rows_.count + size_t{1}, 0);
    for (const TaskIndex index : order) rows_.begin[rows_.row[index] + 1]++;
    for (size_t r = 0; r < rows_.count; r++) rows_.begin[r + 1] += rows_.begin[r];
    std::vector<uint32_t> next(rows_.begin.begin(), rows_.begin.end() - 1);
    rows_.tasks.resize(order.size());
    for (const TaskIndex index : order) rows_.tasks[next[rows_.row[index]]++] = index;
  }

  void fill_activations() {
    std::vector<uint32_t> lane_of(executors_, Rows::no_row);
    for (uint32_t lane = 0; lane < rows_.lanes.size(); lane++) lane_of[rows_.lanes[lane]] = lane;
    const auto each_row = [&](const Model::Activation& activation, const auto& use) {
      if (activation.executor < executors_ && lane_of[activation.executor] != Rows::no_row)
        use(lane_of[activation.executor]);
      if (activation.task < rows_.row.size() && rows_.row[activation.task] != Rows::no_row)
        use(rows_.row[activation.task]);
    };
    std::vector<uint32_t>& begin = rows_.activation_begin;
    begin.assign(rows_.count + size_t{1}, 0);
    for (const Model::Activation& activation : model_.activations)
      each_row(activation, [&](uint32_t row) { begin[row + size_t{1}]++; });
    for (size_t r = 0; r < rows_.count; r++) begin[r + 1] += begin[r];
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    rows_.activations.resize(begin.back());
    for (uint32_t i = 0; i < model_.activations.size(); i++)
      each_row(model_.activations[i], [&](uint32_t row) { rows_.activations[next[row]++] = i; });
  }

  // The row of `relative`, if it has one other than the task's row.
  uint32_t other_row(TaskIndex index, TaskIndex relative) const {
    const uint32_t row = relative == no_index ? Rows::no_row : rows_.row[relative];
    return row == rows_.row[index] ? Rows::no_row : row;
  }

  void fill_times() {
    rows_.last = model_.end;
    for (const Model::Task& t : model_.tasks) rows_.last = std::max({rows_.last, t.start, t.end});
    while (rows_.last >> rows_.time_shift >= UINT32_MAX) rows_.time_shift++;
    rows_.task_times.reserve(rows_.tasks.size());
    rows_.bar_styles.reserve(rows_.tasks.size());
    rows_.parent_rows.reserve(rows_.tasks.size());
    for (size_t i = 0; i < rows_.tasks.size(); i++) {
      const Rows::Extent bar = rows_.bar(model_, i);
      const Model::Task& t = task(rows_.tasks[i]);
      rows_.task_times.push_back(rows_.rounded(bar.start, bar.end));
      rows_.bar_styles.push_back(t.label || t.name || t.location ? Rows::BarStyle::Named
                                                                 : Rows::BarStyle::Unnamed);
      rows_.parent_rows.push_back(t.starts_late ? Rows::no_row
                                                : other_row(rows_.tasks[i], t.parent));
      if (t.failed() && !was_aborted(trace_, t)) rows_.failed.push_back(static_cast<uint32_t>(i));
      if (other_row(rows_.tasks[i], t.becomes) != Rows::no_row)
        rows_.moves.push_back(static_cast<uint32_t>(i));
      rows_.has_unnamed = rows_.has_unnamed || rows_.bar_styles.back() == Rows::BarStyle::Unnamed;
    }
    rows_.activation_times.reserve(rows_.activations.size());
    for (const uint32_t i : rows_.activations)
      rows_.activation_times.push_back(
          rows_.rounded(model_.activations[i].start, model_.activations[i].end));
    rows_.set_findings(model_, {}, {});
  }

  void fill_arrow_blocks() {
    constexpr size_t per_block = Rows::arrows_per_block;
    rows_.arrow_blocks.resize((model_.interactions.size() + per_block - 1) / per_block);
    for (size_t i = 0; i < model_.interactions.size(); i++) {
      const Model::Interaction& arrow = model_.interactions[i];
      if (arrow.from >= rows_.row.size() || arrow.to >= rows_.row.size()) continue;
      const uint32_t from = rows_.row[arrow.from];
      const uint32_t to = rows_.row[arrow.to];
      if (from == Rows::no_row || to == Rows::no_row) continue;
      Rows::ArrowBlock& block = rows_.arrow_blocks[i / per_block];
      Rows::ArrowBlock::Kind& kind = block.kinds[static_cast<size_t>(arrow.link)];
      block.earliest = std::min(block.earliest, arrow.from_time);
      kind.first_row = std::min({kind.first_row, from, to});
      kind.last_row = std::max({kind.last_row, from, to});
      kind.count++;
      rows_.has_link[static_cast<size_t>(arrow.link)] = true;
    }
  }

  // With 0 included, a counter between 1,000 and 1,010 would be a flat line.
  void fill_scales() {
    std::vector<Model::Scale> seen(model_.scales.size(), {INT64_MAX, INT64_MIN});
    for (const Model::Counter& counter : model_.counters) {
      if (counter.scale >= seen.size()) continue;
      Model::Scale& scale = seen[counter.scale];
      for (const Model::Counter::Point& point : counter.points) {
        scale.low = std::min(scale.low, point.value);
        scale.high = std::max(scale.high, point.value);
      }
    }
    rows_.scales = model_.scales;
    for (size_t i = 0; i < seen.size(); i++) {
      const auto low = static_cast<double>(seen[i].low);
      const auto high = static_cast<double>(seen[i].high);
      if (low > 0 && high > low && high - low < low) rows_.scales[i].low = seen[i].low;
      if (high < 0 && high > low && high - low < -high) rows_.scales[i].high = seen[i].high;
    }
  }

  const Trace& trace_;
  const Model& model_;
  std::span<const uint8_t> shown_;
  size_t executors_;
  std::vector<uint64_t> first_active_;  // by task
  Rows rows_;
};

}  // namespace

Rows::Extent Rows::bar(const Model& model, size_t position) const {
  const TaskIndex index = tasks[position];
  const Model::Task& task = model.tasks[index];
  Extent bar{task.start, task.is_unresolved() ? UINT64_MAX : std::max(task.start, task.end)};
  if (position > begin[row[index]]) {  // its predecessor hides its beginning
    const TaskIndex before = tasks[position - 1];
    if (model.tasks[before].becomes == index)
      bar.start = std::max(bar.start, model.tasks[before].end);
  }
  if (task.becomes != no_index && position + 1 < begin[row[index] + 1] &&
      tasks[position + 1] == task.becomes)
    bar.end = std::max(bar.end, model.tasks[task.becomes].start);
  bar.end = std::max(bar.start, bar.end);
  return bar;
}

Rows::Times Rows::rounded(uint64_t start, uint64_t end) const {
  const uint64_t up = end >= last ? last : end + ((uint64_t{1} << time_shift) - 1);
  return {static_cast<uint32_t>(std::min(start, last) >> time_shift),
          end > last ? UINT32_MAX : static_cast<uint32_t>(up >> time_shift)};
}

uint32_t Rows::position_of(const Model& model, TaskIndex task) const {
  const uint32_t r = row[task];
  const auto in_row = tasks_in(r);
  auto at = std::partition_point(in_row.begin(), in_row.end(), [&](TaskIndex other) {
    return model.tasks[other].start < model.tasks[task].start;
  });
  at = std::find(at, in_row.end(), task);
  return begin[r] + static_cast<uint32_t>(at - in_row.begin());
}

void Rows::set_findings(const Model& model, std::span<const StuckTask> stuck,
                        std::span<const Model::Unheard> cancels) {
  struct RedPart {
    uint32_t position;
    uint64_t since;
    bool lasts;
  };
  std::vector<RedPart> parts;
  for (const StuckTask& s : stuck)
    if (row[s.task] != no_row) parts.push_back({position_of(model, s.task), s.since, true});
  for (const uint32_t position : failed)
    parts.push_back({position, model.tasks[tasks[position]].end, false});
  stable_sort(parts, [](const RedPart& a, const RedPart& b) { return a.position < b.position; });

  red_begin.assign(count + size_t{1}, 0);
  red_times.clear();
  red_positions.clear();
  for (const RedPart& part : parts) {
    if (!red_positions.empty() && red_positions.back() == part.position) continue;
    const Extent whole = bar(model, part.position);
    const uint64_t since = std::clamp(part.since, whole.start, whole.end);
    red_times.push_back(rounded(since, part.lasts ? whole.end : since));
    red_positions.push_back(part.position);
    red_begin[row[tasks[part.position]] + size_t{1}]++;
  }
  for (size_t r = 0; r < count; r++) red_begin[r + 1] += red_begin[r];

  unheard.clear();
  for (const auto& all : {std::span<const Model::Unheard>(model.unheard), cancels})
    for (const Model::Unheard& one : all)
      if (one.by < row.size() && row[one.by] != no_row) unheard.push_back(one);
  stable_sort(unheard,
              [](const Model::Unheard& a, const Model::Unheard& b) { return a.time < b.time; });
}

Rows arrange(const Trace& trace, const Model& model, std::span<const uint8_t> shown) {
  assert(shown.empty() || shown.size() == model.tasks.size());
  return Arrangement(trace, model, shown).run();
}

void open_rows(const Rows& rows, const Model& model, double from, double to,
               std::span<uint8_t> open) {
  assert(open.size() == rows.count);
  for (uint32_t row = 0; row < rows.count; row++) {
    if (open[row] || rows.is_lane(row)) {
      open[row] = 1;
      continue;
    }
    // The first bar that ends at `from` or later; bars after it begin later.
    uint32_t first = rows.begin[row];
    for (uint32_t last = rows.begin[row + 1]; first < last;) {
      const uint32_t middle = first + (last - first) / 2;
      if (static_cast<double>(rows.bar(model, middle).end) < from)
        first = middle + 1;
      else
        last = middle;
    }
    open[row] =
        first < rows.begin[row + 1] && static_cast<double>(rows.bar(model, first).start) <= to;
  }
}

}  // namespace skein
