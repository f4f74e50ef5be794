// The results of lints, and the list of lints; lint_schema.h has their names and meanings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/ask/cpu_use.h"
#include "trace/ask/held_objects.h"
#include "trace/model/model.h"

namespace skein {

enum class Lint : uint8_t {
  NotifyBeforeWait,
  LockOrderCycle,
  DestroyedUnresolved,
  NeverStarted,
  HandlerNeverInvoked,
  SuspendedTooLong,
  RanTooLong,
  LockAcrossWait,
  OperationPending,
  SelfWake,
  SequentialAwaits,
  CounterOnlyGrows,
  QueueOnlyGrows,  // the last one: lint_count
};
inline constexpr size_t lint_count = static_cast<size_t>(Lint::QueueOnlyGrows) + 1;
// "notify-before-wait"; stable, used in text, JSON and options.
std::string_view name(Lint lint);
std::optional<Lint> find_lint(std::string_view name);

struct DoctorOptions {
  uint64_t suspended = 1'000'000'000;  // shortest wait to report, ns
  uint64_t running = 100'000'000;      // shortest run without a suspension to report, ns
  uint64_t held = 100'000'000;         // shortest wait to report for a lock whose holder waits, ns
  double self_wake_share = 0.5;        // least share of self-wakes in the wake-ups of a task ...
  uint64_t self_wakes = 100;           // ... and their least number
  uint64_t posts = 10'000;             // least number of handlers in a row that post each other
  bool is_live = false;                // the program still runs: its tasks may still end
  bool strict = false;                 // also report findings that are usually intended
  uint32_t lints = UINT32_MAX;         // bit 1 << lint: the lint is enabled
};

struct Finding {
  // Note: what is usually intended, mostly only with `strict`.
  enum class Severity : uint8_t { Error, Warning, Note };

  struct Evidence {
    enum class Kind : uint8_t {
      Created,  // `task`, by `other`
      Ended,    // `task`, by `other`: see Model::Task::how
      // `task` for `other` (no_index: unknown), from begin to end. Of SequentialAwaits, the first
      // has a value: the number of waits.
      Waits,
      CouldRun,  // `task` was runnable but did not run
      Runs,  // `task`, `of` ns within that interval; value: the number of other tasks runnable then
      Notified,  // `task`, a task or resource, by `other`; value: the number of tasks woken
      Holds,     // `task` the lock `other`
      Takes,     // `task` acquires the lock `other` without a wait
      // `task`, by itself; value: the number of self-wakes, of `of` wake-ups. `of` is 0: the last
      // of `value` handlers that posted each other, or, in a note, its waits in a row.
      Woken,
      Level,  // `task` or the counter has `value` at begin
    };
    Kind kind;
    uint64_t begin = 0;
    uint64_t end = 0;  // begin: a point in time; Waits::never: it lasts at the end of the trace
    TaskIndex task = no_index;
    TaskIndex other = no_index;
    uint32_t location = 0;
    uint64_t value = 0;
    uint64_t of = 0;
  };

  Lint lint;
  Severity severity = Severity::Warning;
  TaskIndex task = no_index;   // the task or resource; no_index: a counter
  TaskIndex other = no_index;  // its target, or the resource it holds; see the evidence
  StringId counter = 0;
  // The range to draw.
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<Evidence> evidence = {};
  uint64_t duration = 0;           // ns, if the lint measures one
  std::optional<CpuUse> cpu = {};  // RanTooLong: that of its thread in that time; empty: unknown
  std::optional<HeldObject> held = {};  // LockAcrossWait of an object that `other` is not
  uint64_t count = 1;                   // number of similar findings
  uint64_t total = 0;                   // their total duration, ns
};
// "error"; stable, used in text and JSON.
std::string_view name(Finding::Severity severity);

}  // namespace skein
