#include "view/viewer/viewer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "view/viewer/keys.h"
#include "view/viewer/notes.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;

namespace {

// As a time of the trace; 0: there is none, or it makes no sense.
uint64_t time_of(const Facts& facts, const SignOfLife& life) {
  if (life.utc == 0 || !facts.utc_offset) return 0;
  const uint64_t begin = facts.start + static_cast<uint64_t>(*facts.utc_offset);
  constexpr uint64_t longest = uint64_t{1} << 62;
  return life.utc > begin && life.utc - begin < longest ? life.utc - begin : 0;
}

}  // namespace

Prepared::Prepared(Trace of, SignOfLife sign) : Prepared(std::move(of), Model()) {
  life = sign;
  model = build_model(trace, {.until = time_of(trace.facts, life)});
  rows = arrange(trace, model);
  texts = std::make_unique<FoldedTexts>(fold_texts(trace.strings));
}
Prepared::Prepared(Trace of, Model made) : trace(std::move(of)), model(std::move(made)) {}
void Prepared::ask() { findings = std::make_shared<const Findings>(trace, model); }
Prepared::~Prepared() = default;
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;

namespace {

// A reader may know of an executor that nothing is known of: it is not worth a word.
std::vector<uint8_t> used_executors(const Trace& trace, const Model& model) {
  std::vector<uint8_t> used;
  for (const Executor& executor : trace.executors)
    used.push_back(executor.name != 0 || executor.tid != 0);
  const auto use = [&](uint32_t executor) {
    if (executor < used.size()) used[executor] = 1;
  };
  if (std::count(used.begin(), used.end(), 0) == 0) return used;
  for (const Model::Task& task : model.tasks) use(task.executor);
  for (const Model::Activation& activation : model.activations) use(activation.executor);
  return used;
}

}  // namespace

State::Traced::Traced(Prepared of, std::string called)
    : trace(std::move(of.trace)),
      model(std::move(of.model)),
      search(trace, model, of.texts ? std::move(*of.texts) : FoldedTexts()),
      arranged(of.rows.has_value()),
      title(safe_text(called)),
      life(of.life),
      executors(used_executors(trace, model)),
      counters(model.counters.size(), 1),
      counters_off(model.counters.size(), 0),
      found_out(std::move(of.findings)) {
  if (of.rows) rows = *std::move(of.rows);
}

uint64_t State::Traced::until() const { return std::max(model.end, time_of(trace.facts, life)); }

namespace {

// Of one trace its time 0 in UTC less that of the other; only if both know.
double utc_distance(const Facts& from, const Facts& to) {
  if (!from.utc_offset || !to.utc_offset) return no_time;
  const uint64_t a = from.start + static_cast<uint64_t>(*from.utc_offset);
  const uint64_t b = to.start + static_cast<uint64_t>(*to.utc_offset);
  // Clocks that are nonsense may differ by more than 63 bits.
  const double roughly =
      static_cast<double>(static_cast<int64_t>(b)) - static_cast<double>(static_cast<int64_t>(a));
  return std::fabs(roughly) > 9e18 ? roughly : static_cast<double>(static_cast<int64_t>(b - a));
}

}  // namespace

// By UTC if all know it and they are of one time: two runs of an hour ago and now would be two dots
// on a line of an hour; they are compared from their beginnings. The first stays where it is.
void State::align() {
  double begin = 0;
  double end = 0;
  double sum = 0;
  by_clock = traces.size() > 1 && !from_start;
  std::vector<double> offsets;
  for (const auto& traced : traces) {
    const double offset = utc_distance(traces[0]->trace.facts, traced->trace.facts);
    const auto duration = static_cast<double>(traced->model.end);
    offsets.push_back(offset);
    if (std::isnan(offset)) by_clock = false;
    begin = std::min(begin, offset);
    end = std::max(end, offset + duration);
    sum += duration;
  }
  by_clock = by_clock && end - begin <= 2 * sum;
  const uint64_t begin_of_first = traces[0]->trace.facts.start - zero;
  const auto first = static_cast<double>(static_cast<int64_t>(begin_of_first));
  for (size_t i = 0; i < traces.size(); i++)
    traces[i]->offset = first + (by_clock ? offsets[i] : 0);
}

void State::begin() {
  align();
  arrange_tracks();
  navigation.fit_all();
  navigation.forget();
  find_again();
}

void State::arrange_tracks(bool afresh) {
  tracks.clear();
  for (const auto& traced : traces) {
    if (!traced->arranged) traced->rows = arrange(traced->trace, traced->model, traced->shown);
    traced->arranged = true;
    tracks.push_back({.trace = &traced->trace,
                      .model = &traced->model,
                      .rows = &traced->rows,
                      .title = traced->title,
                      .offset = traced->offset});
  }
  set_bounds(afresh);
}

// What is in sight in none of the tracks: nothing is folded then.
Lines State::fold(double from, double to, bool afresh) {
  if (!afresh && lines.empty()) return lines;
  size_t open = 0;
  size_t all = 0;
  for (const auto& of : traces) {
    if (afresh) of->open.clear();
    of->open.resize(of->rows.count, 0);
    open_rows(of->rows, of->model, from - of->offset, to - of->offset, of->open);
    open += static_cast<size_t>(std::count(of->open.begin(), of->open.end(), 1));
    all += of->open.size();
  }
  lines.clear();
  if (open == all || open == 0) return lines;
  uint32_t line = 0;
  for (const auto& of : traces) {
    if (traces.size() > 1) lines.push_back(line++);  // its title
    for (const uint8_t is_open : of->open) {
      lines.push_back(line);
      line += is_open;
    }
  }
  lines.push_back(line);
  return lines;
}

void State::set_bounds(bool afresh) {
  Navigation::Bounds bounds;
  bounds.rows = total_rows(tracks);
  const Areas all = areas(tracks, navigation.window(), marks());
  bounds.rows_y = all.rows;
  bounds.rows_height = std::max(1.0f, all.counters - all.rows);
  for (size_t i = 0; i < traces.size(); i++) {
    bounds.from = i == 0 ? traces[i]->begin() : std::min(bounds.from, traces[i]->begin());
    bounds.to = i == 0 ? traces[i]->end() : std::max(bounds.to, traces[i]->end());
  }
  navigation.set_bounds(bounds, afresh);
  measure_from = navigation.covered(measure_from);
  measure_to = navigation.covered(measure_to);
  redraw();
}

Marks State::marks() const {
  task_marks.clear();
  counter_marks.clear();
  collapsed_marks.clear();
  bookmark_marks.clear();
  for (const auto& traced : traces) {
    task_marks.push_back(traced->marks);
    collapsed_marks.push_back(traced->hidden);
    counter_marks.push_back(counters_on ? traced->counters : traced->counters_off);
  }
  for (const Bookmark& bookmark : bookmarks)
    bookmark_marks.push_back({.time = bookmark.time, .text = bookmark.text});
  Marks marks{.tasks = task_marks,
              .collapsed = collapsed_marks,
              .counters = counter_marks,
              .bookmarks = bookmark_marks,
              .lines = navigation.lines(),
              .measure_from = std::min(measure_from, measure_to),
              .measure_to = std::max(measure_from, measure_to),
              .pointer_x = pointer_x,
              .pointer_y = pointer_y,
              .legend = legend,
              .hint = hint,
              .hint_touch = hint_touch,
              .arrows = arrows,
              .scroll_bar = true};
  note_marks.clear();
  for (const Note& note : notes)
    note_marks.push_back({note.track, note.task, note.time, note.text});
  marks.notes = note_marks;
  marks.path = path.segments;
  marks.path_track = path.track;
  if (selected_task()) {
    marks.selected_track = selection.track;
    marks.selected = selection.index;
  }
  return marks;
}

Viewer::Viewer() : state_(std::make_unique<State>()) {
  state_->navigation.on_fold([state = state_.get()](double from, double to, bool afresh) {
    return state->fold(from, to, afresh);
  });
}
Viewer::~Viewer() = default;
Viewer::Viewer(Viewer&&) noexcept = default;
Viewer& Viewer::operator=(Viewer&&) noexcept = default;

void Viewer::add(Trace trace, std::string title) {
  Model model = build_model(trace);
  add(Prepared(std::move(trace), std::move(model)), std::move(title));
}

void Viewer::add(Prepared prepared, std::string title) {
  State& s = *state_;
  if (s.traces.empty()) s.zero = prepared.trace.facts.start;
  std::string name = title;
  const auto is_taken = [&](const auto& traced) { return traced->title == name; };
  for (int i = 2; std::any_of(s.traces.begin(), s.traces.end(), is_taken); i++)
    name = title + " (" + std::to_string(i) + ")";
  s.traces.push_back(std::make_shared<State::Traced>(std::move(prepared), name));
  s.filter_tasks(*s.traces.back());
  s.begin();
}

void Viewer::update(size_t which, Trace trace) {
  Model model = build_model(trace);
  update(which, Prepared(std::move(trace), std::move(model)));
}

void Viewer::update(size_t which, Prepared prepared) {
  State& s = *state_;
  if (which >= s.traces.size()) return;
  State::Traced& old = s.traced(which);
  if (s.only_lives(old, prepared)) return;
  auto fresh = std::make_shared<State::Traced>(std::move(prepared), old.title);
  const bool was_empty = old.trace.events.empty();
  const State::Sight sight(s.navigation);

  // A ring may have forgotten its beginning: the same moment stays where it was. What had nothing
  // in it, not even when it began, begins where it was.
  const uint64_t later = fresh->trace.facts.start - old.trace.facts.start;
  fresh->offset = old.offset;
  if (old.trace.facts.start != 0 || !was_empty)
    fresh->offset += static_cast<double>(static_cast<int64_t>(later));
  else if (which == 0)
    s.zero += later;
  const auto now = [&](TaskIndex task) {
    return task < old.model.tasks.size() ? fresh->model.find(old.model.tasks[task].id) : no_index;
  };
  for (TaskIndex task = 0; task < old.collapsed.size(); task++)
    if (const TaskIndex same = old.collapsed[task] ? now(task) : no_index; same != no_index) {
      fresh->collapsed.resize(fresh->model.tasks.size());
      fresh->collapsed[same] = 1;
    }
  for (size_t j = 0; j < old.counters.size(); j++)
    for (size_t i = 0; !old.counters[j] && i < fresh->counters.size(); i++)
      if (fresh->trace.strings[fresh->model.counters[i].name] ==
          old.trace.strings[old.model.counters[j].name])
        fresh->counters[i] = 0;
  if (s.selection.what != Hit::What::Nothing && s.selection.track == which) {
    const TaskIndex same = s.selected_task() ? now(s.selection.index) : no_index;
    if (same == no_index) {
      s.selection = {};
      s.related = false;
    } else {
      s.selection.index = same;
    }
  }
  const bool has_path = !s.path.segments.empty() && s.path.track == which;
  const TaskIndex path_of_now = has_path ? now(s.path.task) : no_index;
  fresh->open = old.open;  // rows stay where they are as more follows
  s.traces[which] = std::move(fresh);
  s.filter_tasks(s.traced(which));
  s.arrange_tracks(false);
  if (was_empty) {
    s.navigation.fit_all();
    s.navigation.forget();
  } else {
    s.stay_at_end(sight);
  }
  if (has_path) s.show_path(static_cast<uint32_t>(which), path_of_now);
  s.find_again();
}

State::Sight::Sight(const Navigation& at)
    : window(at.window()),
      to(at.bounds().to),
      has_end(at.end_in_sight()),
      has_all(at.all_in_sight()) {}

void State::stay_at_end(const Sight& before) {
  if (!before.has_end) return;
  const double more = navigation.bounds().to - before.to;
  navigation.follow(before.window.from + (before.has_all ? 0 : more), before.window.to + more);
}

// Nothing is to be drawn: what is new is the sign of life, and the end is not in sight.
bool State::only_lives(Traced& old, const Prepared& fresh) {
  if (fresh.life.utc == 0 || fresh.trace.events.size() != old.trace.events.size() ||
      fresh.trace.facts.packets != old.trace.facts.packets || navigation.end_in_sight())
    return false;
  old.life = fresh.life;
  panel_valid = false;
  return true;
}

void Viewer::set_now(size_t which, SignOfLife life) {
  State& s = *state_;
  if (which >= s.traces.size()) return;
  State::Traced& old = s.traced(which);
  if (old.life.utc == life.utc && old.life.running == life.running) return;
  old.life = life;
  s.panel_valid = false;
  const uint64_t until = time_of(old.trace.facts, life);
  if (until <= old.model.end || !s.navigation.end_in_sight()) return;
  const State::Sight sight(s.navigation);
  assert(s.traces[which].use_count() == 1);
  old.model = build_model(old.trace, {.until = until});  // the same tasks, with other ends
  old.arranged = false;
  s.filter_tasks(old);
  s.arrange_tracks(false);
  s.stay_at_end(sight);
}

size_t Viewer::traces() const { return state_->traces.size(); }
const Trace& Viewer::trace(size_t which) const { return state_->traced(which).trace; }
const Model& Viewer::model(size_t which) const { return state_->traced(which).model; }

void Viewer::resize(float width, float height) {
  if (!std::isfinite(width) || !std::isfinite(height)) return;
  state_->navigation.resize(width, height);
  state_->set_bounds();
}

const DrawList& Viewer::scene() {
  State& s = *state_;
  if (std::exchange(s.scene.version, s.scene_version) != s.scene_version)
    draw_scene(s.tracks, s.navigation.window(), s.marks(), s.scene.list);
  return s.scene.list;
}

const DrawList& Viewer::readouts() {
  State& s = *state_;
  if (std::exchange(s.readouts.version, s.version) != s.version)
    draw_readouts(s.tracks, s.navigation.window(), s.marks(), s.readouts.list);
  return s.readouts.list;
}

const DrawList& Viewer::picture() {
  State& s = *state_;
  if (std::exchange(s.picture.version, s.version) != s.version) {
    s.picture.list = scene();
    append(s.picture.list, readouts());
  }
  return s.picture.list;
}

uint32_t Viewer::scene_version() const { return state_->scene_version; }

std::span<const Track> Viewer::tracks() const { return state_->tracks; }
Marks Viewer::marks() const { return state_->marks(); }

bool Viewer::changed() const { return state_->readouts.version != state_->version; }

const Window& Viewer::window() const { return state_->navigation.window(); }

void Viewer::show(double from, double to) {
  state_->navigation.show(from, to);
  state_->went();
}

// ---- what was added by the user

std::span<const Bookmark> Viewer::bookmarks() const { return state_->bookmarks; }

void Viewer::add_bookmark(double time, std::string text) { state_->insert_bookmark(time, text); }

void State::insert_bookmark(double time, std::string_view text) {
  if (!std::isfinite(time) || bookmarks.size() >= most_bookmarks) return;
  bookmarks.push_back({.time = time, .text = bounded_note(text)});
  sort_by_time(bookmarks);
  redraw();
}

void Viewer::rename_bookmark(size_t which, std::string_view text) {
  State& s = *state_;
  if (which >= s.bookmarks.size()) return;
  s.bookmarks[which].text = bounded_note(text);
  s.redraw();
}

void Viewer::remove_bookmark(size_t which) {
  State& s = *state_;
  if (which >= s.bookmarks.size()) return;
  s.bookmarks.erase(s.bookmarks.begin() + static_cast<ptrdiff_t>(which));
  s.redraw();
}

std::string Viewer::save_notes() const { return write_notes(state_->bookmarks, state_->zero); }

Result<void> Viewer::load_notes(std::string_view json, bool same_zero) {
  State& s = *state_;
  Result<Notes> notes = read_notes(json);
  if (!notes) return notes.error();
  s.bookmarks = std::move(notes->bookmarks);
  const auto later = static_cast<int64_t>(s.zero - notes->start);
  if (notes->start != 0 && later != 0 && !s.traces.empty()) {
    if (later > 0 && (same_zero || s.traced(0).trace.facts.overwritten_packets != 0)) {
      s.zero = notes->start;
      s.measure_from = s.measure_to;
      s.begin();
    } else {
      for (Bookmark& bookmark : s.bookmarks) bookmark.time -= static_cast<double>(later);
    }
  }
  s.panel_valid = false;
  s.redraw();
  return {};
}

std::vector<Viewer::CounterState> Viewer::counters() const {
  const State& s = *state_;
  std::vector<CounterState> all;
  for (size_t track = 0; track < s.traces.size(); track++) {
    const State::Traced& traced = s.traced(track);
    for (size_t i = 0; i < traced.counters.size(); i++)
      all.push_back({.track = track,
                     .name = safe_text(traced.trace.strings[traced.model.counters[i].name]),
                     .shown = s.counters_on && traced.counters[i] != 0});
  }
  return all;
}

void Viewer::show_counter(size_t which, bool shown) {
  State& s = *state_;
  if (!s.counters_on) {  // all off, and this one on again: only this one
    if (!shown) return;
    for (const auto& traced : s.traces)
      std::fill(traced->counters.begin(), traced->counters.end(), uint8_t{0});
    s.counters_on = true;
  }
  for (const auto& traced : s.traces) {
    if (which < traced->counters.size()) {
      traced->counters[which] = shown;
      break;
    }
    which -= traced->counters.size();
  }
  s.set_bounds();
}

void Viewer::set_theme(const Theme& theme) {
  state_->theme = &theme;
  state_->redraw();
}
const Theme& Viewer::theme() const { return *state_->theme; }

void Viewer::set_hint(bool shown, bool touch) {
  state_->hint = shown;
  state_->hint_touch = touch;
  state_->redraw();
}

bool Viewer::help_shown() const { return state_->help; }
bool Viewer::search_shown() const { return state_->search_field; }
bool Viewer::filter_shown() const { return state_->filter_field; }
bool Viewer::legend_shown() const { return state_->legend; }
void Viewer::set_help_shown(bool shown) { state_->help = shown; }
void Viewer::set_search_shown(bool shown) { state_->search_field = shown; }
void Viewer::set_filter_shown(bool shown) { state_->filter_field = shown; }
void Viewer::set_legend_shown(bool shown) {
  state_->legend = shown;
  state_->set_bounds();
}

// ---- found, filtered, selected: what else answers from here

Viewer::Found Viewer::search(std::string_view text) {
  state_->find(text);
  return found();
}

Viewer::Found Viewer::found() const {
  return {.count = state_->found_count, .at = state_->found_at};
}

std::string_view Viewer::searched() const { return state_->searched; }

const Filter& Viewer::filter() const { return state_->filter; }
bool Viewer::filters() const { return !equal(state_->filter, {}); }

void Viewer::select(size_t track, TaskIndex task) {
  State& s = *state_;
  Hit hit;
  if (s.has_task(track, task)) hit = {Hit::What::Task, static_cast<uint32_t>(track), task};
  s.select(hit);
}

TaskIndex Viewer::selected() const {
  return state_->selected_task() ? state_->selection.index : no_index;
}
size_t Viewer::selected_track() const { return state_->selection.track; }

Panel Viewer::panel() const { return state_->panel(); }

void Viewer::click(uint32_t link) {
  State& s = *state_;
  s.panel();  // so that links are those of what is shown now
  if (link == 0 || link > s.targets.size()) return;
  const State::Target target = s.targets[link - 1];
  if (target.task != no_index)
    s.go_to(target.track, target.task, target.time);
  else
    s.go_to_time(target.time);
}

std::string Viewer::tooltip() const { return state_->tooltip(); }
std::string Viewer::notice() const { return state_->notice(); }
std::string Viewer::alarm() const { return state_->alarm(); }

}  // namespace skein
