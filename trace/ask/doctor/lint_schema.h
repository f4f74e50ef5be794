// The description of each lint: one row per lint, used by `skein doctor --list`, --only, JSON and
// the tests of the documents.
//
//   const LintSchema& schema = lint_schema(Lint::RanTooLong);
//   print(schema.name);        // "ran-too-long"
//   options.*schema.limit      // 100'000'000 ns
//
// To add a lint: an enumerator in finding.h, a row here, its function (lints.h names the files),
// and its sentence in report/doctor.cc. CONTRIBUTING.md lists the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/ask/doctor/finding.h"

namespace skein {

struct LintSchema {
  Lint lint;
  std::string_view name;     // stable: used in text, JSON and options
  std::string_view meaning;  // one line
  // The option with its threshold; its initial value is the default. Null if it has none.
  uint64_t DoctorOptions::*limit = nullptr;
};

// In the order of Lint.
inline constexpr std::array<LintSchema, lint_count> lint_schemas = {{
    {.lint = Lint::NotifyBeforeWait,
     .name = "notify-before-wait",
     .meaning = "a notification woke no task, and a task began to wait for it later"},
    {.lint = Lint::LockOrderCycle,
     .name = "lock-order-cycle",
     .meaning = "locks are acquired in inconsistent order"},
    {.lint = Lint::DestroyedUnresolved,
     .name = "destroyed-unresolved",
     .meaning = "a task was destroyed while another task depends on it"},
    {.lint = Lint::NeverStarted,
     .name = "never-started",
     .meaning = "a task was created but never started"},
    {.lint = Lint::HandlerNeverInvoked,
     .name = "handler-never-invoked",
     .meaning = "a handler was never invoked",
     .limit = &DoctorOptions::suspended},
    {.lint = Lint::SuspendedTooLong,
     .name = "suspended-too-long",
     .meaning = "a task waited too long for a lock or for its turn to run, or should have ended",
     .limit = &DoctorOptions::suspended},
    {.lint = Lint::RanTooLong,
     .name = "ran-too-long",
     .meaning = "a task blocked its thread by running without suspending",
     .limit = &DoctorOptions::running},
    {.lint = Lint::LockAcrossWait,
     .name = "lock-across-wait",
     .meaning = "a lock holder waited for something else while others waited for the lock",
     .limit = &DoctorOptions::held},
    {.lint = Lint::OperationPending,
     .name = "operation-pending",
     .meaning = "a send, or an operation another task waits for, is still pending",
     .limit = &DoctorOptions::suspended},
    {.lint = Lint::SelfWake,
     .name = "self-wake",
     .meaning = "a task keeps waking or reposting itself"},
    {.lint = Lint::SequentialAwaits,
     .name = "sequential-awaits",
     .meaning = "a task awaited similar tasks one after the other (a note: they may be dependent)"},
    {.lint = Lint::CounterOnlyGrows,
     .name = "counter-only-grows",
     .meaning = "a counter keeps growing"},
    {.lint = Lint::QueueOnlyGrows,
     .name = "queue-only-grows",
     .meaning = "a queue, or the number of waiters on a lock, keeps growing"},
}};
// A missing row would leave an empty one at the end.
static_assert([] {
  for (size_t i = 0; i < lint_count; i++) {
    const LintSchema& row = lint_schemas[i];
    if (row.lint != static_cast<Lint>(i) || row.name.empty() || row.meaning.empty()) return false;
  }
  return true;
}());

constexpr const LintSchema& lint_schema(Lint lint) {
  return lint_schemas[static_cast<size_t>(lint)];
}

}  // namespace skein
