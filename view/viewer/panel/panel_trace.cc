#include <algorithm>

#include "trace/model/names.h"
#include "view/viewer/panel/panel_writer.h"

namespace skein {

using End = Model::End;
using Task = Model::Task;

void write_trace(PanelWriter& out) {
  const Trace& trace = out.of().trace;
  const Model& model = out.of().model;
  const TraceInfo& info = trace.info;
  out.line("format", safe_text(info.format));
  for (const Process& process : trace.processes)
    if (!process.name.empty())
      out.line("program",
               safe_text(process.name) +
                   (process.pid ? " (process " + std::to_string(process.pid) + ")" : ""));
  for (const Machine& machine : trace.machines)
    if (!machine.name.empty()) out.line("host", safe_text(machine.name));
  if (info.utc_offset)
    out.line("began",
             utc_text(static_cast<int64_t>(info.start + static_cast<uint64_t>(*info.utc_offset)),
                      1'000'000));
  out.line("duration", duration_text(static_cast<double>(out.of().until())) +
                           (out.of().life.running ? " so far, still running" : ""));
  out.line("events", grouped(trace.events.size()));
  size_t ended = 0;
  size_t failed = 0;
  size_t stuck = 0;
  size_t tasks = 0;
  const auto has_failed = [&](const Task& task) {
    return task.failed() && !was_aborted(trace, task);
  };
  for (const Task& task : model.tasks) {
    if (task.is_resource) continue;
    tasks++;
    ended += task.how != End::Open;
    failed += has_failed(task);
    stuck += task.is_unresolved();
  }
  out.line("tasks", grouped(tasks));
  if (!info.is_sampled()) out.line("ended", grouped(ended));
  const auto list = [&](std::string_view name, size_t count, auto&& is_one) {
    if (count == 0) return;
    out.line(name, grouped(count));
    size_t listed = 0;
    for (TaskIndex i = 0; i < model.tasks.size() && listed < out.limit(20); i++)
      if (is_one(model.tasks[i])) {
        out.task("", i);
        listed++;
      }
    out.more("", count - listed);
  };
  list("failed", failed, has_failed);
  list("unresolved", stuck, [](const Task& task) { return task.is_unresolved(); });
  size_t listed_faults = 0;
  for (const Diagnosis& d : out.findings().end.diagnoses()) {
    if (!d.is_error() || listed_faults++ == out.limit(20)) break;
    out.task(listed_faults == 1 ? "stuck" : "", out.shown(d.chain[0].task), no_time,
             ": " + std::string(name(d.verdict)));
  }
  if (out.of().has_executors()) {
    const std::vector<uint8_t>& used = out.of().executors;
    size_t listed = 0;
    out.line("executors", std::to_string(std::count(used.begin(), used.end(), 1)));
    for (uint32_t i = 0; i < used.size() && listed < 20; i++)
      if (used[i] && ++listed) out.line("", executor_text(trace, i));
  }
  for (size_t i = 0; i < model.counters.size() && i < 50; i++)
    if (const Model::Counter& counter = model.counters[i]; !counter.points.empty())
      out.line("counter", safe_text(trace.strings[counter.name], 100) + ": " +
                              std::to_string(counter.points.back().value));
  if (info.overwritten_packets != 0)
    out.line("mode", std::string("ring: ") + (info.complete_from ? "some " : "") +
                         "events before " + out.time(info.complete_from) + " were overwritten");
  const size_t losses = std::min(trace.losses.size(), out.limit(20));
  for (size_t i = 0; i < losses; i++) out.line("lost", safe_text(loss_text(trace.losses[i])));
  out.more("", trace.losses.size() - losses);
}

}  // namespace skein
