// Events of the model as stored by skein in a file of another format: complete, each with the names
// of its fields, so that reading restores what was exported.
//
//   RowBuilder builder(trace);
//   builder.begin("create");
//   builder.number("task", 7), builder.text("type", "coroutine") ...
//   if (const auto row = builder.finish()) trace.events.append(*row);
//
// A clock reading is given by its fields, a stack by its number. Omitted fields have their default
// value: no_task, 0, the empty string. The value of Create and Resource is a kind, given by name as
// "type". TraceInfo and executors are given in the same way.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "trace/read/trace.h"

namespace skein {

// Limit on executors, processes and machines: a foreign file can name any number.
inline constexpr uint64_t most_executors = 1 << 16;

class RowBuilder {
 public:
  explicit RowBuilder(Trace& trace) : trace_(trace) {}

  // `kind`: a name(EventKind); "trace" for TraceInfo, "thread" for an executor, "process" or
  // "machine". Returns false if it is unknown.
  bool begin(std::string_view kind);
  // Sets a field. Unknown fields are ignored.
  void number(std::string_view field, uint64_t value);
  void text(std::string_view field, std::string_view value);
  // Returns the event, whose time and executor the caller must set. Applies anything else to the
  // trace, and returns empty.
  std::optional<EventRow> finish();
  // Returns the index of the executor with this number in the file. Executors are in the order in
  // which the file first mentions them, so numbers that it does not mention need no memory. Numbers
  // after the first most_executors belong to the last of them.
  uint32_t executor(uint64_t number);

 private:
  enum class RowTarget { Nothing, Event, TraceInfo, Executor, Process, Machine };

  // Sets a number that was too large for the format.
  void digits(std::string_view field, std::string_view value);

  Trace& trace_;
  RowTarget target_ = RowTarget::Nothing;
  EventRow row_;
  Location location_;
  uint64_t index_ = 0;  // of an executor, a process or a machine
  Executor executor_;
  Process process_;
  Machine machine_;
  ClockReading reading_;
  std::map<std::array<uint32_t, 4>, uint32_t> locations_;
  std::map<StringId, uint64_t> kinds_;
  std::map<uint64_t, uint32_t> stacks_;
  std::unordered_map<uint64_t, uint32_t> executors_;  // values: indices into Trace::executors
  uint64_t last_number_ = 0;                          // consecutive events usually have the same
  uint32_t last_executor_ = 0;
};

}  // namespace skein
