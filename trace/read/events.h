// A trace in memory: what every reader produces and everything downstream consumes.
//
//   Trace trace;
//   trace.events.append({.time = 5, .task = 1, .text = trace.strings.intern("hello"),
//                        .kind = EventKind::Label});
//   for (size_t i = 0; i < trace.events.size(); i++)
//     if (trace.events.kind[i] == EventKind::Label)
//       print(trace.strings[trace.events.text[i]]);
//
// A struct of arrays: a question that looks at two fields of ten million events reads two arrays.
// Events are in the order of time, and within one stream in the order they were written. Texts and
// source locations are ids: they are few and repeat. Nothing here knows a format; where a format
// has other events than the model, what it calls them is kept as a count by name in
// `Facts::wire_kinds`.
//
// An event is 46 bytes (EventRow is what one is put together from), and takes 14 to 20: columns are
// packed, see Column. Packing costs the CPU time that it saves in memory, which the kernel clears
// (bench/decode.cc, 6.4 million events: 80 M/s packed or not), and leaves a third of the memory.
//
// Rejected: a vector of structs (twice the memory traffic for a scan of one field); plain arrays
// that grow by realloc, in huge pages (three times the memory); an own id per format (every user
// would need one switch per format).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/read/strings.h"

namespace skein {

using TaskId = uint64_t;
inline constexpr TaskId no_task = UINT64_MAX;  // nobody, the loop itself; mirage-profile's -1

// One per event of the model (docs/glossary.md). `task` is the subject, `other` the second party
// (no_task when there is none). `value` and `text` are 0 where nothing is listed.
//
//                 task              other             value               text
//  Create         the new one       its parent        index into kinds    its name
//  Resume         now current       who woke it
//  SwitchTo       now current: a plain return to it, nobody woke it
//  Suspend        no longer current what it waits for 1: other is a resource
//  Await          a suspended one   what it waits for 1: other is a resource
//  Ready          reader            what was read, which had its result already
//  TryRead        reader            what was read, which was pending
//  Resolve        it ended          who resolved it
//  Fail           it ended          who failed it                         reason
//  Cancel         it ended          who destroyed it                      reason
//  Become         the old one       the one that it is from now on
//  Notify         who is woken      source            number woken or unknown_value
//  Acquire        holder            the resource
//  Release        holder            the resource
//  Label          the labelled one                                        the label
//  ShouldResolve  its end is expected; if it does not come, that is an error
//  CounterAdd     who did it                          amount, signed      the counter's name
//  CounterSet     who did it                          value, signed       the counter's name
//  SpanBegin, End who is in it                        number of the span  the span's name
//  Idle, Wake     (none): the executor goes to sleep, is back             reason
//  Pause          (none)                              nanoseconds up to   kind ("gc")
//                                                     this event
//  Send, Receive  who did it        peer              correlation id
//  Clock          (none)            ns by which       ns it is ahead,     "domain 1"
//                                   that may be wrong signed
//  Sample         current one                         stack id
//  ExecutorBegin, ExecutorEnd       (none): an OS thread takes, leaves the stream
//  Resource       who made it       the resource      index into kinds    its name
//  Capacity       (none)            the resource      how much it holds
//  ScopeEnter, ScopeExit, ScopeCancel   who does it   the scope
//  ScopeMember    the member        the scope
//  Io             who asked         the operation     result, signed      error, or its name
//  Lost           (none)                              events not recorded reason
//                                                     before this one
enum class EventKind : uint8_t {
  Create,
  Resume,
  SwitchTo,
  Suspend,
  Await,
  Ready,
  TryRead,
  Resolve,
  Fail,
  Cancel,
  Become,
  Notify,
  Acquire,
  Release,
  Label,
  ShouldResolve,
  CounterAdd,
  CounterSet,
  SpanBegin,
  SpanEnd,
  Idle,
  Wake,
  Pause,
  Send,
  Receive,
  Clock,
  Sample,
  ExecutorBegin,
  ExecutorEnd,
  Resource,
  Capacity,
  ScopeEnter,
  ScopeExit,
  ScopeCancel,
  ScopeMember,
  Io,
  Lost,
};
inline constexpr size_t event_kinds = static_cast<size_t>(EventKind::Lost) + 1;
inline constexpr uint64_t unknown_value = UINT64_MAX;

// The model's word for it ("create", "try_read"); stable, used in text output and queries.
std::string_view name(EventKind kind);

namespace flag {
// The subject is current on the executor from this event on, although the event is no Resume:
// mirage-profile's read (1) and signal (9).
inline constexpr uint8_t makes_current = 1;
// The event's time was damaged and is the time of its predecessor.
inline constexpr uint8_t time_guessed = 2;
}  // namespace flag

struct EventRow {
  uint64_t time = 0;  // nanoseconds since the beginning of the trace, Facts::start
  TaskId task = no_task;
  TaskId other = no_task;
  uint64_t value = 0;
  StringId text = 0;
  uint32_t location = 0;  // index into Trace::locations; 0: unknown
  uint32_t executor = 0;  // index into Trace::executors
  EventKind kind = EventKind::Lost;
  uint8_t flags = 0;
};

// How a column keeps a value: so that the usual ones are small numbers.
enum class Coding : uint8_t {
  Plain,
  OneMore,  // no_task, the largest number, is 0
  Signed,   // zigzag: 0, -1, 1, -2 ... are 0, 1, 2, 3
};

inline constexpr size_t block_rows = 512;  // unpacked they fit in a first-level cache

// One array. Of the rows of a block only the low bytes in which they differ are kept, 0, 1, 2, 4 or
// 8 of each, and what they have in common once. So any row is found without a search or a branch:
//
//    pieces_[row / block_rows]  ->  bytes  |row 0|row 1|...       value = common | bytes & mask
//
// The block that is being filled is not packed: its piece says so by its mask.
template <typename T, Coding coding = Coding::Plain>
class Column {
 public:
  T operator[](size_t row) const {
    const Piece& piece = pieces_[row / block_rows];
    uint64_t value;
    std::memcpy(&value, piece.bytes + (row % block_rows << piece.shift), sizeof value);
    return decode(piece.common | (value & piece.mask));
  }

  using Rows = std::array<T, block_rows>;

  // The rows of block `row / block_rows`, for those who look at all of them: a third of the time of
  // asking for each. Behind the last row there are no values.
  Rows block(size_t row) const {
    const Piece& piece = pieces_[row / block_rows];
    switch (piece.mask) {
      case 0:
        return widened<uint8_t, 0>(piece);
      case UINT8_MAX:
        return widened<uint8_t>(piece);
      case UINT16_MAX:
        return widened<uint16_t>(piece);
      case UINT32_MAX:
        return widened<uint32_t>(piece);
      default:
        return widened<uint64_t>(piece);
    }
  }

 private:
  friend class Events;

  struct Piece {
    const uint8_t* bytes;  // 7 more than its rows take can be read
    uint64_t mask;
    uint64_t common;
    uint8_t shift;  // a row takes 1 << shift bytes
  };

  static T encode(T value) {
    if constexpr (coding == Coding::OneMore) return value + 1;
    if constexpr (coding == Coding::Signed) return value << 1 ^ (0 - (value >> 63));
    return value;
  }
  static T decode(uint64_t stored) {
    if constexpr (coding == Coding::OneMore) return stored - 1;
    if constexpr (coding == Coding::Signed) return stored >> 1 ^ (0 - (stored & 1));
    return static_cast<T>(stored);
  }

  template <typename Narrow, size_t stride = sizeof(Narrow)>
  static Rows widened(const Piece& piece) {
    Rows rows;
    for (size_t i = 0; i < block_rows; i++) {
      Narrow low;
      std::memcpy(&low, piece.bytes + i * stride, sizeof low);
      rows[i] = decode(piece.common | (low & piece.mask));
    }
    return rows;
  }

  void begin_block(const Rows& rows);
  // Packs the last block to `to`, at most sizeof(Rows); returns where its bytes end.
  uint8_t* pack(const Rows& rows, uint8_t* to);

  std::vector<Piece> pieces_;
};

class Events {
 private:
  struct Block {
    std::array<uint64_t, block_rows> time, task, other, value;
    std::array<uint32_t, block_rows> text, location, executor;
    std::array<EventKind, block_rows> kind;
    std::array<uint8_t, block_rows> flags;
    uint8_t behind[8];  // a row is read as 8 bytes
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

  // When there is no more memory the event is counted in dropped() and forgotten.
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

  // Gives the last event, if there is one, another time and more flags.
  void amend_last(uint64_t new_time, uint8_t more_flags);

  EventRow row(size_t index) const;

  // visit(const EventRow&) for every event, in their order: a third of the time of row() for each.
  template <typename Visit>
  void for_each(const Visit& visit) const;

  uint64_t dropped() const { return dropped_; }

  // What the columns take.
  size_t bytes() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  bool next_block();
  uint8_t* room();

  std::unique_ptr<Block, Free> open_;  // the rows from the last multiple of block_rows on
  size_t size_ = 0;
  uint64_t dropped_ = 0;
  std::vector<std::unique_ptr<uint8_t, Free>> chunks_;  // packed blocks lie in these
  size_t chunk_left_ = 0;
  uint8_t* chunk_at_ = nullptr;
  size_t chunk_bytes_ = 0;
};

template <typename Visit>
void Events::for_each(const Visit& visit) const {
  for (size_t begin = 0; begin < size_; begin += block_rows) {
    const auto times = time.block(begin);
    const auto tasks = task.block(begin);
    const auto others = other.block(begin);
    const auto values = value.block(begin);
    const auto texts = text.block(begin);
    const auto locations = location.block(begin);
    const auto executors = executor.block(begin);
    const auto kinds = kind.block(begin);
    const auto all_flags = flags.block(begin);
    const size_t count = size_ - begin < block_rows ? size_ - begin : block_rows;
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

// How many there are of each kind.
std::array<uint64_t, event_kinds> count_kinds(const Events& events);

struct Location {
  StringId file = 0;
  StringId function = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

struct Executor {
  StringId name = 0;
  uint64_t tid = 0;  // 0: unknown
  uint32_t stream = 0;
};

// Something that was in the trace and is not in the columns. A number that cannot be known is
// empty. Events 0: what was read is altered, and nothing is missing (a time that had to be
// guessed).
struct Loss {
  std::string what;       // "packet header damaged", "event cut short", "dropped by the recorder"
  std::string file = {};  // the file it is in; empty for a trace of one file
  uint64_t offset = 0;    // where it begins in that file
  std::optional<uint64_t> bytes = {};
  std::optional<uint64_t> packets = {};
  std::optional<uint64_t> events = {};
};

// Appends it to the list; a trace that is damaged everywhere must not make the list as long as the
// trace, so from the thousandth on losses are summed up in one.
void add_loss(std::vector<Loss>& losses, Loss loss);

struct Facts {
  std::string format;  // "mirage-profile", "skein"
  std::string carrier;  // what it lies in when that is another tool's format: "FXT"; else empty
  std::string host;    // empty: unknown
  std::string program;
  uint64_t pid = 0;    // 0: unknown
  std::string clock;   // "tsc 2400000000 Hz", "nanoseconds"; for people
  uint64_t start = 0;  // the trace's own clock, in nanoseconds, at time 0
  // Add it to `start` + time to get nanoseconds since 1970 UTC; empty: the clock's zero is unknown.
  std::optional<int64_t> utc_offset = {};
  uint64_t packets = 0;  // that were read, in all streams
  uint64_t streams = 0;
  // A ring forgets its oldest packets, each stream's at another time: how many are gone, and from
  // when on (as EventRow::time) every stream has all its events.
  uint64_t overwritten_packets = 0;
  uint64_t complete_from = 0;
  // How many events there are by the names the format itself uses, in the format's order; empty for
  // our own format, whose events are the model's.
  std::vector<std::pair<std::string, uint64_t>> wire_kinds;
  // Records that are no events but say what the numbers in events mean (texts, places), by name.
  std::vector<std::pair<std::string, uint64_t>> definitions;
};

// What was loaded where in the recorded program.
struct Module {
  uint64_t base = 0;
  uint64_t size = 0;
  StringId build_id = 0;  // hexadecimal
  StringId path = 0;
};

// A task or resource that was alive when a ring was read, or when its program died: what the
// program's table of live tasks says of it, which nothing overwrites.
struct Alive {
  enum class State : uint8_t { Created, Running, Suspended, Resource };

  TaskId id = no_task;
  TaskId parent = no_task;
  TaskId on = no_task;  // what it waits for; of a resource: its holder
  int64_t since = 0;  // when it came into this state, as EventRow::time; before the trace: negative
  StringId label = 0;
  StringId name = 0;           // what it was created as
  uint32_t kind = UINT32_MAX;  // index into Trace::kinds; UINT32_MAX: unknown
  uint32_t location = 0;       // where it was created; index into Trace::locations
  uint32_t at = 0;             // likewise, where it waits
  uint32_t executor = 0;       // it runs on or ran on last; index into Trace::executors
  State state = State::Created;
  bool should_resolve = false;
};

struct Trace {
  Facts facts;
  Events events;
  Strings strings;
  std::vector<Location> locations = {Location{}};  // [0]: unknown
  std::vector<Executor> executors;
  std::vector<StringId> kinds;  // names of the kinds of tasks, by Create's value; of resources too
  std::vector<Module> modules;
  std::vector<Loss> losses;
  std::vector<Alive> alive;  // by id, each once; only of a ring that has overwritten something

  // Null for one that was not, or of which nothing is known.
  const Alive* find_alive(TaskId id) const;
};

// To its losses the events for which there was no memory (Events::dropped), if any: from `offset`
// of the file on nothing is there.
void add_dropped(Trace& trace, uint64_t offset);

}  // namespace skein
