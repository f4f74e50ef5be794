// What the user does with pointer, wheel and keys.
#include <algorithm>
#include <cmath>

#include "view/viewer/keys.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;

namespace {

constexpr float still = 4;  // pixels a pressed pointer may move and yet have clicked

bool are_numbers(float a, float b, float c = 0) {
  return std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
}

// The library's brings a table of 2 kB of digits into the page, which do not pack.
double power_of_two(double exponent) {
  const double x = exponent * 0.6931471805599453 / 64;
  double power = 1;  // of e to the x
  for (int i = 10; i > 0; i--) power = 1 + x / i * power;
  for (int i = 0; i < 6; i++) power *= power;
  return power;
}

// Half an octave for a notch of a wheel (some 120 pixels). With control: finer; but small steps
// with control are what browsers make of fingers on a touch pad, and those shall follow the
// fingers.
double wheel_factor(double pixels, bool control) {
  pixels = std::clamp(pixels, -1000.0, 1000.0);
  const double octave = !control ? 360 : std::fabs(pixels) < 50 ? 70 : 1000;
  return power_of_two(-pixels / octave);
}

}  // namespace

void State::went() {
  hint = false;
  redraw();
}

void Viewer::pointer_move(float x, float y) {
  State& s = *state_;
  if (!are_numbers(x, y)) return;
  s.pointer_x = x;
  s.pointer_y = y;
  s.navigation.hold(static_cast<double>(y));
  s.redraw_readouts();
  if (std::fabs(x - s.gesture_x) + std::fabs(y - s.gesture_y) > 2 * still &&
      s.drag.what == State::Drag::What::Nothing)
    s.navigation.end_gesture();

  using What = State::Drag::What;
  State::Drag& drag = s.drag;
  if (drag.what == What::Press && std::max(std::fabs(x - drag.x), std::fabs(y - drag.y)) > still) {
    drag.what = drag.measures ? What::Measure : What::Pan;
    if (drag.measures) {
      s.measure_from = s.navigation.covered(s.navigation.time_at(static_cast<double>(drag.x)));
      s.measured_last = true;
    }
  }
  if (drag.what == What::Pan) {
    s.navigation.pan(static_cast<double>(drag.x - x), Gesture::Drag);
    s.navigation.scroll(static_cast<double>(drag.y - y), Gesture::Drag);
    drag.x = x;
    drag.y = y;
    s.focus = no_time;
    s.went();
  } else if (drag.what == What::Measure) {
    s.measure_to = s.navigation.covered(s.navigation.time_at(static_cast<double>(x)));
    s.panel_valid = false;
  }
}

void Viewer::pointer_leave() {
  state_->pointer_x = state_->pointer_y = -1;
  state_->navigation.hold(-1);
  state_->redraw_readouts();
}

void Viewer::pointer_down(float x, float y, Modifiers modifiers) {
  State& s = *state_;
  if (!are_numbers(x, y)) return;
  if (s.hint) set_hint(false);
  s.navigation.end_gesture();
  s.drag = {.what = State::Drag::What::Press,
            .measures = modifiers.shift || y < s.navigation.bounds().rows_y,
            .x = x,
            .y = y};
}

void Viewer::pointer_up(float x, float y) {
  State& s = *state_;
  const State::Drag drag = s.drag;
  if (drag.what != State::Drag::What::Nothing) pointer_move(x, y);
  const bool clicked = s.drag.what == State::Drag::What::Press;
  s.drag = {};
  s.navigation.end_gesture();
  if (clicked) s.click(drag.x, drag.y);
}

void State::click(float x, float y) {
  Hit found = hit(tracks, navigation.window(), marks(), x, y);
  if (found.what == Hit::What::Axis) {  // a click there ends measuring
    run(Command::ClearMeasure);
    return;
  }
  select(found, navigation.time_at(static_cast<double>(x)));
}

void Viewer::double_click(float x, float y) {
  State& s = *state_;
  if (!are_numbers(x, y)) return;
  s.drag = {};
  s.click(x, y);
  if (s.selection.what == Hit::What::Nothing) return;
  if (s.selected_task()) {
    s.related = true;
    s.mark();
  }
  s.run(Command::FitSelection);
}

void Viewer::wheel(float x, float y, float dx, float dy, Modifiers modifiers) {
  State& s = *state_;
  if (!are_numbers(x, y) || !are_numbers(dx, dy)) return;
  const auto in_rows = static_cast<double>(y);
  s.navigation.hold(in_rows);
  if (modifiers.alt) {
    s.navigation.zoom_rows(in_rows, wheel_factor(static_cast<double>(dy), false));
  } else if (modifiers.shift || std::fabs(dx) > std::fabs(dy)) {
    s.navigation.pan(static_cast<double>(modifiers.shift ? dx + dy : dx), Gesture::Pan);
  } else {
    s.navigation.zoom(static_cast<double>(x),
                      wheel_factor(static_cast<double>(dy), modifiers.control), Gesture::Zoom);
  }
  s.gesture_x = x;
  s.gesture_y = y;
  s.focus = no_time;
  s.went();
}

void Viewer::pinch(float x, float y, float factor) {
  State& s = *state_;
  if (!are_numbers(x, y, factor)) return;
  s.drag = {};  // the second finger came down
  s.navigation.hold(static_cast<double>(y));
  s.navigation.zoom(static_cast<double>(x), std::clamp(static_cast<double>(factor), 0.01, 100.0),
                    Gesture::Zoom);
  s.gesture_x = x;
  s.gesture_y = y;
  s.focus = no_time;
  s.went();
}

bool Viewer::key(std::string_view key, Modifiers modifiers) {
  const KeyBinding* found = find_key(key, modifiers);
  if (!found) {
    if (state_->hint) set_hint(false);
    return false;
  }
  run(found->command);
  return true;
}

void Viewer::run(Command command) { state_->run(command); }

void State::run(Command command) {
  if (static_cast<size_t>(command) >= commands) return;
  // A key that is held down is one gesture; another key begins another.
  if (command != last_key) navigation.end_gesture();
  last_key = command;
  hint = false;
  redraw();

  const Window& window = navigation.window();
  const double middle = static_cast<double>(window.width) / 2;
  const bool pointed = pointer_x >= 0;
  const double zoom_x = pointed ? static_cast<double>(pointer_x) : middle;
  const auto rows_height = static_cast<double>(navigation.bounds().rows_height);
  const double rows_middle = static_cast<double>(navigation.bounds().rows_y) + rows_height / 2;
  const auto set_measure = [&](double from, double to) {
    measure_from = navigation.covered(from);
    measure_to = navigation.covered(to);
    measured_last = from != to;
    panel_valid = false;
  };
  const auto leave = [&] { focus = no_time; };  // the user looks elsewhere

  switch (command) {
    case Command::ZoomIn:
      return navigation.zoom(zoom_x, 1.5, Gesture::Zoom);
    case Command::ZoomOut:
      return navigation.zoom(zoom_x, 1 / 1.5, Gesture::Zoom);
    case Command::PanLeft:
      leave();
      return navigation.pan(-middle / 5, Gesture::Pan);
    case Command::PanRight:
      leave();
      return navigation.pan(middle / 5, Gesture::Pan);
    case Command::PanUp:
      return navigation.scroll(-rows_height / 10, Gesture::Scroll);
    case Command::PanDown:
      return navigation.scroll(rows_height / 10, Gesture::Scroll);
    case Command::PageUp:
      return navigation.scroll(-rows_height * 0.9, Gesture::Scroll);
    case Command::PageDown:
      return navigation.scroll(rows_height * 0.9, Gesture::Scroll);
    case Command::GoToStart:
      leave();
      return navigation.show(navigation.bounds().from,
                             navigation.bounds().from + window.to - window.from);
    case Command::GoToEnd: {
      leave();
      const double margin = (window.to - window.from) * 0.02;
      const double end = navigation.bounds().to + margin;
      return navigation.show(end - (window.to - window.from), end);
    }
    case Command::RowsHigher:
      return navigation.zoom_rows(rows_middle, 1.25);
    case Command::RowsLower:
      return navigation.zoom_rows(rows_middle, 1 / 1.25);
    case Command::FitAll:
      leave();
      return navigation.fit_all();
    case Command::FitRows:
      return navigation.fit_rows();
    case Command::FitSelection:
      return fit_selection();
    case Command::UndoZoom:
      navigation.undo();
      return;
    case Command::RedoZoom:
      navigation.redo();
      return;
    case Command::Search:
      search_field = true;
      return;
    case Command::SearchNext:
      return step_found(1);
    case Command::SearchPrevious:
      return step_found(-1);
    case Command::ClearSearch:
      search_field = false;
      return find({});
    case Command::Filter:
      filter_field = !filter_field;
      return;
    case Command::FollowToSource:
      return follow(true);
    case Command::FollowToDestination:
      return follow(false);
    case Command::SelectParent:
      if (selected_task())
        if (const TaskIndex parent = model(selection.track).tasks[selection.index].parent;
            parent != no_index)
          go_to(selection.track, parent);
      return;
    case Command::SelectNext:
      return step_in_row(1);
    case Command::SelectPrevious:
      return step_in_row(-1);
    case Command::HighlightRelated:
      related = !related && selected_task();
      return mark();
    case Command::NextFault:
      return next_fault();
    case Command::CriticalPath:
      return toggle_path();
    case Command::Collapse:
      return collapse_selected();
    case Command::ExpandAll:
      for (const auto& traced : traces) {
        traced->collapsed.clear();
        show_tasks(*traced);
      }
      panel_valid = false;
      return arrange_tracks();
    case Command::AddBookmark:
      return add_bookmark(navigation.time_at(zoom_x));
    case Command::NextBookmark:
      return step_bookmark(1);
    case Command::PreviousBookmark:
      return step_bookmark(-1);
    case Command::Measure: {
      double from = window.from;
      double to = window.to;
      extent_of_selection(from, to);
      return set_measure(from, to);
    }
    case Command::ClearMeasure:
      return set_measure(0, 0);
    case Command::ToggleCounters:
      counters_on = !counters_on;
      return set_bounds();
    case Command::ToggleArrows:
      arrows = !arrows;
      return;
    case Command::ToggleLegend:
      legend = !legend;
      return set_bounds();
    case Command::NextTheme: {
      size_t next = 0;
      for (size_t i = 0; i < themes.size(); i++)
        if (theme->name == themes[i].name) next = (i + 1) % themes.size();
      theme = &themes[next];
      return;
    }
    case Command::Help:
      help = !help;
      return;
    case Command::Escape:
      return escape();
  }
}

// What lies on top first, one thing at a time.
void State::escape() {
  if (drag.what != Drag::What::Nothing) {
    drag = {};
  } else if (help) {
    help = false;
  } else if (filter_field) {
    filter_field = false;
  } else if (search_field || !searched.empty()) {
    run(Command::ClearSearch);
  } else if (measure_from != measure_to) {
    run(Command::ClearMeasure);
  } else if (related) {
    run(Command::HighlightRelated);
  } else if (!path.segments.empty()) {
    show_path(0, no_index);
  } else {
    select({});
  }
}

void State::fit_selection() {
  double from = measure_from;
  double to = measure_to;
  if (!measured_last && !extent_of_selection(from, to)) return;
  if (from == to && measured_last) return;
  if (from > to) std::swap(from, to);
  const double margin = 0.1 * (to - from);
  const double row =
      !measured_last && selected_task() ? row_of(selection.track, selection.index) : no_time;
  focus = no_time;
  if (std::isnan(row)) return navigation.show(from - margin, to + margin);
  navigation.show_row(from - margin, to + margin, row, 18);
}

void State::add_bookmark(double time) {
  std::string text = "Bookmark " + std::to_string(bookmarks.size() + 1);
  if (selected_task()) {
    const Traced& of = traced(selection.track);
    const Model::Task& task = of.model.tasks[selection.index];
    const double at = time - of.offset;
    if (at >= static_cast<double>(task.start) &&
        (task.how == Model::End::Open || at <= static_cast<double>(task.end)))
      text = task_text(of.trace, of.model, selection.index);
  }
  insert_bookmark(time, text);
}

void State::step_bookmark(int direction) {
  const double here = focus_time();
  const double least = 2 * navigation.per_pixel();  // at one it is not gone to again
  const Bookmark* found = nullptr;
  for (const Bookmark& bookmark : bookmarks) {
    if (direction > 0 && bookmark.time > here + least) {
      found = &bookmark;
      break;
    }
    if (direction < 0 && bookmark.time < here - least) found = &bookmark;
  }
  if (found) go_to_time(found->time);
}

}  // namespace skein
