#include "view/viewer/panel/panels.h"

#include <algorithm>
#include <cmath>

#include "base/percent.h"
#include "trace/model/names.h"
#include "view/viewer/panel/panel_writer.h"

namespace skein {

using Interaction = Model::Interaction;
using Link = Model::Link;

namespace {

void write_arrow(PanelWriter& out, const Interaction& arrow) {
  out.title("Arrow");
  out.task("from", arrow.from, out.on_clock(arrow.from_time));
  out.line("", std::string(verb(arrow.link)));
  out.task("to", arrow.to, out.on_clock(arrow.to_time));
  out.at_time("source time", arrow.from_time);
  out.at_time("target time", arrow.to_time,
              ", after " + interval_text(arrow.from_time, arrow.to_time));
}

void write_interval(PanelWriter& out, std::string_view title,
                    const Model::ExecutorInterval& interval) {
  const Trace& trace = out.of().trace;
  out.title(std::string(title));
  if (interval.reason != 0) out.line("reason", safe_text(trace.strings[interval.reason]));
  if (out.of().has_executors()) out.line("executor", executor_text(trace, interval.executor));
  out.line("duration", interval_text(interval.start, interval.end));
  out.at_time("from", interval.start);
  out.at_time("to", interval.end);
}

void write_lane(PanelWriter& out, uint32_t executor) {
  const Model& model = out.of().model;
  out.title(executor_text(out.of().trace, executor));
  uint64_t running = 0, activations = 0, first = UINT64_MAX, last = 0;
  for (const Model::Activation& activation : model.activations) {
    if (activation.executor != executor) continue;
    running += activation.end - activation.start;
    activations++;
    first = std::min<uint64_t>(first, activation.start);
    last = std::max<uint64_t>(last, activation.end);
  }
  out.line("ran", duration_text(running) + " in " + counted(activations, "activation"));
  if (activations == 0) return;
  out.line("share", percent_text(static_cast<double>(running), static_cast<double>(last - first)));
  out.at_time("first", first);
  out.at_time("last", last);
}

void write_counter(PanelWriter& out, const Model::Counter& counter) {
  out.title(safe_text(out.of().trace.strings[counter.name]));
  out.line("changes", grouped(counter.points.size()));
  if (counter.points.empty()) return;
  const auto [low, high] =
      std::minmax_element(counter.points.begin(), counter.points.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; });
  out.at_time("minimum", low->time, ": " + std::to_string(low->value));
  out.at_time("maximum", high->time, ": " + std::to_string(high->value));
  out.at_time("last", counter.points.back().time,
              ": " + std::to_string(counter.points.back().value));
}

// The limitations of a trace that the user should know before trusting its picture; empty if there
// are none.
std::string missing(const Trace& trace) {
  uint64_t events = trace.events.dropped();
  size_t losses = events != 0;
  bool unknown = false;
  for (const Loss& loss : trace.losses) {
    if (loss.events == uint64_t{0}) continue;
    losses++;
    events += loss.events.value_or(0);
    unknown = unknown || !loss.events;
  }
  if (losses == 0) return std::string(trace.events.empty() ? no_events : "");
  std::string text = trace.events.empty() ? "no events can be read: " : "incomplete: ";
  const size_t listed = trace.losses.size();  // as listed in the panel and by info
  if (listed == 1 && trace.events.dropped() == 0)
    return text + safe_text(loss_text(trace.losses[0])) + ".";
  text += events == 0 ? "an unknown number of events"
                      : (unknown ? "at least " : "") + counted(events, "event");
  return text + " in " + counted(std::max(listed, losses), "loss", "losses") + ".";
}

}  // namespace

PanelWriter Panels::about(uint32_t track) {
  const SessionTrace& of = shared_.session[track];
  PanelWriter out(panel_, targets_, of, shared_.findings, track, more_);
  if (shared_.session.size() > 1) out.heading("trace", of.title);
  return out;
}

const Panel& Panels::panel(const View& view) {
  if (version_ == shared_.text_version) return panel_;
  version_ = shared_.text_version;
  const Selection& selection = shared_.selection;
  if (item_ != selection.item()) more_ = 0;
  item_ = selection.item();
  panel_ = {};
  targets_.clear();
  if (selection.measures() && (selection.range_is_latest() || !selection.has_item()))
    write_range();
  else
    write_item(view);
  return panel_;
}

void Panels::write_item(const View& view) {
  const Session& session = shared_.session;
  if (!shared_.selection.has_item()) {
    for (uint32_t i = 0; i < session.size(); i++) {
      PanelWriter out = about(i);
      out.title(session.size() > 1 ? std::to_string(session.size()) + " traces" : session[i].title);
      write_trace(out);
    }
    if (session.size() > 1)
      panel_.lines.push_back(
          {.name = "aligned", .value = session.by_clock() ? "by clock" : "by start"});
    return;
  }
  const Model& model = session[item_.track].model;
  PanelWriter out = about(item_.track);
  switch (item_.kind) {
    case Item::Kind::Task:
      return write_task(out, item_.index, view);
    case Item::Kind::Interaction:
      return write_arrow(out, model.interactions[item_.index]);
    case Item::Kind::Counter:
      return write_counter(out, model.counters[item_.index]);
    case Item::Kind::Lane:
      return write_lane(out, item_.index);
    case Item::Kind::Sleep:
      return write_interval(out, "Asleep", model.sleeps[item_.index]);
    default:
      return write_interval(out, "Pause", model.pauses[item_.index]);
  }
}

void Panels::write_range() {
  const double from = std::min(shared_.selection.from(), shared_.selection.to());
  const double to = std::max(shared_.selection.from(), shared_.selection.to());
  panel_.title = "Range of " + duration_text(to - from);
  for (uint32_t i = 0; i < shared_.session.size(); i++) {
    PanelWriter out = about(i);
    skein::write_range(out, from, to);
  }
}

bool Panels::target(const View& view, uint32_t link, PanelTarget& target) {
  panel(view);  // links refer to what is shown now
  if (link == 0 || link > targets_.size()) return false;
  target = targets_[link - 1];
  return true;
}

void Panels::show_more() {
  more_ += 1'000;
  version_ = 0;
}

std::string Panels::tooltip(const View& view) const {
  const Item item = view.pointed_item();
  std::string text = text_of(item);
  if (const std::string state = view.pointed_state(); !state.empty())
    return text.empty() ? state : state + "\n" + text;
  if (item.kind != Item::Kind::Task || item.track != shared_.path.track()) return text;
  const double time = view.pointed_time() - shared_.session[item.track].offset;
  if (const Segment* segment = shared_.path.at(item.index, time))
    text += "\n" + shared_.path.title(shared_.session, *segment);
  return text;
}

std::string Panels::text_of(const Item& item) const {
  if (item.kind == Item::Kind::Nothing || item.kind == Item::Kind::Axis) return {};
  const Trace& trace = shared_.session[item.track].trace;
  const Model& all = shared_.model(item.track);
  const auto interval = [&](std::string_view what, const Model::ExecutorInterval& s) {
    std::string text(what);
    if (s.reason != 0) text += ": " + safe_text(trace.strings[s.reason], 100);
    return text + ", " + interval_text(s.start, s.end);
  };
  switch (item.kind) {
    case Item::Kind::Task: {
      const Model::Task& task = all.tasks[item.index];
      std::string text = task_text(trace, all, item.index) + "\n" + kind_text(trace, task) + ", " +
                         interval_text(task.start, task.end);
      if (task.is_unresolved()) text += ", marked should_resolve";
      if (task.failed()) text += ", failed: " + safe_text(trace.strings[task.reason], 100);
      if (task.how == Model::End::Cancelled) text += ", cancelled";
      return text;
    }
    case Item::Kind::Interaction: {
      const Interaction& arrow = all.interactions[item.index];
      return task_text(trace, all, arrow.from) + "\n" + std::string(verb(arrow.link)) + "\n" +
             task_text(trace, all, arrow.to);
    }
    case Item::Kind::Counter:
      return safe_text(trace.strings[all.counters[item.index].name], 100);
    case Item::Kind::Lane:
      return executor_text(trace, item.index);
    case Item::Kind::Sleep:
      return interval("Asleep", all.sleeps[item.index]);
    default:
      return interval("Pause", all.pauses[item.index]);
  }
}

std::string Panels::notice() const {
  std::string text;
  for (const auto& of : shared_.session)
    if (const std::string what = missing(of->trace); !what.empty())
      text.append(text.empty() ? "" : " ").append(of->title).append(": ").append(what);
  return text;
}

std::string Panels::alarm() const {
  std::string text = shared_.annotations.text();
  // A profile that was opened from a copy of its trace has no annotations.
  for (size_t i = 0; i < shared_.session.size() && text.empty(); i++)
    if (const Trace& trace = shared_.session[i].trace; trace.info.is_sampled())
      text = sampled_note(trace);
  std::string_view before = text.empty() ? "" : ". ";
  for (size_t i = 0; i < shared_.session.size(); i++) {
    const std::string& alarm = shared_.findings[i].alarm;
    if (alarm.empty()) continue;
    text += before;
    before = "; ";
    if (shared_.session.size() > 1) text += shared_.session[i].title + ": ";
    text += alarm;
  }
  return text;
}

}  // namespace skein
