// Statistics of a measured range.
#include "view/viewer/range.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/percent.h"
#include "base/text.h"
#include "trace/model/names.h"
#include "view/viewer/panel/panel_writer.h"

namespace skein {

RangeStatistics measure(const Trace& trace, const Model& model, double from, double to) {
  const auto bounded = [&](double time) {
    return static_cast<uint64_t>(std::clamp(std::ceil(time), 0.0, 1.8e19));
  };
  const uint64_t begin = bounded(from);
  const uint64_t end = bounded(to);
  const auto inside = [&](uint64_t time) { return time >= begin && time < end; };
  RangeStatistics all;
  if (begin >= end) return all;
  for (const Model::Task& task : model.tasks) {
    if (task.is_resource) continue;
    const bool ended = task.how != Model::End::Open && task.how != Model::End::Overwritten;
    if (!task.pre_existing && inside(task.start)) all.created++;
    if (ended && inside(task.end)) all.ended++;
    if (task.failed() && !was_aborted(trace, task) && inside(task.end)) all.failed++;
    // Same end as its bar, which for a live task may be its last event.
    if (task.start < end && (task.is_unresolved() || task.end >= begin)) all.alive++;
  }

  all.running.resize(std::max<size_t>(1, trace.executors.size()), 0);
  for (const Model::Activation& activation : model.activations) {
    if (activation.start >= end) break;
    if (activation.end <= begin || activation.executor >= all.running.size()) continue;
    all.running[activation.executor] +=
        std::min(activation.end, end) - std::max(activation.start, begin);
    all.activations++;
  }

  const auto first =
      std::partition_point(model.interactions.begin(), model.interactions.end(),
                           [&](const Model::Interaction& arrow) { return arrow.to_time < begin; });
  for (auto arrow = first; arrow != model.interactions.end() && arrow->to_time < end; ++arrow)
    all.interactions[static_cast<size_t>(arrow->link)]++;

  for (const Model::ExecutorInterval& pause : model.pauses) {
    if (pause.start >= end) break;
    if (pause.end > begin) all.paused += std::min(pause.end, end) - std::max(pause.start, begin);
  }

  for (const Model::Counter& counter : model.counters) {
    const auto value_before = [&](uint64_t time) -> int64_t {
      const auto after = std::partition_point(
          counter.points.begin(), counter.points.end(),
          [&](const Model::Counter::Point& point) { return point.time < time; });
      return after == counter.points.begin() ? 0 : (after - 1)->value;
    };
    all.counters.push_back({value_before(begin), value_before(end)});
  }
  return all;
}

void write_range(PanelWriter& out, double from, double to) {
  const SessionTrace& of = out.of();
  // The part of the range in this trace, including the last event.
  const double begin = std::max(from, of.begin());
  const double end = std::min(to, of.end());
  if (begin >= end) return out.line("", "outside this trace");
  const RangeStatistics all =
      measure(of.trace, of.model, begin - of.offset, end - of.offset + (to >= of.end()));
  const auto number = [&](std::string_view name, uint64_t count) {
    if (count != 0) out.line(name, grouped(count));
  };
  out.at_time("from", static_cast<uint64_t>(begin - of.offset));
  out.at_time("to", static_cast<uint64_t>(end - of.offset));
  const bool is_sampled = of.trace.info.is_sampled();  // when they began and ended is not known
  out.line(is_sampled ? "first samples" : "tasks created", grouped(all.created));
  out.line(is_sampled ? "last samples" : "tasks ended", grouped(all.ended));
  number("of these, failed", all.failed);
  out.line(is_sampled ? "tasks" : "tasks alive", grouped(all.alive));
  for (uint32_t executor = 0; executor < all.running.size(); executor++) {
    if (all.running[executor] == 0 && all.running.size() > 1) continue;
    const auto ran = static_cast<double>(all.running[executor]);
    out.line(all.running.size() > 1 ? executor_text(of.trace, executor) + " ran" : "ran",
             duration_text(ran) + ", " + percent_text(ran, end - begin));
  }
  number("activations", all.activations);
  if (all.paused != 0) out.line("paused", duration_text(static_cast<double>(all.paused)));
  static constexpr std::array<std::string_view, 6> names = {
      "results read", "failures read", "ended by another", "wake-ups", "waits", "messages"};
  for (size_t link = is_sampled ? names.size() : 0; link < names.size(); link++)
    number(names[link], all.interactions[link]);
  for (size_t c = 0; c < all.counters.size(); c++) {
    const auto [before, after] = all.counters[c];
    if (before == after) continue;
    const int64_t change =
        static_cast<int64_t>(static_cast<uint64_t>(after) - static_cast<uint64_t>(before));
    out.line(safe_text(of.trace.strings[of.model.counters[c].name], 100),
             std::to_string(before) + " to " + std::to_string(after) + " (" +
                 (change > 0 ? "+" : "") + std::to_string(change) + ")");
  }
}

}  // namespace skein
