// What a lint reports, and which lints there are; lint_schema.h has their names and meanings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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
  CounterOnlyGrows,
  QueueOnlyGrows,
};
inline constexpr size_t lint_count = static_cast<size_t>(Lint::QueueOnlyGrows) + 1;
// "notify-before-wait"; stable, used in text, JSON and options.
std::string_view name(Lint lint);
std::optional<Lint> find_lint(std::string_view name);

struct DoctorOptions {
  uint64_t suspended = 1'000'000'000;  // a wait is too long from here on, ns
  uint64_t running = 100'000'000;      // likewise a run without a suspension
  uint64_t held = 100'000'000;         // others waited so long for a lock whose holder waited
  double self_wake_share = 0.5;        // of all wake-ups of a task ...
  uint64_t self_wakes = 100;           // ... and at least so many
  bool is_live = false;                // it still runs: what should end may end yet
  bool strict = false;                 // also what is mostly as intended
  uint32_t lints = UINT32_MAX;         // bit 1 << lint: this one is asked for
};

struct Finding {
  enum class Severity : uint8_t { Error, Warning, Note };  // Note: only when strict

  struct Evidence {
    enum class Kind : uint8_t {
      Created,   // `task`, by `other`
      Ended,     // `task`, by `other`: Model::Task::how says how
      Waits,     // `task` for `other` (no_index: the trace does not say), from begin to end
      CouldRun,  // `task`: what it waited for had ended, and it did not run
      Runs,  // `task`, `of` ns within that time; value: how many others could have run meanwhile
      Notified,  // `task`, a task or resource, by `other`; value: how many it woke
      Holds,     // `task` the lock `other`
      Takes,     // `task` the lock `other`, and has it at once
      Woken,     // `task`, by itself; value: how often, of `of` times in all
      Level,     // of `task` or the counter: value at begin
    };
    Kind kind;
    uint64_t begin = 0;
    uint64_t end = 0;  // begin: a moment; Waits::never: it lasts at the end of the trace
    TaskIndex task = no_index;
    TaskIndex other = no_index;
    uint32_t location = 0;
    uint64_t value = 0;
    uint64_t of = 0;
  };

  Lint lint;
  Severity severity = Severity::Warning;
  TaskIndex task = no_index;   // whom it is about: a task or resource; no_index: a counter
  TaskIndex other = no_index;  // what that waits for, or holds; see the evidence
  StringId counter = 0;
  // Where to look in the picture.
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<Evidence> evidence = {};
  uint64_t duration = 0;  // ns, where the lint is about one
  uint64_t count = 1;     // so many are alike, and
  uint64_t total = 0;     // so many ns took they all together
};
// "error"; stable, used in text and JSON.
std::string_view name(Finding::Severity severity);

}  // namespace skein
