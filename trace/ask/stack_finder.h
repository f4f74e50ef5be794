// Finds the intervals of logical_times.h, and gives each to a sink.
//
//   struct Sink {
//     void begin(size_t usual);                         // anew, about so many intervals
//     void add(const LogicalTimes::Interval& interval);
//   };
//   const LogicalTimes stacks = find_stacks(subject, sink);  // without intervals
//
// Which tasks await one changes with time: its chain is a list of pieces, each a wait for it
// (logical_chains.h). Nearly all tasks have one piece, which begins before they run and ends after
// them. So the stack of a wait is found once and kept for everything below it (place_of). An
// interval in which a chain changes is split, by all that changes above.
//
// Measured (bench/ask.cc): most of the time are cache misses. So what is needed of a task is in one
// struct of half a cache line, which is fetched before its turn.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "profile/flame/name_table.h"
#include "trace/ask/logical_chains.h"
#include "trace/ask/logical_frames.h"
#include "trace/ask/logical_times.h"
#include "trace/ask/number_table.h"
#include "trace/model/names.h"

namespace skein {

template <class Sink>
class StackFinder {
 public:
  StackFinder(const Subject& subject, Sink& sink, LogicalChains::Passive passive)
      : sink_(sink),
        trace_(subject.trace),
        model_(subject.model),
        waits_(subject.waits.waits),
        frames_(subject),
        chains_(subject, frames_, passive),
        tasks_(chains_.tasks()),
        threads_(trace_.executors.size()),
        left_(4 * (waits_.size() + model_.activations.size()) + 1'000'000) {
    table_.add({});
    depths_.push_back(0);
    const size_t usual = waits_.size() + chains_.ready_waits() + model_.activations.size();
    sink_.begin(usual + usual / 8);
    for (uint32_t kind = 0; kind < trace_.kinds.size(); kind++)
      if (kind_name(trace_, kind) == "generator") generator_kind_ = kind;
  }

  LogicalTimes find();
  // A passive task has run or waited: chains are missing.
  bool contradicts() const { return contradicts_; }

 private:
  using State = LogicalTimes::State;
  using Piece = LogicalChains::Piece;
  static constexpr uint32_t no_stack = LogicalChains::none;
  static constexpr uint32_t varies = no_stack - 1;  // instead of a stack
  static constexpr size_t ahead = 16;  // tasks are fetched so many rows before their turn

  struct StackKey {
    uint32_t parent = LogicalTimes::root;
    uint32_t frame = no_stack;  // no_stack: "(not followed)"
    uint32_t location = 0;
    bool operator==(const StackKey&) const = default;
    uint64_t hash() const { return hash_of(uint64_t{parent} << 32 | location, frame); }
  };
  // A stack, and the label that applies to its innermost task.
  struct StackPlace {
    uint32_t stack = LogicalTimes::root;
    StringId label = 0;
  };
  struct Part {
    uint64_t begin;
    uint64_t end;
    StackPlace base;
  };
  struct Child {
    StackKey key;
    uint32_t stack = no_stack;
  };
  static constexpr size_t children = 512;
  // A task that runs, and has called the next one without a wait.
  struct Call {
    TaskIndex task;
    uint32_t last_wait;  // of the task
    uint64_t end;
    StackPlace place;
  };

  void add_wait(uint32_t index);
  void add_run(const Model::Activation& run);
  bool is_called(const Model::Activation& run, const Call& by) const;
  bool is_generator(TaskIndex task) const { return model_.tasks[task].kind == generator_kind_; }

  // The task did something: pieces of its chain are covered by its own intervals. Returns its piece
  // at `begin`, or the first one in the interval; null: there is none.
  Piece* cover(TaskIndex task, uint64_t begin, uint64_t end);
  // The stack of the tasks that await this one, if that is the same in the whole interval.
  // `piece`: as cover() returns it.
  bool base_of(Piece* piece, uint64_t begin, uint64_t end, uint32_t depth, StackPlace& base);
  // The stack of the piece's wait up to its waiter, if that is the same in the whole wait.
  bool place_of(Piece& piece, uint32_t depth, StackPlace& place);
  // All bases of a task in this time, in order.
  void split(TaskIndex task, uint64_t begin, uint64_t end, uint32_t depth, std::vector<Part>& out);

  // Adds time of a wait in which its target did nothing. `place`: of the waiter; null: it changes.
  void add_suspended(const Waits::Wait& wait, TaskIndex target, const StackPlace* place,
                     uint64_t begin, uint64_t end);
  void add_target(uint32_t frame, StackPlace place, uint64_t begin, uint64_t end);
  void push(StackPlace place, uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    interval_.begin = begin;
    interval_.end = end;
    interval_.label = place.label;
    interval_.stack = place.stack;
    sink_.add(interval_);
  }
  void start(TaskIndex task, uint32_t executor, State state) {
    interval_.task = task;
    interval_.executor = std::min(executor, LogicalTimes::no_executor) & LogicalTimes::no_executor;
    interval_.state = state;
  }

  StackPlace below(StackPlace base, TaskIndex task, uint32_t location) {
    const LogicalChains::Task& of = tasks_[task];
    return {child(base.stack, of.frame, location), of.label ? of.label : base.label};
  }
  uint32_t child(uint32_t parent, uint32_t frame, uint32_t location) {
    const StackKey key = {parent, frame, location};
    Child& last =
        last_children_[(parent * 0x9e3779b1 ^ frame * 0x85ebca6b ^ location * 0xc2b2ae35) >> 23];
    if (last.stack == no_stack || !(last.key == key)) last = {key, find_child(key)};
    return last.stack;
  }
  uint32_t find_child(const StackKey& key);

  Sink& sink_;
  const Trace& trace_;
  const Model& model_;
  const std::vector<Waits::Wait>& waits_;
  LogicalFrames frames_;
  LogicalChains chains_;
  std::vector<LogicalChains::Task>& tasks_;
  LogicalTimes found_;
  NumberTable<StackKey> table_;       // the stacks
  std::vector<uint32_t> depths_;      // of the stacks
  std::array<Child, children> last_children_ = {};  // by hash: the next is often the same
  std::vector<std::vector<Call>> threads_;
  LogicalTimes::Interval interval_;
  std::vector<Part> parts_;
  bool has_calls_ = trace_.info.is_own();     // a switch of mirage-profile is no call
  uint32_t generator_kind_ = UINT32_MAX - 1;  // no kind
  size_t left_;                               // of the parts that may be split
  bool contradicts_ = false;
};

template <class Sink>
LogicalTimes find_stacks(const Subject& subject, Sink& sink) {
  // Of others, Waits does not have all runs.
  if (subject.trace.info.is_own()) {
    StackFinder finder(subject, sink, LogicalChains::Passive::Skipped);
    LogicalTimes found = finder.find();
    if (!finder.contradicts()) return found;
  }
  return StackFinder(subject, sink, LogicalChains::Passive::All).find();
}

template <class Sink>
LogicalTimes StackFinder<Sink>::find() {
  const auto& runs = model_.activations;
  size_t run = 0;
  const auto add_runs = [&](uint64_t before) {
    for (; run < runs.size() && runs[run].start < before; run++) {
      if (const size_t soon = run + ahead; soon < runs.size() && runs[soon].task != no_index)
        __builtin_prefetch(&tasks_[runs[soon].task]);
      add_run(runs[run]);
    }
  };
  for (uint32_t i = 0; i < waits_.size(); i++) {
    if (const size_t soon = i + ahead; soon < waits_.size())
      __builtin_prefetch(&tasks_[waits_[soon].task]);
    add_runs(waits_[i].begin);
    add_wait(i);
  }
  add_runs(UINT64_MAX);
  std::vector<Piece>& pieces = chains_.pieces();
  for (size_t i = 0; i < pieces.size(); i++) {
    if (const size_t soon = i + ahead; soon < pieces.size())
      __builtin_prefetch(&tasks_[pieces[soon].task]);
    Piece& piece = pieces[i];
    StackPlace place;
    const bool is_known = piece.covered < piece.end && place_of(piece, 0, place);
    add_suspended(waits_[piece.wait], piece.task, is_known ? &place : nullptr, piece.covered,
                  piece.end);
  }

  NameTable names;
  found_.stacks.resize(table_.size());
  for (uint32_t i = 1; i < table_.size(); i++) {
    const StackKey& key = table_[i];
    found_.stacks[i] = {key.parent, key.frame == no_stack
                                        ? names.add("(not followed)")
                                        : names.add(frames_.text(key.frame, key.location))};
  }
  found_.names = names.take();
  return std::move(found_);
}

template <class Sink>
uint32_t StackFinder<Sink>::find_child(const StackKey& key) {
  const uint32_t known = table_.find(key);
  if (known != no_stack) return known;
  const uint32_t depth = depths_[key.parent];
  if (depth > deepest_stack) return key.parent;
  if (depth == deepest_stack && key.frame != no_stack)
    return find_child({.parent = key.parent, .frame = no_stack, .location = 0});
  depths_.push_back(depth + 1);
  return table_.add(key);
}

template <class Sink>
void StackFinder<Sink>::add_wait(uint32_t index) {
  const Waits::Wait& wait = waits_[index];
  const uint64_t end = chains_.end_of(wait), ready = chains_.ready_of(wait);
  if (wait.is_open()) found_.unfinished++;
  Piece* const piece = cover(wait.task, wait.begin, end);
  tasks_[wait.task].last_wait = index;
  contradicts_ |= tasks_[wait.task].is_passive;
  // A generator at a value waits for nothing: its caller may stop at any.
  if (wait.on == no_index && generator_kind_ < trace_.kinds.size() && is_generator(wait.task))
    return;
  StackPlace place;
  const bool is_known = base_of(piece, wait.begin, std::max(end, wait.begin + 1), 0, place);
  if (is_known) place = below(place, wait.task, wait.location);
  uint64_t from = ready, to = ready;
  for (Piece& own : chains_.pieces_of(index)) {
    if (is_known) {
      own.stack = place.stack;
      own.label = place.label;
    }
    from = std::min(from, own.begin);
    to = &own == chains_.pieces_of(index).data() ? own.end : std::max(to, own.end);
  }
  const StackPlace* const constant = is_known ? &place : nullptr;
  add_suspended(wait, wait.on, constant, wait.begin, from);
  add_suspended(wait, wait.on, constant, to, ready);
  if (ready >= end) return;
  start(wait.task, wait.executor, State::Ready);
  if (is_known) return push(place, ready, end);
  parts_.clear();
  split(wait.task, ready, end, 0, parts_);
  for (const Part& part : parts_)
    push(below(part.base, wait.task, wait.location), part.begin, part.end);
}

template <class Sink>
void StackFinder<Sink>::add_suspended(const Waits::Wait& wait, TaskIndex target, const StackPlace* place,
                                uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  uint32_t frame = no_stack;
  if (target != no_index && target != wait.task)
    frame = tasks_[target].frame;
  else if (wait.object != Waits::none && trace_.awaited_objects[wait.object].type != 0)
    frame = frames_.of_type(trace_.awaited_objects[wait.object].type);
  start(wait.task, wait.executor, State::Suspended);
  if (place != nullptr) return add_target(frame, *place, begin, end);
  std::vector<Part> parts;
  split(wait.task, begin, end, 0, parts);
  for (const Part& part : parts)
    add_target(frame, below(part.base, wait.task, wait.location), part.begin, part.end);
}

template <class Sink>
void StackFinder<Sink>::add_target(uint32_t frame, StackPlace place, uint64_t begin, uint64_t end) {
  if (frame != no_stack) place.stack = child(place.stack, frame, 0);
  push(place, begin, end);
}

template <class Sink>
LogicalChains::Piece* StackFinder<Sink>::cover(TaskIndex task, uint64_t begin, uint64_t end) {
  Piece* piece = chains_.find(task, begin);
  if (piece != nullptr && piece->end <= begin) piece = chains_.next(*piece);
  Piece* const first = piece;
  for (; piece != nullptr && piece->begin < end; piece = chains_.next(*piece)) {
    if (piece->covered < std::min(begin, piece->end)) {
      StackPlace place;
      const bool is_known = place_of(*piece, 0, place);
      add_suspended(waits_[piece->wait], task, is_known ? &place : nullptr, piece->covered,
                    std::min(begin, piece->end));
    }
    piece->covered = std::max(piece->covered, end);
  }
  return first;
}

template <class Sink>
bool StackFinder<Sink>::base_of(Piece* piece, uint64_t begin, uint64_t end, uint32_t depth,
                          StackPlace& base) {
  base = {};
  if (piece == nullptr || piece->begin >= end) return true;
  return piece->begin <= begin && end <= piece->end && place_of(*piece, depth + 1, base);
}

template <class Sink>
bool StackFinder<Sink>::place_of(Piece& piece, uint32_t depth, StackPlace& place) {
  if (piece.stack == no_stack) {
    const Waits::Wait& wait = waits_[piece.wait];
    Piece* above = chains_.find(wait.task, wait.begin);
    if (above != nullptr && above->end <= wait.begin) above = chains_.next(*above);
    const uint64_t end = std::max(chains_.end_of(wait), wait.begin + 1);
    StackPlace base;
    if (depth < deepest_stack && base_of(above, wait.begin, end, depth, base)) {
      const StackPlace found = below(base, wait.task, wait.location);
      piece.stack = found.stack;
      piece.label = found.label;
    } else {
      piece.stack = varies;
    }
  }
  if (piece.stack == varies) return false;
  place = {piece.stack, piece.label};
  return true;
}

template <class Sink>
void StackFinder<Sink>::split(TaskIndex task, uint64_t begin, uint64_t end, uint32_t depth,
                        std::vector<Part>& out) {
  if (depth >= deepest_stack || left_ == 0) {
    out.push_back({begin, end, {child(LogicalTimes::root, no_stack, 0), 0}});
    return;
  }
  for (Piece* piece = chains_.find(task, begin); piece != nullptr && piece->begin < end;
       piece = chains_.next(*piece)) {
    if (piece->end <= begin) continue;
    const uint64_t from = std::max(piece->begin, begin), to = std::min(piece->end, end);
    if (begin < from) out.push_back({begin, from, {}});
    begin = to;
    if (left_ > 0) left_--;
    StackPlace place;
    if (place_of(*piece, depth, place)) {
      out.push_back({from, to, place});
      continue;
    }
    const Waits::Wait& wait = waits_[piece->wait];
    const size_t first = out.size();
    split(wait.task, from, to, depth + 1, out);
    for (size_t i = first; i < out.size(); i++)
      out[i].base = below(out[i].base, wait.task, wait.location);
  }
  if (begin < end) out.push_back({begin, end, {}});
}

// `by` has called the task: it ran until now, and did not begin to wait; nor does another task
// await what runs now. That is a generator, or a coroutine that its creator has started.
template <class Sink>
bool StackFinder<Sink>::is_called(const Model::Activation& run, const Call& by) const {
  const Model::Task& task = model_.tasks[run.task];
  return has_calls_ && by.end == run.start && tasks_[by.task].last_wait == by.last_wait &&
         (model_.tasks[by.task].end > run.start || model_.is_open(by.task)) &&
         (is_generator(run.task) ||
          (task.parent == by.task && tasks_[run.task].last_wait == no_stack));
}

template <class Sink>
void StackFinder<Sink>::add_run(const Model::Activation& run) {
  if (run.task == no_index || run.start >= run.end || run.executor >= threads_.size()) return;
  Piece* const piece = cover(run.task, run.start, run.end);
  start(run.task, run.executor, State::Running);
  StackPlace base;
  const bool is_known = base_of(piece, run.start, run.end, 0, base);
  const uint32_t last_wait = tasks_[run.task].last_wait;
  contradicts_ |= tasks_[run.task].is_passive;
  std::vector<Call>& calls = threads_[run.executor];
  // The task may go on after a call.
  const auto same = std::find_if(calls.rbegin(), calls.rend(), [&](const Call& call) {
    return call.task == run.task && call.last_wait == last_wait;
  });
  const bool is_awaited = piece != nullptr && piece->begin < run.end;
  StackPlace place;
  if (same != calls.rend()) {
    calls.erase(same.base(), calls.end());
    place = calls.back().place;
  } else {
    if (calls.empty() || is_awaited || !is_called(run, calls.back())) calls.clear();
    if (!calls.empty()) base = calls.back().place;
    place = below(base, run.task, 0);
    calls.push_back({run.task, last_wait, 0, place});
  }
  calls.back().end = run.end;
  if (is_known) return push(is_awaited ? below(base, run.task, 0) : place, run.start, run.end);
  parts_.clear();
  split(run.task, run.start, run.end, 0, parts_);
  for (const Part& part : parts_) push(below(part.base, run.task, 0), part.begin, part.end);
  calls.back().place = {interval_.stack, interval_.label};
}

}  // namespace skein
