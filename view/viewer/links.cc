// Two traces side by side: twins, notes, and their way into the page.
#include "view/viewer/links.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "view/viewer/panel_writer.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;

namespace {

void put(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// After the first number that does not fit all are 0.
class Numbers {
 public:
  explicit Numbers(std::span<const uint8_t> bytes) : left_(bytes) {}

  uint64_t next() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const uint8_t byte = left_[0];
      left_ = left_.subspan(1);
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return number;
    }
    failed_ = true;
    left_ = {};
    return 0;
  }
  uint32_t index() { return static_cast<uint32_t>(next()); }
  std::string text() {
    const auto text = left_.first(count());
    left_ = left_.subspan(text.size());
    return {text.begin(), text.end()};
  }
  // So many of at least one byte each may follow.
  size_t count() {
    const uint64_t number = next();
    if (number > left_.size()) failed_ = true;
    return failed_ ? 0 : static_cast<size_t>(number);
  }
  bool good() const { return !failed_ && left_.empty(); }

 private:
  std::span<const uint8_t> left_;
  bool failed_ = false;
};

}  // namespace

std::string write_links(const Links& links) {
  std::string out;
  put(out, links.first);
  put(out, links.second);
  put(out, links.twins.size());
  for (const auto& [a, b] : links.twins) {
    put(out, a);
    put(out, b);
  }
  put(out, links.notes.size());
  for (const Links::Note& note : links.notes) {
    put(out, note.trace);
    put(out, note.task);
    put(out, note.clock);
    put(out, note.text.size());
    out += note.text;
  }
  put(out, links.text.size());
  return out + links.text;
}

Result<Links> read_links(std::span<const uint8_t> bytes) {
  Numbers from(bytes);
  Links links{.first = from.index(), .second = from.index()};
  links.twins.resize(from.count());
  for (auto& [a, b] : links.twins) {
    a = from.next();
    b = from.next();
  }
  links.notes.resize(from.count());
  for (Links::Note& note : links.notes) {
    note.trace = from.index();
    note.task = from.next();
    note.clock = from.next();
    note.text = from.text();
  }
  links.text = from.text();
  if (!from.good()) return Error{.what = "links cut short"};
  return links;
}

// A process measures its clock's zero when it begins, to the nanosecond: no two have the same.
bool is_same_run(const Facts& before, const Facts& now) {
  return before.pid == now.pid && before.program == now.program &&
         before.utc_offset == now.utc_offset &&
         (before.start == now.start || (now.pid != 0 && now.utc_offset));
}

void State::link(const Links& links) {
  notes.clear();
  linked = safe_text(links.text, 1'000);
  for (const auto& of : traces) of->twins.clear();
  if (links.first != links.second && std::max(links.first, links.second) < traces.size()) {
    Traced& first = traced(links.first);
    Traced& second = traced(links.second);
    first.twins.assign(first.model.tasks.size(), no_index);
    first.twin_track = links.second;
    second.twins.assign(second.model.tasks.size(), no_index);
    second.twin_track = links.first;
    for (const auto& [a, b] : links.twins) {
      const TaskIndex one = first.model.find(a);
      const TaskIndex other = second.model.find(b);
      if (one == no_index || other == no_index) continue;
      first.twins[one] = other;
      second.twins[other] = one;
    }
  }
  for (const Links::Note& note : links.notes) {
    if (note.trace >= traces.size()) continue;
    const Traced& of = traced(note.trace);
    const TaskIndex task = of.model.find(note.task);
    const auto time = static_cast<int64_t>(note.clock - of.trace.facts.start);
    if (task != no_index && time >= 0)
      notes.push_back({note.trace, task, static_cast<double>(time), safe_text(note.text)});
  }
}

void Viewer::link(const Links& links) {
  State& s = *state_;
  s.from_start = true;
  s.link(links);
  s.begin();
  if (s.notes.empty()) return;
  // Where they part is a pixel of the whole, most often; that is one step back.
  double from = std::numeric_limits<double>::infinity();
  double to = -from;
  for (const State::Note& note : s.notes) {
    const double time = note.time + s.traced(note.track).offset;
    from = std::min(from, time);
    to = std::max(to, time);
  }
  const double margin = to - from < 1'000 ? 20'000 : 2 * (to - from);
  show(from - margin, to + margin);
}

void Viewer::link_again(const Links& links) {
  state_->link(links);
  state_->mark();
  state_->panel_valid = false;
}

void Viewer::begin_together() {
  state_->from_start = true;
  if (traces() != 0) state_->begin();
}

void State::mark_twin() {
  if (!selected_task()) return;
  const Traced& of = traced(selection.track);
  if (selection.index >= of.twins.size() || of.twin_track >= traces.size()) return;
  Traced& other = traced(of.twin_track);
  const TaskIndex twin = of.twins[selection.index];
  if (twin >= other.model.tasks.size()) return;
  other.marks.resize(other.model.tasks.size(), 0);
  other.marks[twin] = 1;
}

void State::write_twin(PanelWriter& out, TaskIndex task) const {
  const Traced& of = out.of();
  const bool compared = task < of.twins.size() && of.twin_track < traces.size();
  if (compared) {
    const Traced& other = traced(of.twin_track);
    const TaskIndex twin = of.twins[task];
    const std::string name = "in " + other.title;
    if (twin < other.model.tasks.size())
      out.link(name, task_text(other.trace, other.model, twin),
               {.track = of.twin_track, .task = twin});
    else
      out.line(name, "there is none like it");
  }
  for (const Note& note : notes)
    if (note.track == out.track() && note.task == task)
      out.at_time(compared ? "here they part" : "doctor", static_cast<uint64_t>(note.time),
                  ": " + note.text);
}

}  // namespace skein
