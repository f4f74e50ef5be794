#include "trace/ask/logical_samples.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/function_name.h"
#include "base/large_pages.h"
#include "base/stable_sort.h"
#include "trace/ask/frame_name.h"
#include "trace/ask/name_paths.h"
#include "trace/ask/number_table.h"
#include "trace/ask/thread_runs.h"
#include "trace/model/names.h"

namespace skein {

namespace {

constexpr uint32_t unknown = UINT32_MAX;

}  // namespace

struct SampleIndex::Parts {
  struct Sample {
    uint64_t time = 0;
    uint32_t path = 0;  // of `paths`
    TaskIndex task = no_index;
    uint32_t thread = unknown;
    bool names_other_task = false;
  };
  struct SortedRange {  // of `samples`, in which neither begin nor end goes back
    size_t first = 0;
    size_t last = 0;
  };
  uint64_t end_of(size_t sample) const {
    return ends.empty() ? samples[sample].time + 1 : ends[sample];
  }
  void find_sorted_ranges();
  // The samples that overlap this time.
  SortedRange overlapping(SortedRange range, uint64_t from, uint64_t to) const;

  std::vector<Sample> samples = {};      // in the order of the events; waits by thread
  std::vector<uint64_t> ends = {};       // of waits; empty: these are samples
  std::vector<SortedRange> sorted_ranges = {};  // all samples
  std::vector<uint32_t> thread_of = {};  // by executor
  std::vector<uint32_t> executors = {};  // by thread: its first, or the one that runs tasks
  size_t tasks = 0;
  NamePaths paths = {};
};

void SampleIndex::Parts::find_sorted_ranges() {
  for (size_t i = 0; i < samples.size(); i++) {
    if (i == 0 || samples[i].time < samples[i - 1].time || end_of(i) < end_of(i - 1))
      sorted_ranges.push_back({i, i});
    sorted_ranges.back().last = i + 1;
  }
}

SampleIndex::Parts::SortedRange SampleIndex::Parts::overlapping(SortedRange range, uint64_t from,
                                                                uint64_t to) const {
  if (from >= to) return {};
  // The first for which it is no longer so.
  const auto first = [&](size_t begin, size_t end, const auto& is_before) {
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      if (is_before(middle))
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  };
  range.first = first(range.first, range.last, [&](size_t i) { return end_of(i) <= from; });
  range.last = first(range.first, range.last, [&](size_t i) { return samples[i].time < to; });
  return range;
}

class SampleIndexer {
 public:
  SampleIndexer(const Subject& subject, const LogicalTimes& times, SampleStack kind, StacksBy by)
      : s_(subject),
        times_(times),
        by_(by),
        is_logical_(kind == SampleStack::Logical),
        runs_(subject.trace, times),
        name_of_function_(subject.trace.strings.size(), unknown),
        own_of_location_(subject.trace.locations.size(), unknown),
        frames_(subject.trace.stacks.size()) {
    parts_.tasks = subject.model.tasks.size();
    parts_.thread_of = runs_.thread_of();
    parts_.executors = runs_.executors();
  }

  std::shared_ptr<const SampleIndex::Parts> find() {
    reserve(count_kinds(s_.trace.events)[static_cast<size_t>(EventKind::Sample)]);
    s_.trace.events.for_each(
        [&](const EventRow& event) {
          if (event.kind == EventKind::Sample)
            add(event.executor, event.time, static_cast<uint32_t>(event.value), event.task);
        },
        s_.model.events);
    return done();
  }

  std::shared_ptr<const SampleIndex::Parts> find(const ThreadIntervals& threads) {
    reserve(threads.all().size());
    for (const ThreadInterval& one : threads.all()) {
      if (one.stack == ThreadInterval::no_stack || one.begin >= one.end) continue;
      const uint32_t executor = threads.executor(one.tid);
      if (executor >= parts_.thread_of.size()) continue;
      add(executor, one.begin, one.stack, no_task);
      parts_.ends.push_back(one.end);
    }
    return done();
  }

 private:
  // What else than its stack decides on the path of a sample.
  struct ChainKey {
    uint32_t group = unknown;
    uint32_t chain = LogicalTimes::root;
    uint32_t own = 0;  // the name of the task's function, which ends the sample's; 0: none
    bool operator==(const ChainKey&) const = default;
    uint64_t hash() const { return hash_of(uint64_t{group} << 32 | own, chain); }
  };
  struct SampleKey {
    uint32_t chain = 0;   // of chains_
    uint32_t sample = 0;  // of Trace::stacks
    bool operator==(const SampleKey&) const = default;
    uint64_t hash() const { return hash_of(chain, sample); }
  };
  struct AddressKey {
    uint64_t address = 0;
    bool operator==(const AddressKey&) const = default;
    uint64_t hash() const { return hash_of(address, 0); }
  };

  void reserve(size_t samples) {
    reserve_large(parts_.samples, samples);
    most_entries_ = 4 * samples + 1'000'000;
  }

  std::shared_ptr<const SampleIndex::Parts> done() {
    parts_.find_sorted_ranges();
    parts_.paths.complete();
    return std::make_shared<const SampleIndex::Parts>(std::move(parts_));
  }

  void add(uint32_t executor, uint64_t time, uint32_t stack, TaskId task) {
    const LogicalTimes::Interval* run = runs_.at(executor, time);
    LogicalTimes::Interval one;
    one.executor = std::min(executor, LogicalTimes::no_executor) & LogicalTimes::no_executor;
    if (run != nullptr) {
      one.task = run->task;
      one.label = run->label;
    }
    SampleIndex::Parts::Sample sample = {.time = time, .task = one.task};
    if (executor < parts_.thread_of.size()) sample.thread = parts_.thread_of[executor];
    sample.names_other_task =
        run != nullptr && task != no_task && s_.model.tasks[run->task].id != task;
    sample.path =
        path_of({.group = stacks_group(by_, one),
                 .chain = run == nullptr || !is_logical_ ? LogicalTimes::root : run->stack,
                 .own = is_logical_ && run != nullptr ? own_of(run->task) : 0},
                one.task, stack);
    parts_.samples.push_back(sample);
  }

  // The name of the task's function.
  uint32_t own_of(TaskIndex index) {
    const Model::Task& task = s_.model.tasks[index];
    uint32_t& known = own_of_location_[task.location];
    if (known == unknown)
      known = parts_.paths.name(
          short_function_name(s_.trace.strings[s_.trace.locations[task.location].function]));
    // 0 is the empty name.
    return known != 0 ? known : parts_.paths.name(task_name(s_.trace, 0, task.name, task.location));
  }

  uint32_t name_of(const StackFrame& frame) {
    if (frame.function == 0) {
      const uint32_t number = addresses_.add({frame.address});
      if (number == name_of_address_.size())
        name_of_address_.push_back(parts_.paths.name(frame_name(s_.trace, frame)));
      return name_of_address_[number];
    }
    uint32_t& known = name_of_function_[frame.function];
    if (known == unknown) known = parts_.paths.name(frame_name(s_.trace, frame));
    return known;
  }

  // Nearly all are in a table of all stacks for each chain: a hash table misses the cache twice.
  uint32_t path_of(const ChainKey& key, TaskIndex task, uint32_t stack) {
    const uint32_t chain = chains_.add(key);
    if (chain == chain_parts_.size()) {
      chain_parts_.push_back(names_of_chain(key, task));
      const size_t stacks = frames_.size();
      const bool has_room =
          entries_.size() == chain * stacks && entries_.size() + stacks <= most_entries_;
      if (has_room) entries_.resize(entries_.size() + stacks, unknown);
    }
    if (stack < frames_.size() && (chain + 1) * frames_.size() <= entries_.size()) {
      uint32_t& known = entries_[chain * frames_.size() + stack];
      if (known == unknown) known = add_path(key, chain, stack);
      return known;
    }
    const uint32_t number = keys_.add({chain, stack});
    if (number == path_of_key_.size()) path_of_key_.push_back(add_path(key, chain, stack));
    return path_of_key_[number];
  }

  uint32_t add_path(const ChainKey& key, uint32_t chain, uint32_t stack) {
    NamePaths::Part inner = frames_of(stack);
    if (key.own != 0) {
      const auto names = parts_.paths.names_of(inner);
      for (uint32_t i = inner.count; i-- > 0;) {
        if (names[i] != key.own) continue;
        inner = {inner.first + i + 1, inner.count - i - 1};
        break;
      }
    }
    NamePaths::Part outer = chain_parts_[chain];
    if (outer.count + inner.count == 0)
      outer = parts_.paths.add_part(std::vector<uint32_t>{parts_.paths.name("(unknown)")});
    return parts_.paths.add(outer, inner);
  }

  NamePaths::Part frames_of(uint32_t stack) {
    if (stack >= frames_.size()) return {};
    std::optional<NamePaths::Part>& known = frames_[stack];
    if (!known) {
      names_.clear();
      for (const StackFrame& frame : s_.trace.stacks.frames(stack))
        names_.push_back(name_of(frame));
      std::reverse(names_.begin(), names_.end());
      known = parts_.paths.add_part(names_);
    }
    return *known;
  }

  NamePaths::Part names_of_chain(const ChainKey& key, TaskIndex task) {
    NamePaths& paths = parts_.paths;
    names_.clear();  // the innermost first
    for (uint32_t stack = key.chain; stack != LogicalTimes::root;
         stack = times_.stacks[stack].parent)
      names_.push_back(paths.name(times_.names[times_.stacks[stack].name]));
    if (by_ != StacksBy::None) {
      const bool is_known = by_ != StacksBy::Task || task != no_index;
      names_.push_back(
          paths.name(is_known ? stacks_group_name(s_, by_, key.group) : "(outside any task)"));
    }
    std::reverse(names_.begin(), names_.end());
    return paths.add_part(names_);
  }

  const Subject& s_;
  const LogicalTimes& times_;
  const StacksBy by_;
  const bool is_logical_;
  ThreadRuns runs_;
  std::vector<uint32_t> name_of_function_;  // by StringId
  std::vector<uint32_t> own_of_location_;
  NumberTable<AddressKey> addresses_;
  std::vector<uint32_t> name_of_address_;
  std::vector<std::optional<NamePaths::Part>> frames_;  // by stack
  NumberTable<ChainKey> chains_;
  std::vector<NamePaths::Part> chain_parts_;
  std::vector<uint32_t> entries_;  // paths, by chain and stack; of the first chains
  size_t most_entries_ = 0;
  NumberTable<SampleKey> keys_;  // of other chains and stacks
  std::vector<uint32_t> path_of_key_;
  std::vector<uint32_t> names_;
  SampleIndex::Parts parts_;
};

SampleIndex::SampleIndex(const Subject& subject, const LogicalTimes& times, SampleStack kind,
                         StacksBy by)
    : parts_(SampleIndexer(subject, times, kind, by).find()) {}

SampleIndex::SampleIndex(const Subject& subject, const LogicalTimes& times,
                         const ThreadIntervals& threads, StacksBy by)
    : parts_(SampleIndexer(subject, times, SampleStack::Logical, by).find(threads)) {}

LogicalSamples SampleIndex::select(const LogicalSelection& selection, double least_share,
                                   std::span<const std::string> path) const {
  const Parts& all = *parts_;
  LogicalSamples found;
  found.tasks.resize(all.tasks);
  std::vector<uint8_t> is_in_path;  // by path of a sample
  if (!path.empty()) is_in_path = all.paths.begin_with(path);
  std::optional<uint32_t> thread;
  if (selection.executor)
    thread = *selection.executor < all.thread_of.size() ? all.thread_of[*selection.executor]
                                                        : all.executors.size();
  const bool are_waits = !all.ends.empty();
  std::vector<double> weights(all.paths.size());
  std::vector<std::vector<SampleAt>> in_path(all.executors.size());  // by thread
  for (const Parts::SortedRange& range : all.sorted_ranges) {
    const Parts::SortedRange part = all.overlapping(range, selection.from, selection.to);
    for (size_t i = part.first; i < part.last; i++) {
      const Parts::Sample& sample = all.samples[i];
      if (thread && sample.thread != *thread) continue;
      if (selection.tasks != nullptr &&
          (sample.task == no_index || (*selection.tasks)[sample.task] == 0))
        continue;
      (sample.task != no_index ? found.in_tasks : found.outside)++;
      found.other_tasks += sample.names_other_task;
      weights[sample.path] += are_waits ? static_cast<double>(std::min(all.ends[i], selection.to) -
                                                              std::max(sample.time, selection.from))
                                        : 1;
      if (is_in_path.empty() || is_in_path[sample.path] == 0) continue;
      if (sample.task != no_index) found.tasks[sample.task] = 1;
      if (sample.thread < in_path.size() && !are_waits)
        in_path[sample.thread].push_back(
            {.executor = all.executors[sample.thread], .time = sample.time});
    }
  }
  std::vector<uint32_t> threads(in_path.size());
  for (uint32_t i = 0; i < threads.size(); i++) threads[i] = i;
  stable_sort_by(threads, [&](uint32_t thread) { return all.executors[thread]; });
  for (const uint32_t i : threads)
    found.in_path.insert(found.in_path.end(), in_path[i].begin(), in_path[i].end());
  found.tree = all.paths.tree(weights, least_share);
  return found;
}

LogicalSamples find_logical_samples(const Subject& subject, const LogicalTimes& times,
                                    const LogicalSelection& selection, double least_share,
                                    std::span<const std::string> path, SampleStack kind) {
  return SampleIndex(subject, times, kind, selection.by).select(selection, least_share, path);
}

LogicalSamples find_logical_waits(const Subject& subject, const LogicalTimes& times,
                                  const ThreadIntervals& threads, const LogicalSelection& selection,
                                  double least_share, std::span<const std::string> path) {
  return SampleIndex(subject, times, threads, selection.by).select(selection, least_share, path);
}

}  // namespace skein
