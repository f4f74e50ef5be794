// The events of a trace as a struct of arrays: a query that reads two columns of ten million events
// reads two arrays. Events are ordered by time, and within one stream in the order they were
// written.
//
//   events.append({.time = 5, .task = 1, .text = trace.strings.intern("hello"),
//                  .kind = EventKind::Label});
//   for (size_t i = 0; i < events.size(); i++)
//     if (events.kind[i] == EventKind::Label) print(trace.strings[events.text[i]]);
//
// An event has 46 bytes of data (see EventRow) and occupies 14 to 20: the columns are packed, see
// Column.
//
// Rejected: a vector of structs (twice the memory traffic for a scan of one field).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "trace/read/column.h"
#include "trace/read/event_kind.h"
#include "trace/read/strings.h"
#include "trace/read/task_id.h"

namespace skein {

struct EventRow {
  uint64_t time = 0;  // nanoseconds since the beginning of the trace, TraceInfo::start
  TaskId task = no_task;
  TaskId other = no_task;
  uint64_t value = 0;
  StringId text = 0;
  uint32_t location = 0;  // index into Trace::locations; 0: unknown
  uint32_t executor = 0;  // index into Trace::executors
  EventKind kind = EventKind::Lost;
  uint8_t flags = 0;
};

class Events {
 private:
  struct Block {
    std::array<uint64_t, block_rows> time, task, other, value;
    std::array<uint32_t, block_rows> text, location, executor;
    std::array<EventKind, block_rows> kind;
    std::array<uint8_t, block_rows> flags;
    uint8_t behind[8];  // padding: a row is read as 8 bytes
  };

 public:
  Column<uint64_t> time;
  Column<TaskId, Coding::OneMore> task;
  Column<TaskId, Coding::OneMore> other;
  Column<uint64_t, Coding::Signed> value;
  Column<StringId> text;
  Column<uint32_t> location;
  Column<uint32_t> executor;
  Column<EventKind> kind;
  Column<uint8_t> flags;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // If memory is exhausted, the event is dropped and counted in dropped().
  void append(const EventRow& row) {
    const size_t at = size_ % block_rows;
    if (at == 0 && !next_block()) [[unlikely]] {
      dropped_++;
      return;
    }
    Block& block = *open_;
    block.time[at] = row.time;
    block.task[at] = task.encode(row.task);
    block.other[at] = other.encode(row.other);
    block.value[at] = value.encode(row.value);
    block.text[at] = row.text;
    block.location[at] = row.location;
    block.executor[at] = row.executor;
    block.kind[at] = row.kind;
    block.flags[at] = row.flags;
    size_++;
  }

  // Sets the time of the last event, if there is one, and adds flags to it.
  void amend_last(uint64_t new_time, uint8_t more_flags);

  EventRow row(size_t index) const;

  // Calls visit(const EventRow&) for every event in order; takes a third of the time of row() per
  // event.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for_each(visit, size_);
  }
  // The same for the first `count` events.
  template <typename Visit>
  void for_each(const Visit& visit, size_t count) const;

  // The number of events before this time.
  size_t count_before(uint64_t end) const;

  uint64_t dropped() const { return dropped_; }

  // Memory that the columns occupy.
  size_t bytes() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  bool next_block();
  uint8_t* room();

  std::unique_ptr<Block, Free> open_;  // the rows since the last multiple of block_rows
  size_t size_ = 0;
  uint64_t dropped_ = 0;
  std::vector<std::unique_ptr<uint8_t, Free>> chunks_;  // hold the packed blocks
  size_t chunk_left_ = 0;
  uint8_t* chunk_at_ = nullptr;
  size_t chunk_bytes_ = 0;
};

template <typename Visit>
void Events::for_each(const Visit& visit, size_t end) const {
  for (size_t begin = 0; begin < end; begin += block_rows) {
    const auto times = time.block(begin);
    const auto tasks = task.block(begin);
    const auto others = other.block(begin);
    const auto values = value.block(begin);
    const auto texts = text.block(begin);
    const auto locations = location.block(begin);
    const auto executors = executor.block(begin);
    const auto kinds = kind.block(begin);
    const auto all_flags = flags.block(begin);
    const size_t count = end - begin < block_rows ? end - begin : block_rows;
    for (size_t i = 0; i < count; i++)
      visit(EventRow{.time = times[i],
                     .task = tasks[i],
                     .other = others[i],
                     .value = values[i],
                     .text = texts[i],
                     .location = locations[i],
                     .executor = executors[i],
                     .kind = kinds[i],
                     .flags = all_flags[i]});
  }
}

// Returns the number of events of each kind.
std::array<uint64_t, event_kinds> count_kinds(const Events& events);

}  // namespace skein
