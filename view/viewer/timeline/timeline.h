// The session as bars over time: one view of it, with what is private to this view.
//
//   Timeline timeline(shared);
//   timeline.added();                    // a trace was added to the session: all is in sight
//   timeline.wheel(x, y, 0, -120, {});
//   paint(timeline.picture());
//
// Private are the viewport and its history, rows, what is collapsed, folded away and hidden, the
// pointer and drags. What is selected or measured goes to Shared, and comes from there.
//
// Invariant: after each call rows, tracks and lines are those of the session and its filter. After
// a change of the session or the filter by others one of the functions under "the session changed"
// is to be called before anything else.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "view/draw/draw_list.h"
#include "view/draw/picture.h"
#include "view/layout/rows.h"
#include "view/viewer/modifiers.h"
#include "view/viewer/shared.h"
#include "view/viewer/timeline/collapse.h"
#include "view/viewer/timeline/navigation.h"

namespace skein {

class Timeline {
 public:
  explicit Timeline(Shared& shared);
  Timeline(const Timeline&) = delete;

  // ---- the session changed
  // A trace was added, with its rows if they are known; or all were aligned anew.
  void added(std::optional<Rows> rows);
  void aligned();
  // `old` was replaced: what was collapsed and hidden stays so, and an end in sight is followed.
  // Call `before()` before the change and hand its result to `replaced` or `grown`.
  struct SavedViewport {
    Window window;
    double last = 0;
    bool has_end = false;
    bool has_all = false;
  };
  SavedViewport before() const;
  void replaced(size_t track, const SessionTrace& old, std::optional<Rows> rows,
                const SavedViewport& before);
  void grown(size_t track, const SavedViewport& before);
  void filtered();
  void rearranged() { arrange_tracks(true); }  // after take()
  bool end_in_sight() const { return navigation_.end_in_sight(); }

  // ---- the picture; valid until the next call that is not const
  void resize(float width, float height);
  const DrawList& scene();
  const DrawList& readouts();
  const DrawList& picture();  // both
  uint32_t scene_version() const { return scene_version_ + shared_.scene_version; }
  uint32_t version() const { return version_ + scene_version(); }
  bool changed() const { return readouts_.version != version(); }
  std::span<const Track> tracks() const { return tracks_; }
  Marks marks() const;
  void redraw() { scene_version_++; }
  void redraw_readouts() { version_++; }

  // ---- pointer and wheel, in pixels
  void pointer_move(float x, float y);
  void pointer_leave();
  void pointer_down(float x, float y, bool measures);
  bool pointer_up(float x, float y);  // false: it was no click
  void click(float x, float y);       // selects; on the axis ends measuring
  void wheel(float x, float y, float dx, float dy, Modifiers);
  void pinch(float x, float y, float factor);
  bool drags() const { return drag_.kind != DragKind::None; }
  bool pans() const { return drag_.kind == DragKind::Pan; }
  void stop_dragging() { drag_ = {}; }
  // The item under the pointer, and the time there.
  Item item_at_pointer() const;
  double pointed_time() const { return navigation_.time_at(static_cast<double>(pointer_x_)); }

  // ---- moving
  Navigation& navigation() { return navigation_; }
  const Window& window() const { return navigation_.window(); }
  double middle_x() const;  // of the pointer if it is over the picture, or else of that
  // The time the user looks at: of the last click or jump while it is in sight, else the middle.
  double focus_time() const;
  void set_focus(double time) { focus_ = time; }
  void go_to_time(double time);
  // Brings it into the picture with as little change as possible.
  void reveal(uint32_t track, TaskIndex task, double time);
  void show_at_row(uint32_t track, TaskIndex task, double from, double to, double least_height);
  bool step_in_row(int direction, Item& item) const;  // false: there is no other
  void went();                                        // after the window may have moved

  // ---- what is shown
  void collapse(uint32_t track, TaskIndex task);  // or opens it again
  void expand_all();
  uint32_t hidden(size_t track, TaskIndex task) const;  // below it, as it is collapsed
  bool shows_counter(size_t track, size_t counter) const;
  void show_counter(size_t which, bool shown);  // counted over all traces
  void toggle_counters();
  void toggle_arrows() { arrows_ = !arrows_; }
  bool legend() const { return legend_; }
  void set_legend(bool shown);
  bool hint() const { return hint_; }
  void set_hint(bool shown, bool touch);

  // ---- for another thread (question.cc): what it made takes the place of a track's rows
  uint32_t rows_version() const { return rows_version_; }
  std::vector<uint8_t> collapsed(size_t track) const { return layouts_[track].collapsed; }
  void take(size_t track, Shown shown, Rows rows);

 private:
  // Of one trace. Vectors have one entry per task, counter or row; empty: none is.
  struct TrackLayout {
    Rows rows = {};
    bool arranged = false;  // the rows are those of `shown`
    Shown shown = {};
    std::vector<uint8_t> collapsed = {};
    std::vector<uint8_t> counters = {};      // shown
    std::vector<uint8_t> counters_off = {};  // as many zeros
    std::vector<uint8_t> open = {};          // rows that are not folded away
  };
  // What is in a list is of the version that was drawn last.
  struct Drawn {
    DrawList list;
    uint32_t version = 0;
  };
  enum class DragKind : uint8_t { None, Press, Pan, Measure };
  struct Drag {
    DragKind kind = DragKind::None;
    bool measures = false;  // a press that becomes Measure when it moves
    float x = 0;            // where the pointer was pressed, or last
    float y = 0;
  };

  TrackLayout make_layout(size_t track, std::optional<Rows> rows) const;
  void show_tasks(size_t track);
  // After anything that changes which rows there are; `afresh`: others than before.
  void arrange_tracks(bool afresh);
  void set_bounds(bool afresh = false);  // ... or how much room there is for them
  void stay_at_end(const SavedViewport& before);
  Lines fold(double from, double to, bool afresh);
  double row_of(size_t track, TaskIndex task) const;  // no_time: it has none

  Shared& shared_;
  std::vector<TrackLayout> layouts_;
  std::vector<Track> tracks_;  // what draw() takes
  Navigation navigation_;
  std::vector<uint32_t> lines_;  // of all rows; empty: none is folded away
  uint32_t rows_version_ = 0;

  Drawn scene_;
  Drawn readouts_;
  Drawn picture_;
  uint32_t scene_version_ = 1;
  uint32_t version_ = 1;
  // What marks() hands out.
  mutable std::vector<std::span<const uint8_t>> task_marks_;
  mutable std::vector<std::span<const uint8_t>> counter_marks_;
  mutable std::vector<std::span<const uint32_t>> collapsed_marks_;
  mutable std::vector<Marks::Bookmark> bookmark_marks_;
  mutable std::vector<Marks::Note> note_marks_;

  float pointer_x_ = -1;
  float pointer_y_ = -1;
  Drag drag_;
  float gesture_x_ = 0;  // where the last zoom by the wheel was
  float gesture_y_ = 0;
  double focus_ = no_time;

  bool counters_on_ = true;
  bool arrows_ = true;
  bool legend_ = false;
  bool hint_ = false;
  bool hint_touch_ = false;
};

}  // namespace skein
