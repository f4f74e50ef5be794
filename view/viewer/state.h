// What a Viewer knows. The parts that need nothing else are classes of their own (Navigation,
// Search, notes); here they meet. Implemented in
//
//   viewer.cc     traces come and grow; the picture
//   input.cc      pointer, wheel, keys, commands
//   selection.cc  what is selected, found, related; where arrows lead
//   panel.cc      what the panel and the tooltip say about it
//   range.cc      ... about a measured range
//   findings.cc   ... about what is wrong
//   critical.cc   ... about the critical path
//   links.cc      ... about its twin in another trace
//   titles.cc     the picture with titles on hover
//   filter.cc     which tasks have a row
//   question.cc   search and filter on another thread
#pragma once

#include <algorithm>
#include <limits>

#include "view/viewer/findings.h"
#include "view/viewer/navigation.h"
#include "view/viewer/search.h"
#include "view/viewer/viewer.h"

namespace skein {

class PanelWriter;

inline constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

// Which tasks have a row, and how many below one have none, because it is collapsed. One entry per
// task each; empty: all have a row, none is collapsed.
struct Shown {
  std::vector<uint8_t> tasks = {};
  std::vector<uint32_t> hidden = {};
};
// The filter's tasks; empty: all.
std::vector<uint8_t> passing(const Trace& trace, const Model& model, Search& search,
                             const Filter& filter);
Shown shown(const Model& model, const std::vector<uint8_t>& passes,
            const std::vector<uint8_t>& collapsed);
bool equal(const Filter& a, const Filter& b);

struct Viewer::State {
  struct Traced {
    Traced(Prepared of, std::string called);

    Trace trace;
    Model model;
    Search search;
    Rows rows;
    bool arranged = false;  // rows are those of `shown`
    std::string title;
    double offset = 0;  // ns on the common time line
    SignOfLife life;

    // One entry per task each; empty: all pass, none is collapsed, all have a row, none is marked.
    std::vector<uint8_t> passes;     // the filter
    std::vector<uint8_t> collapsed;  // its children are hidden
    std::vector<uint8_t> shown;      // has a row
    std::vector<uint32_t> hidden;    // how many below it have none, because it is collapsed
    std::vector<uint8_t> found;      // by the search
    std::vector<uint8_t> marks;      // found or related

    std::vector<uint8_t> executors;     // one entry each: it has a name, or something ran on it
    std::vector<uint8_t> counters;      // one entry per counter: shown
    std::vector<uint8_t> counters_off;  // as many zeros

    std::vector<TaskIndex> twins;  // one entry per task; empty: this trace has no twin
    uint32_t twin_track = 0;

    std::vector<uint8_t> open;  // one entry per row: not folded away

    const Findings& findings() const;                   // findings.cc
    mutable std::shared_ptr<const Findings> found_out;  // none: nobody has asked yet

    double begin() const { return offset; }
    double end() const { return offset + static_cast<double>(model.end); }
    // Up to when one knows what is alive.
    uint64_t until() const;
    bool has_executors() const { return std::count(executors.begin(), executors.end(), 1) > 1; }
    bool is_found(TaskIndex task) const { return task < found.size() && found[task] != 0; }
  };

  // Where something of the panel leads to: a task, a time, or a task at a time.
  struct Target {
    uint32_t track = 0;
    TaskIndex task = no_index;
    double time = no_time;
  };

  // ---- viewer.cc
  void align();
  void begin();  // aligned, and all in sight: there is nothing to go back to
  // After anything that changes which rows there are; `afresh`: they are others than before.
  void arrange_tracks(bool afresh = true);
  void set_bounds(bool afresh = false);  // ... or how much room there is for them
  // What the window had in sight before the trace grew: its end stays there.
  struct Sight {
    explicit Sight(const Navigation& at);
    Window window;
    double to = 0;
    bool has_end = false;
    bool has_all = false;
  };
  void stay_at_end(const Sight& before);
  bool only_lives(Traced& old, const Prepared& fresh);
  Lines fold(double from, double to, bool afresh);
  Marks marks() const;
  void redraw() {
    scene_version++;
    version++;
  }
  void redraw_readouts() { version++; }
  Traced& traced(size_t which) { return *traces[which]; }
  const Traced& traced(size_t which) const { return *traces[which]; }
  const Model& model(size_t track) const { return traces[track]->model; }
  bool has_task(size_t track, TaskIndex task) const {
    return track < traces.size() && task < traces[track]->model.tasks.size();
  }

  // ---- input.cc
  void run(Command command);
  void click(float x, float y);
  void went();  // after the window may have moved
  void escape();
  void fit_selection();
  void add_bookmark(double time);
  void insert_bookmark(double time, std::string_view text);
  void step_bookmark(int direction);

  // ---- selection.cc
  void select(const Hit& hit, double time = no_time);
  void go_to(size_t track, TaskIndex task, double time = no_time);  // selects and reveals
  void go_to_time(double time);
  void reveal(size_t track, TaskIndex task, double time);
  bool extent_of_selection(double& from, double& to) const;
  bool selected_task() const { return selection.what == Hit::What::Task; }
  double focus_time() const;  // where the user looks
  double row_of(size_t track, TaskIndex task) const;
  void find(std::string_view text);
  void find_again();    // after traces or the filter changed
  void settle_found();  // after `found` was made anew
  void step_found(int direction);
  void relate();
  void mark();  // from what is found and related
  void follow(bool to_source);
  void step_in_row(int direction);

  // ---- filter.cc
  void filter_tasks(Traced& traced);
  void show_tasks(Traced& traced);  // filter and collapsing into Traced::shown
  void collapse_selected();
  bool expand_above(Traced& traced, TaskIndex task);

  // ---- panel.cc, range.cc
  const Panel& panel() const;
  PanelWriter about(uint32_t track) const;  // ... and of which trace it is, if there are several
  void write_range() const;
  std::string tooltip() const;
  std::string text_of(const Hit& at) const;  // the same of anything, in lines
  std::string notice() const;

  // ---- findings.cc
  std::string alarm() const;
  void next_fault();
  void relate_fault();  // those that the selected one waits for in the end

  // ---- links.cc
  void link(const Links& links);
  void mark_twin();
  void write_twin(PanelWriter& out, TaskIndex task) const;

  // ---- critical.cc
  bool show_path(uint32_t track, TaskIndex task);  // no_index: none
  void toggle_path();
  void mark_path();
  void write_path(PanelWriter& out) const;
  std::string path_text(const Segment& segment) const;
  std::string path_title(const Segment& segment) const;

  std::vector<std::shared_ptr<Traced>> traces;  // shared with questions, which only read
  uint32_t asked_version = 0;  // another one: what a question was asked about has changed
  std::vector<Track> tracks;   // what draw() is given
  bool by_clock = false;       // how they are aligned
  bool from_start = false;     // how somebody wants them to be
  struct Note {
    uint32_t track = 0;
    TaskIndex task = no_index;
    double time = 0;  // of the trace
    std::string text = {};
  };
  std::vector<Note> notes;
  std::string linked;  // Links::text
  uint64_t zero = 0;  // of the common time line, by the first trace's own clock

  Navigation navigation;
  std::vector<uint32_t> lines;  // of all rows; empty: none is folded away
  // What is in the lists is of the version that was drawn last.
  struct Drawn {
    DrawList list;
    uint32_t version = 0;
  };
  Drawn scene;
  Drawn readouts;
  Drawn picture;  // both
  uint32_t scene_version = 1;
  uint32_t version = 1;
  mutable std::vector<std::span<const uint8_t>> task_marks;  // what marks() hands out
  mutable std::vector<std::span<const uint8_t>> counter_marks;
  mutable std::vector<std::span<const uint32_t>> collapsed_marks;
  mutable std::vector<Marks::Bookmark> bookmark_marks;
  mutable std::vector<Marks::Note> note_marks;

  float pointer_x = -1;
  float pointer_y = -1;
  struct Drag {
    enum class What : uint8_t { Nothing, Press, Pan, Measure };
    What what = What::Nothing;
    bool measures = false;  // a press that becomes Measure when it moves
    float x = 0;            // where the pointer was pressed, or last
    float y = 0;
  } drag;
  float gesture_x = 0;  // where the last zoom by the wheel was
  float gesture_y = 0;
  Command last_key = Command::Escape;

  Hit selection;
  double focus = no_time;  // where the user clicked or an arrow led; none: the middle
  bool related = false;    // of the selected task

  struct Path {  // the critical path that is shown
    uint32_t track = 0;
    TaskIndex task = no_index;
    std::vector<Segment> segments = {};  // empty: none is
  } path;

  std::string searched;
  size_t found_count = 0;
  size_t found_at = 0;  // 1 to count
  struct Place {
    double time = 0;
    uint32_t track = 0;
    TaskIndex task = 0;
  };
  std::vector<Place> found_order;  // by time; made when it is asked for
  void order_found();

  skein::Filter filter;
  std::vector<Bookmark> bookmarks;  // by time
  double measure_from = 0;
  double measure_to = 0;
  bool measured_last = false;  // the panel is of the range, not of what is selected

  bool counters_on = true;
  bool arrows = true;
  bool legend = false;
  bool hint = false;
  bool hint_touch = false;
  bool help = false;
  bool search_field = false;
  bool filter_field = false;
  const Theme* theme = &themes[0];

  // The panel, made when it is asked for.
  mutable Panel panel_cache;
  mutable std::vector<Target> targets;  // link - 1
  mutable bool panel_valid = false;
};

// Why it does not go on, if it does not.
void write_why(PanelWriter& out, TaskIndex task);

// "ring.write (#1205)", for people; the trace's texts made safe.
std::string task_text(const Trace& trace, const Model& model, TaskIndex task);
// "worker-3 (thread 4711)", "executor 0".
std::string executor_text(const Trace& trace, uint32_t executor);
std::string kind_text(const Trace& trace, const Model::Task& task);

}  // namespace skein
