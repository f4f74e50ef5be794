// Which wait continues the chain of a task, and when: for logical stacks
// (trace/ask/logical_times.h, which has the rules).
//
//   for (auto* piece = chains.find(task, begin); piece && piece->begin < end; piece =
//   chains.next(*piece))
//     if (piece->end > begin) awaited_by(waits[piece->wait].task);
//
// Pieces of one task do not overlap, and at no time they form a cycle. A task that neither runs nor
// waits, as most operations, has none: nothing would be below them. O(waits), 64 bytes for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/ask/logical_frames.h"
#include "trace/ask/rows_by.h"
#include "trace/ask/waits.h"

namespace skein {

// Of frames; a chain has no end if the trace is damaged or hostile.
inline constexpr uint32_t deepest_stack = 500;

class LogicalChains {
 public:
  static constexpr uint32_t none = UINT32_MAX;
  struct Piece {  // in this interval the chain of the task continues with the waiter of `wait`
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t wait = 0;
    TaskIndex task = no_index;
    uint32_t next = none;  // of the same task
    // For the user, beside what it belongs to:
    uint32_t stack = none;  // of the waiter
    uint64_t covered = 0;   // from `begin` to here, the task did something
    StringId label = 0;
  };
  struct Task {
    uint64_t waits_until = 0;  // it is the waiter of a piece up to here
    uint32_t first = none;     // of its pieces
    uint32_t last : 30 = none >> 2;
    bool is_resource : 1 = false;
    bool is_passive : 1 = false;  // it neither runs nor waits
    uint32_t cursor = none;
    // For the user:
    uint32_t frame = 0;
    StringId label = 0;
    uint32_t last_wait = none;  // up to now
  };
  static_assert(sizeof(Piece) == 48 && sizeof(Task) == 32);

  // Whether a task is passive is in Waits, unless its id is used twice. The caller checks that none
  // of the waits and runs is of a passive task; otherwise the chains must be made again with All.
  enum class Passive : uint8_t { Skipped, All };
  // `frames` of the same subject.
  LogicalChains(const Subject& subject, LogicalFrames& frames, Passive passive);

  // The last piece that begins at this time or before; the first one if there is none; null if the
  // task has no piece. O(1) if the times of a task are in order.
  Piece* find(TaskIndex task, uint64_t time) {
    Task& of = tasks_[task];
    if (of.first == none) return nullptr;
    if (pieces_[of.cursor].begin > time) of.cursor = of.first;
    for (uint32_t at = pieces_[of.cursor].next; at != none && pieces_[at].begin <= time;
         at = pieces_[at].next)
      of.cursor = at;
    return &pieces_[of.cursor];
  }
  Piece* next(const Piece& piece) { return piece.next == none ? nullptr : &pieces_[piece.next]; }
  std::vector<Piece>& pieces() { return pieces_; }
  std::span<Piece> pieces_of(uint32_t wait) {
    return std::span(pieces_).subspan(of_wait_[wait], of_wait_[wait + 1] - of_wait_[wait]);
  }
  // How many waits have been ready before they ended.
  size_t ready_waits() const { return ready_waits_; }
  std::vector<Task>& tasks() { return tasks_; }

  uint64_t end_of(const Waits::Wait& wait) const {
    return wait.is_open() ? std::max(model_.end, wait.begin) : std::max(wait.end, wait.begin);
  }
  uint64_t ready_of(const Waits::Wait& wait) const {
    return std::clamp(wait.ready, wait.begin, end_of(wait));
  }

 private:
  struct Children {
    std::vector<TaskIndex> live;  // up to now
    size_t next = 0;              // in children_.of(task)
  };

  void add_tasks(const Subject& subject, LogicalFrames& frames, Passive passive);
  void add(TaskIndex task, uint32_t wait, uint64_t begin, uint64_t end);
  bool is_join(const Waits::Wait& wait) const;
  void add_join(uint32_t wait);
  uint64_t first_cycle(TaskIndex task, TaskIndex above, uint64_t begin, uint64_t end,
                       uint32_t depth);

  const Model& model_;
  const std::vector<Waits::Wait>& waits_;
  std::vector<Piece> pieces_;      // by wait
  std::vector<uint32_t> of_wait_;  // where its pieces begin
  size_t ready_waits_ = 0;
  std::vector<Task> tasks_;
  RowsBy children_;  // empty until the first join
  std::unordered_map<TaskIndex, Children> joining_;
  size_t left_;  // of the steps that searches for cycles may take
};

}  // namespace skein
