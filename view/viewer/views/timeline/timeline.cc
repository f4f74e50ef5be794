#include "view/viewer/views/timeline/timeline.h"

#include <cmath>
#include <utility>

#include "view/draw/areas.h"
#include "view/draw/scene.h"

namespace skein {

Timeline::Timeline(Shared& shared) : View(shared) {
  navigation_.on_fold(
      [this](double from, double to, bool rows_changed) { return fold(from, to, rows_changed); });
}

// ---- the session changed

Timeline::TrackLayout Timeline::make_layout(size_t track, std::optional<Rows> rows) const {
  const size_t counters = shared_.model(track).counters.size();
  TrackLayout layout;
  layout.arranged = rows.has_value();
  if (rows) layout.rows = *std::move(rows);
  layout.counters.assign(counters, 1);
  layout.counters_off.assign(counters, 0);
  return layout;
}

void Timeline::added(std::optional<Rows> rows) {
  layouts_.push_back(make_layout(layouts_.size(), std::move(rows)));
  show_tasks(layouts_.size() - 1);
  aligned();
}

void Timeline::aligned() {
  arrange_tracks(true);
  navigation_.fit_all();
  navigation_.forget();
}

void Timeline::before_change() {
  saved_ = {.window = navigation_.window(),
            .last = navigation_.bounds().to,
            .has_end = navigation_.end_in_sight(),
            .has_all = navigation_.all_in_sight()};
}

void Timeline::replaced(size_t track, const SessionTrace& old, std::optional<Rows> rows) {
  const SessionTrace& fresh = shared_.session[track];
  TrackLayout was = std::exchange(layouts_[track], make_layout(track, std::move(rows)));
  TrackLayout& now = layouts_[track];
  for (TaskIndex task = 0; task < was.collapsed.size(); task++) {
    if (!was.collapsed[task]) continue;
    const TaskIndex same = fresh.model.find(old.model.tasks[task].id);
    if (same == no_index) continue;
    now.collapsed.resize(fresh.model.tasks.size());
    now.collapsed[same] = 1;
  }
  for (size_t j = 0; j < was.counters.size(); j++)
    for (size_t i = 0; !was.counters[j] && i < now.counters.size(); i++)
      if (fresh.trace.strings[fresh.model.counters[i].name] ==
          old.trace.strings[old.model.counters[j].name])
        now.counters[i] = 0;
  now.open = std::move(was.open);  // rows keep their positions when events are added
  show_tasks(track);
  arrange_tracks(false);
  if (!old.trace.events.empty()) return stay_at_end();
  navigation_.fit_all();
  navigation_.forget();
}

void Timeline::grown(size_t track) {
  layouts_[track].arranged = false;
  show_tasks(track);
  arrange_tracks(false);
  stay_at_end();
}

void Timeline::filtered() {
  for (size_t track = 0; track < layouts_.size(); track++) show_tasks(track);
  arrange_tracks(true);
}

void Timeline::stay_at_end() {
  if (!saved_.has_end) return;
  const double more = navigation_.bounds().to - saved_.last;
  navigation_.follow(saved_.window.from + (saved_.has_all ? 0 : more), saved_.window.to + more);
}

void Timeline::show_tasks(size_t track) {
  rows_version_++;
  TrackLayout& layout = layouts_[track];
  const bool all_before = layout.shown.tasks.empty();
  layout.shown = shown(shared_.model(track), shared_.finder.passes(track), layout.collapsed);
  if (!all_before || !layout.shown.tasks.empty()) layout.arranged = false;
}

void Timeline::take(size_t track, Shown shown, Rows rows) {
  layouts_[track].shown = std::move(shown);
  layouts_[track].rows = std::move(rows);
  layouts_[track].arranged = true;
  layouts_[track].shows_findings = false;
}

bool Timeline::show_findings() {
  bool any = false;
  for (size_t i = 0; i < layouts_.size(); i++) {
    TrackLayout& layout = layouts_[i];
    const Findings* findings = shared_.findings.known(i);
    if (layout.shows_findings || findings == nullptr) continue;
    layout.rows.set_findings(shared_.model(i), findings->stuck, findings->lost_cancels);
    layout.shows_findings = true;
    any |= !findings->stuck.empty();
  }
  return any;
}

void Timeline::arrange_tracks(bool rows_changed) {
  tracks_.clear();
  for (size_t i = 0; i < layouts_.size(); i++) {
    TrackLayout& layout = layouts_[i];
    const SessionTrace& of = shared_.session[i];
    if (!layout.arranged) {
      layout.rows = arrange(of.trace, of.model, layout.shown.tasks);
      layout.shows_findings = false;
    }
    layout.arranged = true;
    tracks_.push_back({.trace = &of.trace,
                       .model = &of.model,
                       .rows = &layout.rows,
                       .title = of.title,
                       .offset = of.offset});
  }
  show_findings();
  set_bounds(rows_changed);
}

// If nothing is visible in any track, nothing is folded.
Lines Timeline::fold(double from, double to, bool rows_changed) {
  if (!rows_changed && lines_.empty()) return lines_;
  size_t open = 0;
  size_t all = 0;
  for (size_t i = 0; i < layouts_.size(); i++) {
    TrackLayout& layout = layouts_[i];
    if (rows_changed) layout.open.clear();
    layout.open.resize(layout.rows.count, 0);
    const SessionTrace& of = shared_.session[i];
    open_rows(layout.rows, of.model, from - of.offset, to - of.offset, layout.open);
    open += static_cast<size_t>(std::count(layout.open.begin(), layout.open.end(), 1));
    all += layout.open.size();
  }
  lines_.clear();
  if (open == all || open == 0) return lines_;
  uint32_t line = 0;
  for (const TrackLayout& layout : layouts_) {
    if (layouts_.size() > 1) lines_.push_back(line++);  // its title
    for (const uint8_t is_open : layout.open) {
      lines_.push_back(line);
      line += is_open;
    }
  }
  lines_.push_back(line);
  return lines_;
}

void Timeline::set_bounds(bool rows_changed) {
  const Areas all = areas(tracks_, navigation_.window(), marks());
  navigation_.set_bounds({.from = shared_.session.first(),
                          .to = shared_.session.last(),
                          .rows = total_rows(tracks_),
                          .rows_y = all.rows,
                          .rows_height = std::max(1.0f, all.counters - all.rows)},
                         rows_changed);
  Selection& selection = shared_.selection;
  selection.measure(navigation_.covered(selection.from()), navigation_.covered(selection.to()),
                    selection.range_is_latest());
  redraw();
}

// ---- the picture

void Timeline::resize(float width, float height) {
  if (!std::isfinite(width) || !std::isfinite(height)) return;
  navigation_.resize(width, height);
  set_bounds();
}

Marks Timeline::marks() const {
  task_marks_.clear();
  counter_marks_.clear();
  collapsed_marks_.clear();
  bookmark_marks_.clear();
  note_marks_.clear();
  for (size_t i = 0; i < layouts_.size(); i++) {
    task_marks_.push_back(shared_.highlights.marks(i));
    collapsed_marks_.push_back(layouts_[i].shown.hidden);
    counter_marks_.push_back(counters_on_ ? layouts_[i].counters : layouts_[i].counters_off);
  }
  for (const Bookmark& bookmark : shared_.bookmarks.all())
    bookmark_marks_.push_back({.time = bookmark.time, .text = bookmark.text});
  for (const SessionAnnotations::Marker& marker : shared_.annotations.markers())
    note_marks_.push_back({marker.track, marker.task, marker.time, marker.text});
  const Selection& selection = shared_.selection;
  Marks marks{.notes = note_marks_,
              .tasks = task_marks_,
              .samples = shared_.framed_samples,
              .collapsed = collapsed_marks_,
              .counters = counter_marks_,
              .bookmarks = bookmark_marks_,
              .path = shared_.path.segments(),
              .path_track = shared_.path.track(),
              .lines = navigation_.lines(),
              .measure_from = std::min(selection.from(), selection.to()),
              .measure_to = std::max(selection.from(), selection.to()),
              .pointer_x = pointer_x_,
              .pointer_y = pointer_y_,
              .legend = legend_,
              .hint = hint_,
              .hint_touch = hint_touch_,
              .arrows = arrows_,
              .scroll_bar = true};
  if (selection.has_task()) {
    marks.selected_track = selection.item().track;
    marks.selected = selection.item().index;
  }
  if (selection.has_lane()) {
    marks.selected_track = selection.item().track;
    marks.selected_lane = selection.item().index;
  }
  return marks;
}

// Findings may become known after the first picture.
void Timeline::draw(DrawList& list) {
  if (show_findings()) set_bounds(false);  // the legend has one more entry
  draw_scene(tracks_, navigation_.window(), marks(), list);
}

void Timeline::draw_over(DrawList& list) {
  draw_readouts(tracks_, navigation_.window(), marks(), list);
}

// ---- moving

double Timeline::middle_x() const {
  return static_cast<double>(pointer_x_ >= 0 ? pointer_x_ : navigation_.window().width / 2);
}

double Timeline::focus_time() const {
  const Window& window = navigation_.window();
  const bool seen = focus_ >= window.from && focus_ <= window.to;  // false for no_time
  return seen ? focus_ : (window.from + window.to) / 2;
}

void Timeline::show(double from, double to) {
  navigation_.show(from, to);
  update_after_move();
}

void Timeline::go_to_time(double time) {
  if (std::isnan(time)) return;
  const Window& window = navigation_.window();
  const double half = (window.to - window.from) / 2;
  navigation_.show(time - half, time + half);
  focus_ = time;
  redraw();
}

double Timeline::row_of(size_t track, TaskIndex task) const {
  double row = 0;
  for (size_t i = 0; i <= track && i < tracks_.size(); i++) {
    if (tracks_.size() > 1) row++;
    if (i < track) row += tracks_[i].rows->count;
  }
  const std::vector<uint32_t>& rows = layouts_[track].rows.row;
  if (task >= rows.size() || rows[task] == Rows::no_row) return no_time;
  return row + rows[task];
}

void Timeline::reveal_range(uint32_t track, TaskIndex task, double from, double to) {
  constexpr double lowest_bar = 6;  // pixels
  show_at_row(track, task, from, to, lowest_bar);
}

void Timeline::show_at_row(uint32_t track, TaskIndex task, double from, double to,
                           double least_height) {
  const double row = row_of(track, task);
  if (std::isnan(row))
    navigation_.show(from, to);
  else
    navigation_.show_row(from, to, row, least_height);
  redraw();
}

// Keeps the scale, unless the bar is too thin to see, or is elsewhere and longer than the window.
// Does not move if the bar is visible.
void Timeline::reveal(uint32_t track, TaskIndex task, double time) {
  constexpr double thin = 8;        // pixels
  constexpr double visible = 32;    // the width that a thin bar gets
  constexpr double shortest = 100;  // ns; an event without duration does not need the full zoom
  constexpr double lowest_bar = 6;  // pixels: the least row height at which a bar is distinct
  const SessionTrace& of = shared_.session[track];
  if (expand_above(of.model, layouts_[track].collapsed, task)) {
    show_tasks(track);
    arrange_tracks(true);
  }
  double from = navigation_.window().from;
  double to = navigation_.window().to;
  double span = to - from;
  const Model::Task& bar = of.model.tasks[task];
  const double start = of.on_clock(bar.start);
  const double end = std::max(start, of.on_clock(bar.is_unresolved() ? of.model.end : bar.end));
  const double margin = 0.05 * span;
  const bool has_time = !std::isnan(time);
  const bool is_thin = std::max(end - start, shortest) < thin * navigation_.per_pixel();
  const bool seen = has_time ? time >= from + margin && time <= to - margin
                             : start <= to - margin && end >= from + margin;
  if (is_thin || !seen) {
    double middle = has_time ? time : (start + end) / 2;
    if (is_thin) {
      span *= std::max(end - start, shortest) / (visible * navigation_.per_pixel());
      middle = std::clamp(middle, start, end);
    } else if (!has_time) {
      span = std::max(span, 1.1 * (end - start));
    }
    from = middle - span / 2;
    to = middle + span / 2;
  }
  focus_ = time;
  show_at_row(track, task, from, to, lowest_bar);
}

void Timeline::update_after_move() {
  hint_ = false;
  redraw();
}

// ---- what is shown

uint32_t Timeline::hidden(size_t track, TaskIndex task) const {
  const std::vector<uint32_t>& hidden = layouts_[track].shown.hidden;
  return task < hidden.size() ? hidden[task] : 0;
}

bool Timeline::shows_counter(size_t track, size_t counter) const {
  return counters_on_ && layouts_[track].counters[counter] != 0;
}

void Timeline::show_counter(size_t which, bool shown) {
  if (!counters_on_) {  // all are off: show only this one
    if (!shown) return;
    for (TrackLayout& layout : layouts_) layout.counters = layout.counters_off;
    counters_on_ = true;
  }
  for (TrackLayout& layout : layouts_) {
    if (which < layout.counters.size()) {
      layout.counters[which] = shown;
      break;
    }
    which -= layout.counters.size();
  }
  set_bounds();
}

void Timeline::set_legend(bool shown) {
  legend_ = shown;
  set_bounds();
}

void Timeline::set_hint(bool shown, bool touch) {
  hint_ = shown;
  hint_touch_ = touch;
  redraw();
}

}  // namespace skein
