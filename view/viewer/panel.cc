// What the panel says: of the selected task or arrow, of a measured range (range.cc), or of the
// whole trace. Every other task, and every time, is a link.
#include <algorithm>
#include <cmath>

#include "base/function_name.h"
#include "base/text.h"
#include "trace/ask/live_tasks.h"
#include "trace/model/names.h"
#include "view/viewer/panel_writer.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;
using End = Model::End;
using Link = Model::Link;
using Task = Model::Task;
using Interaction = Model::Interaction;

std::string task_text(const Trace& trace, const Model& model, TaskIndex index) {
  if (index >= model.tasks.size()) return "the loop";
  const Task& task = model.tasks[index];
  std::string text = safe_text(trace.strings[task.label ? task.label : task.name], 100);
  if (text.empty()) text = kind_text(trace, task);
  return text + " (#" + std::to_string(task.id) + ")";
}

void PanelWriter::line(std::string_view name, std::string value) {
  panel_.lines.push_back({.name = std::string(name), .value = std::move(value)});
}

void PanelWriter::heading(std::string_view name, std::string value) {
  line(name, std::move(value));
  panel_.lines.back().heading = true;
}

void PanelWriter::link(std::string_view name, std::string value, State::Target target) {
  targets_.push_back(target);
  panel_.lines.push_back({.name = std::string(name),
                          .value = std::move(value),
                          .link = static_cast<uint32_t>(targets_.size())});
}

std::string PanelWriter::time(uint64_t ns) const {
  const double bounded = std::clamp(on_line(ns), -9e18, 9e18);
  return time_text(static_cast<int64_t>(bounded), of_.model.end < 1'000'000 ? 1 : 1'000);
}

void PanelWriter::at_time(std::string_view name, uint64_t ns, std::string_view more) {
  link(name, time(ns) + std::string(more), {.track = track_, .time = on_line(ns)});
}

void PanelWriter::task(std::string_view name, TaskIndex task, double time, std::string_view more) {
  std::string text = task_text(of_.trace, of_.model, task) + std::string(more);
  if (task >= of_.model.tasks.size())
    line(name, std::move(text));
  else
    link(name, std::move(text), {.track = track_, .task = task, .time = time});
}

namespace {

constexpr size_t most_ancestors = 3;
constexpr size_t most_labels = 10;
constexpr size_t most_listed = 100;

std::string duration(uint64_t from, uint64_t to) {
  return duration_text(to > from ? static_cast<double>(to - from) : 0);
}

// What `task` did in the arrow, or what was done to it.
std::string_view role(Link link, bool acted) {
  switch (link) {
    case Link::Read:
      return acted ? "its result went to" : "read the result of";
    case Link::ReadFailure:
      return acted ? "its failure went to" : "read the failure of";
    case Link::Resolve:
      return acted ? "ended" : "was ended by";
    case Link::Notify:
      return acted ? "woke" : "was woken by";
    case Link::Await:
      return acted ? "began to wait for" : "was awaited by";
    case Link::Message:
      return acted ? "sent a message to" : "got a message from";
  }
  return "";
}

std::string_view verb(Link link) {
  switch (link) {
    case Link::Read:
      return "gave its result to";
    case Link::ReadFailure:
      return "gave its failure to";
    case Link::Resolve:
      return "ended";
    case Link::Notify:
      return "woke";
    case Link::Await:
      return "waits for";
    case Link::Message:
      return "sent a message to";
  }
  return "";
}

class TaskPanel {
 public:
  TaskPanel(PanelWriter& out, TaskIndex index)
      : out_(out),
        trace_(out.of().trace),
        model_(out.of().model),
        index_(index),
        task_(model_.tasks[index]) {
    for (uint32_t i = 0; i < model_.interactions.size(); i++) {
      const Interaction& arrow = model_.interactions[i];
      if (arrow.from == index || arrow.to == index) arrows_.push_back(i);
    }
    for (const Model::Activation& activation : model_.activations) {
      if (activation.task != index) continue;
      running_ += activation.end - std::min<uint64_t>(activation.start, activation.end);
      activations_++;
    }
  }

  void write(double focus, const State& viewer) {
    out_.title(task_text(trace_, model_, index_));
    state();
    what();
    viewer.write_twin(out_, index_);
    write_why(out_, index_);
    if (viewer.path.task == index_ && viewer.path.track == out_.track()) viewer.write_path(out_);
    family();
    arrows(focus);
  }

 private:
  void what() {
    out_.line("kind", kind_text(trace_, task_));
    if (task_.name && task_.label) out_.line("made as", text(task_.name));
    size_t labels = 0;
    for (const Model::Label& label : model_.labels) {
      if (label.task != index_ || label.text == task_.label) continue;
      if (labels++ < most_labels) out_.at_time("label", label.time, ": " + text(label.text));
    }
    if (labels > most_labels) out_.line("labels", grouped(labels - most_labels) + " more");
    if (task_.location != 0 && task_.location < trace_.locations.size())
      out_.line("made in", location(task_.location));
    if (task_.pre_existing)
      out_.line("made", "before the trace");
    else
      out_.at_time("made", task_.start);
    if (out_.of().has_executors()) out_.line("executor", executor_text(trace_, task_.executor));
  }

  void state() {
    const std::string after = ", after " + duration(task_.start, task_.end);
    const auto ended = [&](std::string_view how) {
      out_.line("state", std::string(how) + (task_.reason ? ": " + text(task_.reason) : ""));
      out_.at_time("since", task_.end, after);
    };
    switch (task_.how) {
      case End::Resolved:
        ended("ended");
        break;
      case End::Failed:
        ended("failed");
        break;
      case End::Cancelled:
        ended("cancelled");
        break;
      case End::Became:
        ended("became another");
        out_.task("became", task_.becomes, out_.on_line(task_.end));
        break;
      case End::Overwritten:
        out_.line("state", "ended, when is overwritten");
        break;
      case End::Open:
        open();
    }
    const Interaction* woken = nullptr;
    for (const uint32_t i : arrows_)
      if (const Interaction& arrow = model_.interactions[i];
          arrow.to == index_ && (arrow.link == Link::Notify || arrow.link == Link::Read ||
                                 arrow.link == Link::ReadFailure))
        woken = &arrow;
    if (woken)
      out_.task("woken by", woken->from, out_.on_line(woken->to_time),
                ", " + out_.time(woken->to_time));
    if (activations_ != 0)
      out_.line("ran", duration_text(static_cast<double>(running_)) + " in " +
                           grouped(activations_) + (activations_ == 1 ? " stretch" : " stretches"));
  }

  void open() {
    const LiveTask live = live_task(out_.of().findings().subject(trace_, model_), index_);
    std::string now = task_.is_resource ? "in use" : std::string(name(live.state));
    if (task_.is_stuck()) now += ", stuck: it should have ended";
    out_.line("state", now);
    const std::string until = out_.of().life.running ? " until now" : "";
    if (live.since < 0)
      out_.line("since", "before the trace, for " +
                             duration_text(static_cast<double>(out_.of().until()) -
                                           static_cast<double>(live.since)) +
                             until);
    else
      out_.at_time(
          "since", static_cast<uint64_t>(live.since),
          ", for " + duration(static_cast<uint64_t>(live.since), out_.of().until()) + until);
    if (live.target != no_index)
      out_.task(task_.is_resource ? "held by" : "waits for", live.target,
                out_.on_line(static_cast<uint64_t>(std::max<int64_t>(live.since, 0))));
    if (live.location != 0 && live.location < trace_.locations.size())
      out_.line(task_.is_resource ? "held in" : "waits in", location(live.location));
  }

  void family() {
    size_t ancestors = 0;
    size_t left = model_.tasks.size();  // a damaged trace may have circles
    for (TaskIndex parent = task_.parent; parent < model_.tasks.size() && left-- > 0;
         parent = model_.tasks[parent].parent)
      if (++ancestors <= most_ancestors) out_.task(ancestors == 1 ? "parent" : "of", parent);
    if (ancestors > most_ancestors) out_.line("of", grouped(ancestors - most_ancestors) + " more");
    size_t children = 0;
    for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
      if (model_.tasks[i].parent == index_) children++;
      if (model_.tasks[i].becomes == index_)
        out_.task("was before", i, out_.on_line(model_.tasks[i].end));
    }
    if (children == 0) return;
    std::string text = grouped(children);
    const std::vector<uint32_t>& hidden = out_.of().hidden;
    if (index_ < hidden.size() && hidden[index_] != 0)
      text +=
          ", " + grouped(hidden[index_]) + (hidden[index_] == 1 ? " task" : " tasks") + " hidden";
    out_.line("children", std::move(text));
  }

  // All if they are few, else those around where the user looks.
  void arrows(double focus) {
    const auto by_time = [&](uint32_t i, double at) {
      return out_.on_line(model_.interactions[i].to_time) < at;
    };
    const auto around = static_cast<size_t>(
        std::lower_bound(arrows_.begin(), arrows_.end(), focus, by_time) - arrows_.begin());
    const size_t count = arrows_.size();
    size_t first = around > most_listed / 2 ? around - most_listed / 2 : 0;
    if (count <= most_listed)
      first = 0;
    else
      first = std::min(first, count - most_listed);
    const size_t last = std::min(count, first + most_listed);
    if (first != 0) out_.line("earlier", grouped(first) + " more");
    for (size_t i = first; i < last; i++) {
      const Interaction& arrow = model_.interactions[arrows_[i]];
      const bool acted = arrow.from == index_;
      const uint64_t at = acted ? uint64_t{arrow.from_time} : uint64_t{arrow.to_time};
      out_.task(role(arrow.link, acted), acted ? arrow.to : arrow.from,
                out_.on_line(acted ? arrow.to_time : arrow.from_time), ", " + out_.time(at));
    }
    if (last != count) out_.line("later", grouped(count - last) + " more");
  }

  std::string text(StringId id) const { return safe_text(trace_.strings[id]); }
  std::string location(uint32_t index) const {
    const Location& at = trace_.locations[index];
    std::string place = text(at.file);
    if (at.line != 0) place.append(":").append(std::to_string(at.line));
    if (at.function != 0)
      place.append(" (")
          .append(safe_text(short_function_name(trace_.strings[at.function]), 200))
          .append(")");
    return place;
  }

  PanelWriter& out_;
  const Trace& trace_;
  const Model& model_;
  TaskIndex index_;
  const Task& task_;
  std::vector<uint32_t> arrows_;  // by to_time
  uint64_t running_ = 0;
  size_t activations_ = 0;
};

void write_arrow(PanelWriter& out, const Interaction& arrow) {
  out.title("Arrow");
  out.task("from", arrow.from, out.on_line(arrow.from_time));
  out.line("", std::string(verb(arrow.link)));
  out.task("to", arrow.to, out.on_line(arrow.to_time));
  out.at_time("left", arrow.from_time);
  out.at_time("arrived", arrow.to_time, ", after " + duration(arrow.from_time, arrow.to_time));
}

void write_stretch(PanelWriter& out, std::string_view title, const Model::Stretch& stretch) {
  const Trace& trace = out.of().trace;
  out.title(std::string(title));
  if (stretch.reason != 0) out.line("reason", safe_text(trace.strings[stretch.reason]));
  if (out.of().has_executors()) out.line("executor", executor_text(trace, stretch.executor));
  out.line("duration", duration(stretch.start, stretch.end));
  out.at_time("from", stretch.start);
  out.at_time("to", stretch.end);
}

void write_counter(PanelWriter& out, const Model::Counter& counter) {
  out.title(safe_text(out.of().trace.strings[counter.name]));
  out.line("changes", grouped(counter.points.size()));
  if (counter.points.empty()) return;
  const auto [low, high] =
      std::minmax_element(counter.points.begin(), counter.points.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; });
  out.at_time("least", low->time, ": " + std::to_string(low->value));
  out.at_time("most", high->time, ": " + std::to_string(high->value));
  out.at_time("last", counter.points.back().time,
              ": " + std::to_string(counter.points.back().value));
}

// Of a trace of which nothing is selected.
void write_trace(PanelWriter& out) {
  const Trace& trace = out.of().trace;
  const Model& model = out.of().model;
  const Facts& facts = trace.facts;
  out.line("format", safe_text(facts.format));
  if (!facts.program.empty())
    out.line("program", safe_text(facts.program) +
                            (facts.pid ? " (process " + std::to_string(facts.pid) + ")" : ""));
  if (!facts.host.empty()) out.line("host", safe_text(facts.host));
  if (facts.utc_offset)
    out.line("began",
             utc_text(static_cast<int64_t>(facts.start + static_cast<uint64_t>(*facts.utc_offset)),
                      1'000'000));
  out.line("duration", duration_text(static_cast<double>(out.of().until())) +
                           (out.of().life.running ? " until now, it runs" : ""));
  out.line("events", grouped(trace.events.size()));
  size_t ended = 0;
  size_t failed = 0;
  size_t stuck = 0;
  size_t tasks = 0;
  for (const Task& task : model.tasks) {
    if (task.is_resource) continue;
    tasks++;
    ended += task.how != End::Open;
    failed += task.failed();
    stuck += task.is_stuck();
  }
  out.line("tasks", grouped(tasks));
  out.line("ended", grouped(ended));
  const auto list = [&](std::string_view name, size_t count, auto&& is_one) {
    if (count == 0) return;
    out.line(name, grouped(count));
    size_t listed = 0;
    for (TaskIndex i = 0; i < model.tasks.size() && listed < 20; i++)
      if (is_one(model.tasks[i])) {
        out.task("", i);
        listed++;
      }
    if (count > listed) out.line("", grouped(count - listed) + " more");
  };
  list("failed", failed, [](const Task& task) { return task.failed(); });
  list("stuck", stuck, [](const Task& task) { return task.is_stuck(); });
  size_t listed_faults = 0;
  for (const Diagnosis& d : out.of().findings().faults) {
    if (listed_faults++ == 20) break;
    out.task(listed_faults == 1 ? "does not go on" : "", d.chain[0].task, no_time,
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
  if (facts.overwritten_packets != 0)
    out.line("recorded in", std::string("a ring: ") + (facts.complete_from ? "part of " : "") +
                                "what happened before " + out.time(facts.complete_from) +
                                " was overwritten");
  for (size_t i = 0; i < trace.losses.size() && i < 20; i++) {
    const Loss& loss = trace.losses[i];
    std::string text = safe_text(loss.what);
    if (loss.events && *loss.events != 0) text += ", " + grouped(*loss.events) + " events";
    if (loss.bytes) text += ", " + grouped(*loss.bytes) + " bytes";
    out.line("lost", text);
  }
  if (trace.losses.size() > 20) out.line("", grouped(trace.losses.size() - 20) + " more losses");
}

}  // namespace

PanelWriter State::about(uint32_t track) const {
  PanelWriter out(panel_cache, targets, traced(track), track);
  if (traces.size() > 1) out.heading("trace", traced(track).title);
  return out;
}

const Panel& State::panel() const {
  if (panel_valid) return panel_cache;
  panel_valid = true;
  panel_cache = {};
  targets.clear();
  using What = Hit::What;
  const bool measured = measure_from != measure_to;
  if (measured && (measured_last || selection.what == What::Nothing)) {
    write_range();
  } else if (selection.what == What::Nothing || selection.what == What::Axis) {
    for (uint32_t i = 0; i < traces.size(); i++) {
      PanelWriter out = about(i);
      out.title(traces.size() > 1 ? std::to_string(traces.size()) + " traces" : traced(i).title);
      write_trace(out);
    }
    if (traces.size() > 1)
      panel_cache.lines.push_back(
          {.name = "aligned", .value = by_clock ? "by their clocks" : "at their beginnings"});
  } else {
    const Traced& of = traced(selection.track);
    PanelWriter out = about(selection.track);
    const uint32_t index = selection.index;
    if (selection.what == What::Task)
      TaskPanel(out, index).write(focus_time(), *this);
    else if (selection.what == What::Interaction)
      write_arrow(out, of.model.interactions[index]);
    else if (selection.what == What::Counter)
      write_counter(out, of.model.counters[index]);
    else if (selection.what == What::Sleep)
      write_stretch(out, "Asleep", of.model.sleeps[index]);
    else
      write_stretch(out, "Pause", of.model.pauses[index]);
  }
  return panel_cache;
}

std::string State::tooltip() const {
  if (pointer_x < 0 || tracks.empty() || drag.what == Drag::What::Pan) return {};
  const Hit at = hit(tracks, navigation.window(), marks(), pointer_x, pointer_y);
  std::string text = text_of(at);
  if (at.what != Hit::What::Task || at.track != path.track) return text;
  const double time = navigation.time_at(static_cast<double>(pointer_x)) - traced(at.track).offset;
  const auto segment =
      std::partition_point(path.segments.begin(), path.segments.end(),
                           [&](const Segment& s) { return static_cast<double>(s.end) < time; });
  if (segment != path.segments.end() && segment->task == at.index)
    text += "\n" + path_title(*segment);
  return text;
}

std::string State::text_of(const Hit& at) const {
  using What = Hit::What;
  if (at.what == What::Nothing || at.what == What::Axis) return {};
  const Traced& of = traced(at.track);
  const Model& all = of.model;
  const auto stretch = [&](std::string_view what, const Model::Stretch& s) {
    std::string text(what);
    if (s.reason != 0) text += ": " + safe_text(of.trace.strings[s.reason], 100);
    return text + ", " + duration(s.start, s.end);
  };
  switch (at.what) {
    case What::Task: {
      const Task& task = all.tasks[at.index];
      std::string text = task_text(of.trace, all, at.index) + "\n" + kind_text(of.trace, task) +
                         ", " + duration(task.start, task.end);
      if (task.is_stuck()) text += ", stuck: it should have ended";
      if (task.failed()) text += ", failed: " + safe_text(of.trace.strings[task.reason], 100);
      if (task.how == End::Cancelled) text += ", cancelled";
      return text;
    }
    case What::Interaction: {
      const Interaction& arrow = all.interactions[at.index];
      return task_text(of.trace, all, arrow.from) + "\n" + std::string(verb(arrow.link)) + "\n" +
             task_text(of.trace, all, arrow.to);
    }
    case What::Counter:
      return safe_text(of.trace.strings[all.counters[at.index].name], 100);
    case What::Sleep:
      return stretch("Asleep", all.sleeps[at.index]);
    default:
      return stretch("Stopped", all.pauses[at.index]);
  }
}

namespace {

// What one should know of a trace before one believes its picture; empty: nothing.
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
  std::string text =
      trace.events.empty() ? "no event of it can be read: " : "part of it is missing: ";
  if (events != 0)
    text.append(unknown ? "at least " : "").append(grouped(events)).append(" events, ");
  text += losses == 1 && !trace.losses.empty() ? safe_text(trace.losses[0].what)
                                               : "in " + grouped(losses) + " places";
  return text + ".";
}

}  // namespace

std::string State::notice() const {
  std::string text;
  for (const auto& of : traces)
    if (const std::string what = missing(of->trace); !what.empty())
      text.append(text.empty() ? "" : " ").append(safe_text(of->title)).append(": ").append(what);
  return text;
}

}  // namespace skein
