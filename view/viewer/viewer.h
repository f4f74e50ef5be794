// What a person does with the picture, without a screen: every shell forwards input to a Viewer and
// paints its picture(). It joins the parts: what is shared by views (shared.h), the view that is
// shown (view.h, timeline/timeline.h), texts about what is selected (panels.h), and commands
// (commands.cc).
//
//   Viewer viewer;
//   viewer.add(std::move(trace), "net.ctf");
//   viewer.resize(1500, 900);
//   paint(viewer.picture());
//   viewer.wheel(x, y, 0, -120, {});      // zooms under the pointer
//   viewer.key("ArrowRight", {});         // as the keyboard map (keys.h) says
//   viewer.search("ring.write");          // highlights as one types
//
// One thread. Units: pixels of the picture, nanoseconds on the common time line, which the axis
// shows: it begins where the first trace began when it was added. Nothing here fails: a command
// that makes no sense now does nothing.
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
#include "view/viewer/panel.h"
#include "view/viewer/timeline/timeline.h"

namespace skein {

// A trace and all that takes long to make of it.
struct LoadedTrace {
  // Makes it; on any thread. Up to the sign of life, if that is later than the last event: what is
  // alive lasts until then.
  explicit LoadedTrace(Trace trace, SignOfLife life = {});
  LoadedTrace(Trace of, Model made);  // the rest is made when it is needed
  ~LoadedTrace();
  LoadedTrace(LoadedTrace&&) noexcept;
  LoadedTrace& operator=(LoadedTrace&&) noexcept;

  // What is wrong, too, which alarm() and panel() tell: for who shall not wait for that then.
  void find_problems();

  Trace trace;
  Model model;
  SignOfLife life;
  std::optional<Rows> rows;            // of all tasks
  std::unique_ptr<FoldedTexts> texts;  // of its search; none: not made
  std::shared_ptr<const Findings> findings;
};

struct ViewerState;  // the parts that a viewer is made of (state.h)

class Viewer {
 public:
  Viewer();
  ~Viewer();
  Viewer(Viewer&&) noexcept;
  Viewer& operator=(Viewer&&) noexcept;

  // Adds a trace below those that are there; several lie on one time line (by UTC if all know it,
  // by their beginnings else). The second of one title gets a number: "net.ctf (2)".
  void add(Trace trace, std::string title);
  void add(LoadedTrace loaded, std::string title);
  // The same trace, longer by now: window, selection, search, bookmarks stay (tasks are known by
  // their ids); follows the end if the end was in sight.
  void update(size_t which, Trace trace);
  void update(size_t which, LoadedTrace loaded);
  // Traces begin together, whatever their clocks say; and what is the same in two of them, with
  // notes (annotations.h).
  void begin_together();
  void link(const Annotations& annotations);
  void relink(const Annotations& annotations);  // after update(), which makes other tasks of them
  // The same trace, of which nothing is new but that. The picture's end grows, and with it all that
  // is alive, if the end is in sight; what the panel says is up to then in any case.
  void set_now(size_t which, SignOfLife life);
  size_t traces() const;
  const Trace& trace(size_t which) const;
  // Of all traces: to read another one, or the same again (read_trace()).
  std::vector<TickClock> tick_clocks() const;
  const Model& model(size_t which) const;

  void resize(float width, float height);
  // Valid until the next call that is not const.
  const DrawList& picture();
  bool changed() const;  // since picture() or readouts() was called last

  // The picture in two, for who paints often: moving the pointer changes the readouts only, which
  // are cheap. They are painted over the scene.
  const DrawList& scene();
  uint32_t scene_version() const;  // another number: scene() is another
  const DrawList& readouts();

  // picture() for who shows titles on hover (SVG): over bars, arrows, sleeps and pauses lie shapes
  // that cannot be seen, a thousand or so of each at most.
  DrawList titled_picture();

  // What picture() draws, for who draws windows of its own. Valid as long as that.
  std::span<const Track> tracks() const;
  Marks marks() const;

  // Input. Coordinates are those of the picture; deltas of the wheel are pixels, down is positive.
  void pointer_move(float x, float y);
  void pointer_leave();
  // Dragging pans; with shift, or from the time axis, it measures.
  void pointer_down(float x, float y, Modifiers);
  void pointer_up(float x, float y);    // without a move: selects
  void double_click(float x, float y);  // highlights what is related, zooms to it
  // Zooms under the pointer; control: in finer steps (browsers send pinches so); shift or dx: pans;
  // alt: the height of rows.
  void wheel(float x, float y, float dx, float dy, Modifiers);
  void pinch(float x, float y, float factor);  // > 1: larger
  // Key as in the DOM ("ArrowLeft", "+", "f"). False: it means nothing here.
  bool key(std::string_view key, Modifiers);
  void run(Command command);

  // Of the window.
  const Window& window() const;
  void show(double from, double to);  // ns; the old window can be gone back to

  struct Found {
    size_t count = 0;
    size_t at = 0;  // 1 to count; 0: none yet
  };
  Found search(std::string_view text);  // ignores case; all labels, names, kinds, locations, ids
  Found found() const;
  std::string_view searched() const;

  // Of all traces, for the filter's choices.
  std::vector<std::string> kinds() const;
  std::vector<std::string> executors() const;
  void set_filter(const Filter& filter);
  const Filter& filter() const;
  bool filters() const;  // it may hide something

  // Both, for another thread, as they take long in a large trace:
  //
  //   std::unique_ptr<Viewer::Question> question = viewer.ask("ring.write", {});
  //   question->answer();      // on any thread; the viewer may be used, moved or gone meanwhile
  //   viewer.take(*question);  // as search() and set_filter() would have done
  //
  // None: that stays as it is. take() does nothing and says false if a trace, the search, the
  // filter or what is collapsed has changed since it was asked. No set_now() meanwhile.
  class Question;
  std::unique_ptr<Question> ask(std::optional<std::string> search, std::optional<Filter>) const;
  bool take(Question& answered);

  // no_index: nothing is selected.
  void select(size_t track, TaskIndex task);
  TaskIndex selected() const;
  size_t selected_track() const;
  // Of the task with this number, label, name or function, of several the longest, which is
  // selected. False: there is none.
  bool show_critical_path(std::string_view task);
  Panel panel() const;  // of what is selected or measured; of the whole trace if nothing is
  void click(uint32_t link);
  std::string tooltip() const;  // of what is under the pointer; empty: nothing is

  std::span<const Bookmark> bookmarks() const;
  void add_bookmark(double time, std::string text);
  void rename_bookmark(size_t which, std::string_view text);
  void remove_bookmark(size_t which);
  std::string save_notes() const;  // JSON, to be kept beside the trace
  // A ring that has forgotten where the notes count from goes on counting from there, and with
  // `same_zero` whatever trace begins later than that: one moment has one time whenever it is
  // opened. With any other the bookmarks are moved to their moments.
  Result<void> load_notes(std::string_view json, bool same_zero = false);

  struct CounterState {  // of all traces, those of a trace after those of the one above
    size_t track = 0;
    std::string name;
    bool shown = true;
  };
  std::vector<CounterState> counters() const;
  void show_counter(size_t which, bool shown);

  void set_theme(const Theme& theme);
  const Theme& theme() const;
  // What to do with mouse and keys, or with fingers, over the picture; goes away at the first zoom,
  // click or key.
  void set_hint(bool shown, bool touch = false);

  // What the shell shows beside the picture now: Command::Help, Search, Filter and Escape change
  // it, and a shell that closes one itself says so.
  bool help_shown() const;
  bool search_shown() const;
  bool filter_shown() const;
  bool legend_shown() const;  // Command::ToggleLegend
  void set_help_shown(bool shown);
  void set_search_shown(bool shown);
  void set_filter_shown(bool shown);
  void set_legend_shown(bool shown);
  // What was lost and what an empty trace means, in a sentence; empty: nothing to say.
  std::string notice() const;
  // How many tasks do not go on, and why: Command::NextStuck leads to them; before that what links
  // say. Without a full stop; empty: nothing to say.
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
  bool filters_ = false;  // otherwise than the viewer did
  bool searches_ = false;
  uint32_t version_ = 0;
  std::vector<TraceWork> work_;
};

}  // namespace skein
