// The table of what the kernel did with the threads.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;
using Number = std::optional<int64_t>;

const ThreadInterval& interval(const Source& source, size_t row) {
  return source.thread_intervals().all()[row];
}
uint32_t executor(const Source& source, size_t row) {
  return source.thread_intervals().executor(interval(source, row).tid);
}
bool has_executor(const Source& source, size_t row) {
  return executor(source, row) < source.trace().executors.size();
}

std::string_view state_name(ThreadState state) {
  switch (state) {
    case ThreadState::Running:
      return "running";
    case ThreadState::Preempted:
      return "preempted";
    case ThreadState::Blocked:
      return "blocked";
    case ThreadState::Runnable:
      return "runnable";
    default:
      return {};
  }
}

}  // namespace

const QueryTable& thread_state_table() {
  static const QueryTable table{
      .name = "thread_state",
      .about = "what the kernel did with the threads (skein record --sched)",
      .columns =
          {{.name = "tid",
            .about = "of the OS; threads of the program that are no executors, too",
            .number = [](const Source& s, size_t row) -> Number { return interval(s, row).tid; }},
           {.name = "executor",
            .about = "the thread; NULL: no executor",
            .text = [](const Source& s, size_t row) -> std::string_view {
              if (!has_executor(s, row)) return {};
              return s.executor(executor(s, row));
            }},
           {.name = "executor_id",
            .about = "id in executor",
            .number = [](const Source& s, size_t row) -> Number {
              if (!has_executor(s, row)) return {};
              return executor(s, row);
            }},
           {.name = "start_ns",
            .about = "ns since the trace began",
            .number = [](const Source& s, size_t row) -> Number {
              return sql_time(interval(s, row).begin);
            }},
           {.name = "end_ns",
            .about = "ns since the trace began",
            .number = [](const Source& s, size_t row) -> Number {
              return sql_time(interval(s, row).end);
            }},
           {.name = "duration_ns",
            .about = "ns",
            .number = [](const Source& s, size_t row) -> Number {
              return sql_time(interval(s, row).end - interval(s, row).begin);
            }},
           {.name = "state",
            .about = "running (on a CPU), preempted, blocked, runnable (woken, without a CPU)",
            .text = [](const Source& s, size_t row) { return state_name(interval(s, row).state); }},
           {.name = "cpu",
            .about = "its CPU, or its last one; NULL: unknown",
            .number = [](const Source& s, size_t row) -> Number {
              if (interval(s, row).cpu == 0) return {};
              return int64_t{interval(s, row).cpu} - 1;
            }},
           {.name = "other_tid",
            .about = "preempted: the thread that ran instead; runnable: which woke it",
            .number = [](const Source& s, size_t row) -> Number {
              if (interval(s, row).other == 0) return {};
              return interval(s, row).other;
            }},
           {.name = "other",
            .about = "the name of that thread",
            .text = [](const Source& s, size_t row) { return s.text(interval(s, row).name); }},
           {.name = "function",
            .about = "blocked: the kernel's function that waits, as far as known",
            .text = [](const Source& s, size_t row) { return s.text(interval(s, row).function); }},
           {.name = "stack",
            .about = "blocked, preempted: its stack, as in sample; NULL: unknown",
            .number = [](const Source& s, size_t row) -> Number {
              const uint32_t stack = interval(s, row).stack;
              if (stack == ThreadInterval::no_stack) return {};
              return static_cast<int64_t>(s.trace().stacks.number(stack));
            }}},
      .rows = [](const Source& s) { return s.thread_intervals().all().size(); },
  };
  return table;
}

}  // namespace skein
