// The viewer without a screen: every front end forwards input to a Viewer and paints its picture().
// It joins the state shared by views (shared.h), the view that is shown (views/view.h,
// views/timeline/timeline.h), texts about the selection (panel/panels.h), and commands
// (commands.cc).
//
//   Viewer viewer;
//   viewer.add(std::move(trace), "net.ctf");
//   viewer.resize(1500, 900);
//   paint(viewer.picture());
//   viewer.wheel(x, y, 0, -120, {});      // zooms under the pointer
//   viewer.key("ArrowRight", {});         // runs the command bound in keys.h
//   viewer.search("ring.write");          // highlights while the user types
//
// Use from one thread. Units: pixels of the picture, nanoseconds on the common time axis, which
// begins where the first trace began when it was added. No function fails: a command that does not
// apply does nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "view/draw/theme.h"
#include "view/viewer/command.h"
#include "view/viewer/pane/task_table.h"
#include "view/viewer/panel/panel.h"
#include "view/viewer/views/timeline/timeline.h"

namespace skein {

// A trace and the data derived from it that take long to compute.
struct LoadedTrace {
  // Computes the data; on any thread. If the sign of life is later than the last event, live tasks
  // extend to it.
  explicit LoadedTrace(Trace trace, SignOfLife life = {});
  LoadedTrace(Trace of, Model made);  // the rest is computed on demand
  ~LoadedTrace();
  LoadedTrace(LoadedTrace&&) noexcept;
  LoadedTrace& operator=(LoadedTrace&&) noexcept;

  // Computes the findings for alarm() and panel() too, so that their first call is fast.
  void find_problems();

  Trace trace;
  Model model;
  SignOfLife life;
  std::optional<Rows> rows;            // of all tasks
  std::unique_ptr<FoldedTexts> texts;  // for the search; null: not built
  std::shared_ptr<const Findings> findings;
};

class FlamePane;     // pane/flame_pane.h
struct ViewerState;  // the parts of a viewer (state.h)

class Viewer {
 public:
  Viewer();
  ~Viewer();
  Viewer(Viewer&&) noexcept;
  Viewer& operator=(Viewer&&) noexcept;

  // Adds a trace below the others. Several traces share one time axis: aligned by UTC if all have
  // it, otherwise by their starts. A duplicate title gets a number: "net.ctf (2)".
  void add(Trace trace, std::string title);
  void add(LoadedTrace loaded, std::string title);
  // Replaces a trace by a longer version of itself. Window, selection, search and bookmarks stay
  // (tasks are identified by id). Follows the end if it was visible.
  void update(size_t which, Trace trace);
  void update(size_t which, LoadedTrace loaded);
  // Align the traces at their starts, whatever their clocks; link() also shows counterparts and
  // notes (annotations.h).
  void align_by_start();
  void link(const Annotations& annotations);
  void relink(const Annotations& annotations);  // call after update(), which changes task indices
  // A sign of life without new events. Extends the end of the picture and all live tasks, if the
  // end is visible. The panel always covers the time until then.
  void set_liveness(size_t which, SignOfLife life);
  size_t traces() const;
  const Trace& trace(size_t which) const;
  // The clocks of all traces, for reading another trace or one of them again (read_trace()).
  std::vector<TickClock> tick_clocks() const;
  const Model& model(size_t which) const;

  void resize(float width, float height);
  // Valid until the next call that is not const.
  const DrawList& picture();
  bool changed() const;  // since the last picture() or readouts()

  // The picture in two parts, for frequent painting: pointer movements change only the readouts,
  // which are cheap. Paint them over the scene.
  const DrawList& scene();
  uint32_t scene_version() const;  // changes with scene()
  const DrawList& readouts();

  // picture() with titles shown on hover (SVG): invisible shapes cover bars, arrows, sleeps and
  // pauses, at most a thousand or so of each kind.
  DrawList titled_picture();

  // The input of picture(), for callers that draw their own windows. Valid as long as picture().
  std::span<const Track> tracks() const;
  Marks marks() const;

  // Input. Coordinates are in the picture; wheel deltas are in pixels, positive is down.
  void pointer_move(float x, float y);
  void pointer_leave();
  // Dragging pans; with shift, or from the time axis, it measures.
  void pointer_down(float x, float y, Modifiers);
  void pointer_up(float x, float y);    // without a movement: selects
  void double_click(float x, float y);  // highlights related tasks and zooms to them
  // Zooms under the pointer. Control: finer steps (browsers send pinches this way). Shift or dx:
  // pans. Alt: changes the height of rows.
  void wheel(float x, float y, float dx, float dy, Modifiers);
  void pinch(float x, float y, float factor);  // > 1: larger
  // Key as in the DOM ("ArrowLeft", "+", "f"). Returns false if it is not bound.
  bool key(std::string_view key, Modifiers);
  void run(Command command);

  // Of the window.
  const Window& window() const;
  void show(double from, double to);  // ns; undo restores the old window

  struct Found {
    size_t count = 0;
    size_t at = 0;  // 1 to count; 0: none yet
  };
  Found search(std::string_view text);  // ignores case; all labels, names, kinds, locations, ids
  Found found() const;
  std::string_view searched() const;

  // Of all traces: the choices of the filter.
  std::vector<std::string> kinds() const;
  std::vector<std::string> executors() const;
  void set_filter(const Filter& filter);
  const Filter& filter() const;
  bool filters() const;  // the filter may hide tasks

  // Search and filter on another thread, as they take long in a large trace:
  //
  //   std::unique_ptr<Viewer::Question> question = viewer.ask("ring.write", {});
  //   question->answer();      // on any thread; the viewer may be used, moved or destroyed
  //   viewer.take(*question);  // same effect as search() and set_filter()
  //
  // nullopt: unchanged. take() does nothing and returns false if a trace, the search, the filter or
  // the collapsed tasks have changed since ask(). Do not call set_liveness() in between.
  class Question;
  std::unique_ptr<Question> ask(std::optional<std::string> search, std::optional<Filter>) const;
  bool take(Question& answered);

  // no_index: no selection.
  void select(size_t track, TaskIndex task);
  TaskIndex selected() const;
  size_t selected_track() const;
  // Shows the critical path of the task with this id, label, name or function and selects the task;
  // of several, the longest. Returns false if there is none.
  bool show_critical_path(std::string_view task);
  Panel panel() const;  // of the selection or range; otherwise of the whole trace
  void click(uint32_t link);
  std::string tooltip() const;  // of the item under the pointer; empty if there is none

  // The pane below the picture: where the time of the selected tasks goes. Command::ToggleTaskTable
  // shows and hides it. task_table() may change the picture: the highlights of the chosen row.
  bool task_table_shown() const;
  void set_task_table_shown(bool shown);
  const TaskTable& task_table();              // valid until the next call that is not const
  void sort_tasks(TaskTable::Column column);  // again: the other way round
  void choose_tasks(size_t row);              // highlights the tasks of the row; again: no longer
  // The flame graph beside the table: the same for pictures and input. Valid as long as the viewer.
  FlamePane& flame();

  std::span<const Bookmark> bookmarks() const;
  void add_bookmark(double time, std::string text);
  void rename_bookmark(size_t which, std::string_view text);
  void remove_bookmark(size_t which);
  std::string save_notes() const;  // JSON, for storage beside the trace
  // If a ring has overwritten the start that the notes are relative to, times remain relative to
  // it; with `same_zero` this applies to any trace that begins later. Thus a time stays the same
  // whenever the trace is opened. For any other trace the bookmarks are moved to their times.
  Result<void> load_notes(std::string_view json, bool same_zero = false);

  struct CounterState {  // of all traces, in their order
    size_t track = 0;
    std::string name;
    bool shown = true;
  };
  std::vector<CounterState> counters() const;
  void show_counter(size_t which, bool shown);

  void set_theme(const Theme& theme);
  const Theme& theme() const;
  // Shows help for mouse and keys, or for touch, over the picture. Disappears at the first zoom,
  // click or key.
  void set_hint(bool shown, bool touch = false);

  // Widgets that the front end shows now. Command::Help, Search, Filter and Escape change them; a
  // front end that closes one itself must report it here.
  bool help_shown() const;
  bool search_shown() const;
  bool filter_shown() const;
  bool legend_shown() const;  // Command::ToggleLegend
  void set_help_shown(bool shown);
  void set_search_shown(bool shown);
  void set_filter_shown(bool shown);
  void set_legend_shown(bool shown);
  // The losses, and the reason why a trace is empty, as a sentence; empty if there are none.
  std::string notice() const;
  // The number of stuck tasks and the reasons; Command::NextStuck selects them. Preceded by the
  // summary of the annotations. Without a full stop; empty if there is nothing to report.
  std::string alarm() const;

 private:
  std::unique_ptr<ViewerState> state_;
};

class Viewer::Question {
 public:
  ~Question();
  void answer();

 private:
  friend Viewer;
  struct TraceWork;  // of a trace
  Question();

  std::string search_;
  skein::Filter filter_;
  bool filters_ = false;  // differs from the viewer's
  bool searches_ = false;
  uint32_t version_ = 0;
  std::vector<TraceWork> work_;
};

}  // namespace skein
