// Events of the model, whole, as they lie in a file of another format that skein wrote: each by the
// names of its fields, so that what comes back is what went out.
//
//   RowBuilder builder(trace);
//   builder.begin("create");
//   builder.number("task", 7), builder.text("type", "coroutine") ...
//   if (const auto row = builder.finish()) trace.events.append(*row);
//
// A clock reading is given by its fields, a stack by its number. Fields that are not given have
// their usual value: no_task, 0, the empty text. The value of Create and Resource is a kind, given
// by name as "type". TraceInfo or an executor is given in the same way.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "trace/read/trace.h"

namespace skein {

class RowBuilder {
 public:
  explicit RowBuilder(Trace& trace) : trace_(trace) {}

  // `kind` as name(EventKind); "trace" for TraceInfo, "thread" for an executor, "process" or
  // "machine". False: there is none of this name.
  bool begin(std::string_view kind);
  // A field that is not known is passed over.
  void number(std::string_view field, uint64_t value);
  void text(std::string_view field, std::string_view value);
  // Empty when it was no event: it is done with, then. Time and executor are the caller's to set.
  std::optional<EventRow> finish();

 private:
  enum class RowTarget { Nothing, Event, TraceInfo, Executor, Process, Machine };

  // A number that was too large for the format.
  void digits(std::string_view field, std::string_view value);

  Trace& trace_;
  RowTarget target_ = RowTarget::Nothing;
  EventRow row_;
  Location location_;
  uint64_t index_ = 0;  // of an executor
  Executor executor_;
  Process process_;
  Machine machine_;
  ClockReading reading_;
  std::map<std::array<uint32_t, 4>, uint32_t> locations_;
  std::map<StringId, uint64_t> kinds_;
  std::map<uint64_t, uint32_t> stacks_;
};

// The most executors that are believed: a file of others can name any number.
inline constexpr uint64_t most_executors = 1 << 16;

}  // namespace skein
