// The critical path of a task: shown over the picture, and told in the panel.
#include <algorithm>

#include "base/text.h"
#include "trace/ask/find.h"
#include "view/viewer/panel_writer.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;
using What = Segment::What;

namespace {

constexpr size_t most_steps_listed = 40;

std::string share_text(uint64_t part, uint64_t whole) {
  const auto tenths = static_cast<uint32_t>(
      1000 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1)) + 0.5);
  std::string text = duration_text(static_cast<double>(part)) + ", " + std::to_string(tenths / 10);
  text += '.';
  text += static_cast<char>('0' + tenths % 10);
  return text += " %";
}

double length(const Segment& s) { return static_cast<double>(s.end - s.begin); }

}  // namespace

// False: there is none.
bool State::show_path(uint32_t track, TaskIndex task) {
  path = {};
  if (has_task(track, task)) {
    const Traced& of = traced(track);
    const Subject subject = of.findings().subject(of.trace, of.model);
    path.track = track;
    path.task = task;
    path.segments = critical_path(of.trace, subject.model, subject.waits, task,
                                  subject.model.tasks[task].start, end_of(subject.model, task));
  }
  panel_valid = false;
  mark();
  return !path.segments.empty();
}

// Of the selected task; again, or with nothing selected: none.
void State::toggle_path() {
  const bool is_shown = !path.segments.empty() && path.task == selection.index &&
                        path.track == selection.track && selected_task();
  show_path(selection.track, selected_task() && !is_shown ? selection.index : no_index);
}

// What is not on it fades, but what was found.
void State::mark_path() {
  if (path.segments.empty()) return;
  Traced& of = traced(path.track);
  of.marks.resize(of.model.tasks.size(), 0);
  std::vector<uint8_t> on(of.marks.size(), 0);
  for (const Segment& s : path.segments)
    if (s.task < on.size()) on[s.task] = 1;
  for (size_t i = 0; i < on.size(); i++)
    if (!on[i] && of.marks[i] == 0) of.marks[i] = 2;
}

bool Viewer::show_critical_path(std::string_view task) {
  for (uint32_t track = 0; track < traces(); track++) {
    const TaskIndex found = longest_of(model(track), find_tasks(trace(track), model(track), task));
    if (found == no_index) continue;
    state_->select({Hit::What::Task, track, found});
    return state_->show_path(track, found);
  }
  return false;
}

std::string State::path_text(const Segment& s) const {
  const Traced& of = traced(path.track);
  std::string text(name(s.what));
  if (s.on != no_index)
    text += (s.what == What::Blocked ? " on " : ", while another ran: ") +
            task_text(of.trace, of.model, s.on);
  return text;
}

std::string State::path_title(const Segment& s) const {
  const Segment& last = path.segments.back();
  return "critical path: " + path_text(s) + ", " +
         share_text(s.end - s.begin, last.end - path.segments.front().begin);
}

// In the order of time; of many those that matter, and how much the others between them are.
void State::write_path(PanelWriter& out) const {
  const std::vector<Segment>& all = path.segments;
  if (all.empty()) return;
  const uint64_t whole = all.back().end - all.front().begin;
  out.heading("critical path", duration_text(static_cast<double>(whole)));
  for (const What what : {What::Running, What::Ready, What::Blocked, What::Outside, What::Before}) {
    uint64_t sum = 0;
    for (const Segment& s : all)
      if (s.what == what) sum += s.end - s.begin;
    if (sum != 0) out.line(name(what), share_text(sum, whole));
  }
  double least = 0;
  if (all.size() > most_steps_listed) {
    std::vector<double> lengths;
    for (const Segment& s : all) lengths.push_back(length(s));
    const auto longest_left_out = lengths.end() - most_steps_listed - 1;
    std::nth_element(lengths.begin(), longest_left_out, lengths.end());
    least = *longest_left_out + 1;
  }
  for (size_t i = 0; i < all.size();) {
    const Segment& s = all[i];
    if (length(s) >= least) {
      const std::string text = ": " + path_text(s) + ", " + share_text(s.end - s.begin, whole);
      if (s.task == no_index)
        out.line(out.time(s.begin), text.substr(2));
      else
        out.task(out.time(s.begin), s.task, out.on_line(s.begin), text);
      i++;
      continue;
    }
    const size_t first = i;
    while (i < all.size() && length(all[i]) < least) i++;
    out.line("", grouped(i - first) + (i - first == 1 ? " short step, " : " short steps, ") +
                     share_text(all[i - 1].end - s.begin, whole));
  }
}

}  // namespace skein
