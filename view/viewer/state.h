// The parts of a Viewer, for the files that need several: viewer.cc, commands.cc, question.cc and
// titles.cc.
#pragma once

#include <array>

#include "view/draw/theme.h"
#include "view/viewer/command.h"
#include "view/viewer/pane/flame_pane.h"
#include "view/viewer/pane/task_pane.h"
#include "view/viewer/panel/panels.h"
#include "view/viewer/views/timeline/timeline.h"

namespace skein {

struct ViewerState {
  Shared shared;
  Timeline timeline{shared};
  // All views: each follows every change of the session and of the size, shown or not.
  std::array<View*, 1> views = {&timeline};
  // The one that the front end shows; never null. After a change of it, redraw() the new one.
  View* view = &timeline;
  Panels panels{shared};
  TaskPane pane{shared};
  FlamePane flame{shared};  // beside the table, shown together

  // Widgets that the front end shows beside the picture.
  bool help = false;
  bool search_field = false;
  bool filter_field = false;
  const Theme* theme = &themes[0];

  // ---- state.cc. `rows`: those of all tasks of the trace, if they are known; for the timeline.
  void added(std::optional<Rows> rows);
  void before_change();
  void replaced(size_t which, const SessionTrace& old, std::optional<Rows> rows);
  void grown(size_t which);
  void filtered();
  void realigned();  // traces moved on the time axis: resets to show everything
  void search(std::string_view text);
  void select(const Item& item, double time = no_time);
  void go_to(uint32_t track, TaskIndex task, double time = no_time);  // selects and reveals
  void insert_bookmark(double time, std::string_view text);

  // ---- commands.cc. An argument is a direction: 1 or -1.
  void run(Command command);
  struct Action;
  static const Action actions[];
  void open_search(int);
  void step_match(int direction);
  void clear_search(int);
  void toggle_filter(int);
  void follow_arrow(int direction);  // -1: to its source
  void select_parent(int);
  void toggle_related(int);
  void next_stuck(int);
  void toggle_path(int);
  void add_bookmark(int);
  void measure(int);
  void clear_measure(int);
  void show_pane(bool shown) {
    pane.set_shown(shown);
    flame.set_shown(shown);
  }
  void toggle_task_table(int) { show_pane(!pane.shown()); }
  void next_theme(int);
  void toggle_help(int) { help = !help; }
  void escape(int);

  const Item& selected() const { return shared.selection.item(); }
};

}  // namespace skein
