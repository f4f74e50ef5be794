// Two traces side by side: twins, notes, and their way into the page.
#include "view/viewer/links.h"

#include <algorithm>
#include <limits>

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
    const uint64_t size = next();
    if (size > left_.size()) {
      failed_ = true;
      return {};
    }
    const auto text = left_.first(static_cast<size_t>(size));
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
    put(out, note.time);
    put(out, note.text.size());
    out += note.text;
  }
  return out;
}

Result<Links> read_links(std::span<const uint8_t> bytes) {
  Numbers from(bytes);
  Links links{.first = from.index(), .second = from.index()};
  links.twins.resize(from.count());
  for (auto& [a, b] : links.twins) {
    a = from.index();
    b = from.index();
  }
  links.notes.resize(from.count());
  for (Links::Note& note : links.notes) {
    note.trace = from.index();
    note.task = from.index();
    note.time = from.next();
    note.text = from.text();
  }
  if (!from.good()) return Error{.what = "links cut short"};
  return links;
}

void Viewer::link(const Links& links) {
  State& s = *state_;
  s.from_start = true;
  s.notes.clear();
  for (const auto& of : s.traces) of->twins.clear();
  if (links.first != links.second && links.first < traces() && links.second < traces()) {
    for (const uint32_t one : {links.first, links.second}) {
      State::Traced& of = s.traced(one);
      of.twins.assign(of.model.tasks.size(), no_index);
      of.twin_track = links.first + links.second - one;
    }
    for (const auto& [a, b] : links.twins) {
      if (!s.has_task(links.first, a) || !s.has_task(links.second, b)) continue;
      s.traced(links.first).twins[a] = b;
      s.traced(links.second).twins[b] = a;
    }
  }
  for (const Links::Note& note : links.notes)
    if (s.has_task(note.trace, note.task))
      s.notes.push_back(
          {note.trace, note.task, static_cast<double>(note.time), safe_text(note.text)});
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
  const double margin = std::max(2 * (to - from), 1'000.0);
  show(from - margin, to + margin);
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
  if (task >= of.twins.size() || of.twin_track >= traces.size()) return;
  const Traced& other = traced(of.twin_track);
  const TaskIndex twin = of.twins[task];
  const std::string name = "in " + other.title;
  if (twin < other.model.tasks.size())
    out.link(name, task_text(other.trace, other.model, twin),
             {.track = of.twin_track, .task = twin});
  else
    out.line(name, "there is none like it");
  for (const Note& note : notes)
    if (note.track == out.track() && note.task == task)
      out.at_time("here they part", static_cast<uint64_t>(note.time), ": " + note.text);
}

}  // namespace skein
