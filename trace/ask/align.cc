#include "trace/ask/align.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>

namespace skein {

namespace {

// Finalizer of SplitMix64 (S. Vigna): every bit of the sum changes every bit of the result.
uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint64_t hash(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
  return hash;
}

// Hashes that are equal in both runs for similar tasks, whatever their ids.
struct Keys {
  std::vector<uint64_t> exact;  // with the label
  std::vector<uint64_t> similar;
  std::vector<uint64_t> without_line;
  std::vector<uint64_t> locations;
};

Keys keys_of(const Subject& run) {
  const Trace& trace = run.trace;
  std::vector<uint64_t> texts(trace.strings.size());
  for (StringId id = 0; id < texts.size(); id++) texts[id] = hash(trace.strings[id]);
  Keys keys;
  std::vector<uint64_t>& locations = keys.locations;
  locations.resize(trace.locations.size());
  std::vector<uint64_t> functions(locations.size());
  for (size_t i = 1; i < locations.size(); i++) {
    const Location& at = trace.locations[i];
    const std::string_view file = trace.strings[at.file];
    functions[i] = mixed(texts[at.function], hash(file.substr(file.rfind('/') + 1)));
    locations[i] = mixed(functions[i], at.line);
  }
  for (const Model::Task& task : run.model.tasks) {
    const uint64_t kind = task.kind < trace.kinds.size() ? texts[trace.kinds[task.kind]] : 0;
    const uint64_t what =
        mixed(mixed(kind, texts[task.name]),
              // Never 0, which matches nothing: tasks without a name or kind match, too.
              uint64_t{1} << 2 | uint64_t{task.is_resource} << 1 | task.is_scope);
    keys.similar.push_back(mixed(what, locations[task.location]));
    keys.without_line.push_back(mixed(what, functions[task.location]));
    keys.exact.push_back(task.label ? mixed(keys.similar.back(), texts[task.label]) : 0);
  }
  return keys;
}

// The children of each task in the order of their creation; for no_index, the tasks without a
// parent.
class Children {
 public:
  explicit Children(const Model& model)
      : begin_(model.tasks.size() + 2), list_(model.tasks.size()) {
    const size_t count = model.tasks.size();
    const auto slot = [&](TaskIndex task) {
      const TaskIndex parent = model.tasks[task].parent;
      return parent == no_index ? count : parent;
    };
    for (TaskIndex task = 0; task < count; task++) begin_[slot(task) + 1]++;
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (TaskIndex task = 0; task < count; task++) list_[at[slot(task)]++] = task;
  }
  std::span<const TaskIndex> of(TaskIndex parent) const {
    const size_t slot = parent == no_index ? begin_.size() - 2 : parent;
    return {list_.data() + begin_[slot], list_.data() + begin_[slot + 1]};
  }

 private:
  std::vector<uint32_t> begin_;
  std::vector<TaskIndex> list_;
};

// A hash of the descendants of each task, equal for equal descendants in the same order.
std::vector<uint64_t> shapes_of(const Model& model, const Keys& keys) {
  std::vector<uint64_t> shapes = keys.similar;
  for (TaskIndex task = static_cast<TaskIndex>(shapes.size()); task-- > 0;) {
    const TaskIndex parent = model.tasks[task].parent;
    if (parent < task) shapes[parent] = mixed(shapes[parent], shapes[task]);
  }
  return shapes;
}

using Tasks = std::span<const TaskIndex>;

class Aligner {
 public:
  Aligner(const Subject& good, const Subject& bad)
      : good_keys_(keys_of(good)),
        bad_keys_(keys_of(bad)),
        good_shapes_(shapes_of(good.model, good_keys_)),
        bad_shapes_(shapes_of(bad.model, bad_keys_)),
        good_children_(good.model),
        bad_children_(bad.model) {
    aligned_.in_bad.assign(good.model.tasks.size(), no_index);
    aligned_.in_good.assign(bad.model.tasks.size(), no_index);
  }

  Alignment align() {
    match_children(no_index, no_index);
    descend();
    std::vector<TaskIndex> good(aligned_.in_bad.size()), bad(aligned_.in_good.size());
    std::iota(good.begin(), good.end(), 0);
    std::iota(bad.begin(), bad.end(), 0);
    match(good, bad, good_keys_.similar, bad_keys_.similar, /*as_many=*/true);
    descend();
    aligned_.good = {std::move(good_keys_.similar), std::move(good_keys_.locations)};
    aligned_.bad = {std::move(bad_keys_.similar), std::move(bad_keys_.locations)};
    return std::move(aligned_);
  }

 private:
  void descend() {
    while (!todo_.empty()) {
      const TaskIndex good = todo_.back();
      todo_.pop_back();
      match_children(good, aligned_.in_bad[good]);
    }
  }

  void match_children(TaskIndex good, TaskIndex bad) {
    const Tasks g = good_children_.of(good), b = bad_children_.of(bad);
    if (g.empty() || b.empty()) return;
    match(g, b, good_keys_.exact, bad_keys_.exact, false);
    match(g, b, good_keys_.similar, bad_keys_.similar, false);
    match(g, b, good_keys_.without_line, bad_keys_.without_line, false);
  }

  struct Keyed {
    uint64_t key;
    TaskIndex task;
    bool operator<(const Keyed& other) const {
      return key != other.key ? key < other.key : task < other.task;
    }
  };

  static void collect(std::vector<Keyed>& to, Tasks tasks, const std::vector<uint64_t>& keys,
                      const std::vector<TaskIndex>& matched) {
    to.clear();
    for (const TaskIndex task : tasks)
      if (matched[task] == no_index && keys[task] != 0) to.push_back({keys[task], task});
    std::sort(to.begin(), to.end());
  }

  // Matches unmatched tasks with equal keys; with `as_many`, only if both sides have equally many.
  void match(Tasks good, Tasks bad, const std::vector<uint64_t>& good_keys,
             const std::vector<uint64_t>& bad_keys, bool as_many) {
    collect(good_list_, good, good_keys, aligned_.in_bad);
    if (good_list_.empty()) return;
    collect(bad_list_, bad, bad_keys, aligned_.in_good);
    auto g = good_list_.begin();
    auto b = bad_list_.begin();
    while (g != good_list_.end() && b != bad_list_.end()) {
      if (g->key != b->key) {
        ++(g->key < b->key ? g : b);
        continue;
      }
      const uint64_t key = g->key;
      group_good_.clear();
      group_bad_.clear();
      for (; g != good_list_.end() && g->key == key; ++g) group_good_.push_back(g->task);
      for (; b != bad_list_.end() && b->key == key; ++b) group_bad_.push_back(b->task);
      if (!as_many || group_good_.size() == group_bad_.size())
        match_in_order(group_good_, group_bad_);
    }
  }

  bool same_shape(TaskIndex good, TaskIndex bad) const {
    return good_shapes_[good] == bad_shapes_[bad];
  }

  void match_in_order(Tasks good, Tasks bad) {
    if (good.size() != bad.size()) {
      size_t same = 0;
      const size_t most = std::min(good.size(), bad.size());
      while (same < most && same_shape(good[same], bad[same])) same++;
      match_one_by_one(good.first(same), bad.first(same));
      good = good.subspan(same);
      bad = bad.subspan(same);
      same = 0;
      const size_t left = std::min(good.size(), bad.size());
      while (same < left && same_shape(good[good.size() - 1 - same], bad[bad.size() - 1 - same]))
        same++;
      match_one_by_one(good.last(same), bad.last(same));
      good = good.first(good.size() - same);
      bad = bad.first(bad.size() - same);
      constexpr size_t most_pairs = 4'000'000;
      if (!good.empty() && !bad.empty() && good.size() <= most_pairs / bad.size())
        return match_least_changes(good, bad);
    }
    const size_t common = std::min(good.size(), bad.size());
    match_one_by_one(good.first(common), bad.first(common));
  }

  // R. Wagner and M. Fischer, "The string-to-string correction problem", 1974, over shapes. A
  // changed shape costs as much as a missing one, so as few as possible stay unmatched.
  void match_least_changes(Tasks good, Tasks bad) {
    const size_t width = bad.size() + 1;
    costs_.resize((good.size() + 1) * width);
    const auto cost = [&](size_t g, size_t b) -> uint32_t& { return costs_[g * width + b]; };
    const auto changed = [&](size_t g, size_t b) -> uint32_t {
      return cost(g - 1, b - 1) + (same_shape(good[g - 1], bad[b - 1]) ? 0 : 1);
    };
    for (size_t g = 0; g <= good.size(); g++)
      for (size_t b = 0; b <= bad.size(); b++) {
        uint32_t& least = cost(g, b);
        if (g == 0 || b == 0) {
          least = static_cast<uint32_t>(g + b);
          continue;
        }
        least = std::min({changed(g, b), cost(g - 1, b) + 1, cost(g, b - 1) + 1});
      }
    for (size_t g = good.size(), b = bad.size(); g > 0 && b > 0;) {
      if (cost(g, b) == changed(g, b))
        pair(good[--g], bad[--b]);
      else if (cost(g, b) == cost(g - 1, b) + 1)
        g--;
      else
        b--;
    }
  }

  void match_one_by_one(Tasks good, Tasks bad) {
    for (size_t i = 0; i < good.size(); i++) pair(good[i], bad[i]);
  }

  void pair(TaskIndex good, TaskIndex bad) {
    aligned_.in_bad[good] = bad;
    aligned_.in_good[bad] = good;
    aligned_.matched++;
    todo_.push_back(good);
  }

  Keys good_keys_, bad_keys_;
  std::vector<uint64_t> good_shapes_, bad_shapes_;
  Children good_children_, bad_children_;
  Alignment aligned_;
  std::vector<TaskIndex> todo_;  // matched, but their children are not yet
  // Kept to reuse their memory:
  std::vector<Keyed> good_list_, bad_list_;
  std::vector<TaskIndex> group_good_, group_bad_;
  std::vector<uint32_t> costs_;
};

}  // namespace

Alignment align(const Subject& good, const Subject& bad) { return Aligner(good, bad).align(); }

}  // namespace skein
