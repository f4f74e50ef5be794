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
// 46 bytes an event (EventRow is what one is put together from). Events are in the order of time,
// and within one stream in the order they were written. Texts and source locations are ids: they
// are few and repeat. Nothing here knows a format; where a format has other events than the model,
// what it calls them is kept as a count by name in `Facts::wire_kinds`.
//
// Rejected: a vector of structs (twice the memory traffic for a scan of one field); std::vector per
// column (one capacity check per column and event, and growing copies: realloc of a big block moves
// pages instead); an own id per format (every user would need one switch per format).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
//  Clock          (none)            clock domain      its reading
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

// Lets the kernel give big arrays big pages: the first touch of small ones was a third of the time
// that decoding took.
void prefer_large_pages(void* begin, size_t size);

// One array. Grows by realloc, never constructs; a failed growth leaves it as it was.
template <typename T>
class Column {
 public:
  Column() = default;
  Column(Column&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Column& operator=(Column&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~Column() { std::free(data_); }

  T& operator[](size_t index) { return data_[index]; }
  const T& operator[](size_t index) const { return data_[index]; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  bool grow(size_t count) {
    if (count > SIZE_MAX / sizeof(T)) return false;
    void* larger = std::realloc(data_, count * sizeof(T));
    if (!larger) return false;
    data_ = static_cast<T*>(larger);
    prefer_large_pages(data_, count * sizeof(T));
    return true;
  }

 private:
  T* data_ = nullptr;
};

class Events {
 public:
  Column<uint64_t> time;
  Column<TaskId> task;
  Column<TaskId> other;
  Column<uint64_t> value;
  Column<StringId> text;
  Column<uint32_t> location;
  Column<uint32_t> executor;
  Column<EventKind> kind;
  Column<uint8_t> flags;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Makes room; without it, append does. False when there is no memory for that.
  bool reserve(size_t count);

  // When there is no more memory the event is counted in dropped() and forgotten.
  void append(const EventRow& row) {
    if (size_ == capacity_ && !reserve(capacity_ < 1024 ? 1024 : capacity_ * 2)) {
      dropped_++;
      return;
    }
    time[size_] = row.time;
    task[size_] = row.task;
    other[size_] = row.other;
    value[size_] = row.value;
    text[size_] = row.text;
    location[size_] = row.location;
    executor[size_] = row.executor;
    kind[size_] = row.kind;
    flags[size_] = row.flags;
    size_++;
  }

  EventRow row(size_t index) const;
  uint64_t dropped() const { return dropped_; }

  // Puts the events in the order of time; equal times keep their order. For readers of several
  // streams. Does nothing when they are in order.
  bool sort_by_time();

 private:
  size_t size_ = 0;
  size_t capacity_ = 0;
  uint64_t dropped_ = 0;
};

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

struct Trace {
  Facts facts;
  Events events;
  Strings strings;
  std::vector<Location> locations = {Location{}};  // [0]: unknown
  std::vector<Executor> executors;
  std::vector<StringId> kinds;  // names of the kinds of tasks, by Create's value; of resources too
  std::vector<Module> modules;
  std::vector<Loss> losses;
};

}  // namespace skein
