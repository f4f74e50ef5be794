// The panel of a task: first what it waits for and its waker, then its properties, then its arrows.
#include <algorithm>

#include "trace/ask/live_tasks.h"
#include "trace/model/names.h"
#include "view/viewer/panel/panel_writer.h"
#include "view/viewer/panel/panels.h"

namespace skein {

using End = Model::End;
using Link = Model::Link;
using Task = Model::Task;
using Interaction = Model::Interaction;

namespace {

constexpr size_t most_ancestors = 3;
constexpr size_t most_labels = 10;
constexpr size_t most_arrows = 100;
constexpr size_t most_segments = 40;

// The role of the task in the arrow, as the actor (`acted`) or the other task. Samples show that a
// task is awaited, not that its result was read.
std::string_view role(Link link, bool acted, bool is_sampled) {
  if (is_sampled && link == Link::Read)
    return acted ? "last seen awaited by" : "last seen awaiting";
  switch (link) {
    case Link::Read:
      return acted ? "result was read by" : "read the result of";
    case Link::ReadFailure:
      return acted ? "failure was read by" : "read the failure of";
    case Link::Resolve:
      return acted ? "ended" : "was ended by";
    case Link::Notify:
      return acted ? "woke" : "was woken by";
    case Link::Await:
      return acted ? "began to wait for" : "was awaited by";
    case Link::Message:
      return acted ? "sent a message to" : "received a message from";
  }
  return "";
}

class TaskPanel {
 public:
  TaskPanel(PanelWriter& out, TaskIndex index)
      : out_(out),
        trace_(out.of().trace),
        model_(out.of().model),
        whole_(out.subject().model),
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

  void state() {
    if (trace_.info.is_sampled()) return sampled();
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
        ended("became another task");
        out_.task("became", task_.becomes, out_.on_clock(task_.end));
        break;
      case End::Overwritten:
        out_.line("state", "ended at an unknown time");
        break;
      case End::Open:
        open();
    }
    ran("");
  }

  // When it began and ended is not known.
  void sampled() {
    out_.at_time("first sample", whole_.tasks[index_].start);
    out_.at_time("last sample", task_.end,
                 ", " + interval_text(whole_.tasks[index_].start, task_.end) + " later");
    ran("about ");
  }

  void about() {
    out_.line("kind", kind_text(trace_, task_));
    if (task_.name && task_.label) out_.line("created as", text(task_.name));
    size_t labels = 0;
    for (const Model::Label& label : model_.labels) {
      if (label.task != index_ || label.text == task_.label) continue;
      if (labels++ < out_.limit(most_labels))
        out_.at_time("label", label.time, ": " + text(label.text));
    }
    if (labels > out_.limit(most_labels)) out_.more("labels", labels - out_.limit(most_labels));
    if (task_.location != 0 && task_.location < trace_.locations.size())
      out_.line(trace_.info.is_sampled() ? "function" : "created at", location(task_.location));
    if (task_.pre_existing)
      out_.line("created", "before the trace");
    else if (!trace_.info.is_sampled())
      out_.at_time("created", whole_.tasks[index_].start);
    if (out_.of().has_executors()) out_.line("executor", executor_text(trace_, task_.executor));
  }

  void family(uint32_t hidden) {
    size_t ancestors = 0;
    size_t left = model_.tasks.size();  // a damaged trace may have cycles
    for (TaskIndex parent = whole_.tasks[index_].parent; parent < whole_.tasks.size() && left-- > 0;
         parent = whole_.tasks[parent].parent)
      if (++ancestors <= out_.limit(most_ancestors))
        out_.task(ancestors > 1              ? "of"
                  : trace_.info.is_sampled() ? "awaited by"
                                             : "parent",
                  parent);
    if (ancestors > out_.limit(most_ancestors))
      out_.more("of", ancestors - out_.limit(most_ancestors));
    size_t children = 0;
    for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
      if (whole_.tasks[i].parent == index_) children++;
      if (model_.tasks[i].becomes == index_)
        out_.task("formerly", i, out_.on_clock(model_.tasks[i].end));
    }
    if (children == 0) return;
    std::string text = grouped(children);
    if (hidden != 0) text += ", " + counted(hidden, "task") + " hidden";
    out_.line(trace_.info.is_sampled() ? "awaited" : "children", std::move(text));
  }

  // All if they are few, otherwise those around the focus.
  void arrows(double focus) {
    const auto by_time = [&](uint32_t i, double at) {
      return out_.on_clock(model_.interactions[i].to_time) < at;
    };
    const auto around = static_cast<size_t>(
        std::lower_bound(arrows_.begin(), arrows_.end(), focus, by_time) - arrows_.begin());
    const size_t count = arrows_.size();
    const size_t most = std::min(out_.limit(most_arrows), count);
    const size_t first = std::min(around > most / 2 ? around - most / 2 : 0, count - most);
    const size_t last = first + most;
    out_.more("earlier", first);
    for (size_t i = first; i < last; i++) {
      const Interaction& arrow = model_.interactions[arrows_[i]];
      const bool acted = arrow.from == index_;
      const uint64_t at = acted ? uint64_t{arrow.from_time} : uint64_t{arrow.to_time};
      out_.task(role(arrow.link, acted, trace_.info.is_sampled()), acted ? arrow.to : arrow.from,
                out_.on_clock(acted ? arrow.to_time : arrow.from_time), ", " + out_.time(at));
    }
    out_.more("later", count - last);
  }

 private:
  void ran(std::string_view about) {
    if (activations_ != 0)
      out_.line("ran", std::string(about) + duration_text(static_cast<double>(running_)) + " in " +
                           counted(activations_, "activation"));
  }

  void ended(std::string_view how) {
    out_.line("state", std::string(how) + (task_.reason ? ": " + text(task_.reason) : ""));
    woken();
    out_.at_time("since", task_.end,
                 ", after " + interval_text(whole_.tasks[index_].start, task_.end));
  }

  void open() {
    const LiveTask live = live_task(out_.subject(), index_);
    std::string now = task_.is_resource ? "in use" : std::string(name(live.state));
    if (task_.is_unresolved()) now += ", marked should_resolve";
    out_.line("state", now);
    if (live.target != no_index)
      out_.task(task_.is_resource ? "held by" : "waits for", live.target,
                out_.on_clock(static_cast<uint64_t>(std::max<int64_t>(live.since, 0))));
    if (live.location != 0 && live.location < trace_.locations.size())
      out_.line(task_.is_resource ? "held at" : "waits at", location(live.location));
    woken();
    const std::string until = out_.of().life.running ? " so far" : "";
    if (live.since < 0) {
      out_.line("since", "before the trace, for " +
                             duration_text(static_cast<double>(out_.of().until()) -
                                           static_cast<double>(live.since)) +
                             until);
    } else {
      const auto since = static_cast<uint64_t>(live.since);
      out_.at_time("since", since, ", for " + interval_text(since, out_.of().until()) + until);
    }
  }

  // The last task that woke it.
  void woken() {
    const Interaction* woken = nullptr;
    for (const uint32_t i : arrows_)
      if (const Interaction& arrow = model_.interactions[i];
          arrow.to == index_ && (arrow.link == Link::Notify || arrow.link == Link::Read ||
                                 arrow.link == Link::ReadFailure))
        woken = &arrow;
    if (woken)
      out_.task("woken by", woken->from, out_.on_clock(woken->to_time),
                ", " + out_.time(woken->to_time));
  }

  std::string location(uint32_t at) const { return safe_text(location_text(trace_, at)); }
  std::string text(StringId id) const { return safe_text(trace_.strings[id]); }

  PanelWriter& out_;
  const Trace& trace_;
  const Model& model_;  // as drawn
  const Model& whole_;  // not simplified
  TaskIndex index_;
  const Task& task_;
  std::vector<uint32_t> arrows_;  // by to_time
  uint64_t running_ = 0;
  size_t activations_ = 0;
};

}  // namespace

void Panels::write_task(PanelWriter& out, TaskIndex index, const View& view) {
  TaskPanel task(out, index);
  out.title(task_text(out.of().trace, out.of().model, index));
  task.state();
  task.about();
  write_linked(out, index);
  write_why(out, index);
  if (shared_.path.is_of(out.track(), index)) write_path(out);
  task.family(view.hidden(out.track(), index));
  task.arrows(view.focus_time());
}

void Panels::write_linked(PanelWriter& out, TaskIndex task) {
  SessionAnnotations::Counterpart other;
  const bool compared = shared_.annotations.find(shared_.session, out.track(), task, other);
  if (compared) {
    const SessionTrace& of = shared_.session[other.track];
    const std::string name = "in " + of.title;
    if (other.task != no_index)
      out.link(name, task_text(of.trace, of.model, other.task),
               {.track = other.track, .task = other.task});
    else
      out.line(name, "unmatched");
  }
  for (const SessionAnnotations::Marker& marker : shared_.annotations.markers())
    if (marker.track == out.track() && marker.task == task)
      out.at_time(compared ? "divergence" : "doctor", static_cast<uint64_t>(marker.time),
                  ": " + marker.text);
}

// Lists the segments in time order. If there are many, lists the longest and summarizes the others
// between them.
void Panels::write_path(PanelWriter& out) {
  using Kind = Segment::Kind;
  const std::span<const Segment> all = shared_.path.segments();
  const auto length = [](const Segment& s) { return static_cast<double>(s.end - s.begin); };
  const uint64_t whole = all.back().end - all.front().begin;
  out.heading("critical path", duration_text(static_cast<double>(whole)));
  for (const Kind kind :
       {Kind::Running, Kind::Ready, Kind::Blocked, Kind::External, Kind::Before}) {
    uint64_t sum = 0;
    for (const Segment& s : all)
      if (s.kind == kind) sum += s.end - s.begin;
    if (sum != 0) out.line(name(kind), share_text(sum, whole));
  }
  double least = 0;
  const size_t most = out.limit(most_segments);
  if (all.size() > most) {
    std::vector<double> lengths;
    for (const Segment& s : all) lengths.push_back(length(s));
    const auto longest_omitted = lengths.end() - static_cast<ptrdiff_t>(most) - 1;
    std::nth_element(lengths.begin(), longest_omitted, lengths.end());
    least = *longest_omitted + 1;
  }
  for (size_t i = 0; i < all.size();) {
    const Segment& s = all[i];
    if (length(s) >= least) {
      const std::string text =
          shared_.path.text(shared_.session, s) + ", " + share_text(s.end - s.begin, whole);
      if (s.task == no_index)
        out.line(out.time(s.begin), text);
      else
        out.task(out.time(s.begin), s.task, out.on_clock(s.begin), ": " + text);
      i++;
      continue;
    }
    const size_t first = i;
    while (i < all.size() && length(all[i]) < least) i++;
    out.line("",
             counted(i - first, "short step") + ", " + share_text(all[i - 1].end - s.begin, whole));
  }
}

}  // namespace skein
