// The session as bars over time: one view of it, with the state that is private to this view.
//
//   Timeline timeline(shared);
//   timeline.added({});                  // a trace was added to the session; shows everything
//   timeline.wheel(x, y, 0, -120, {});
//   paint(timeline.picture());
//
// Private are the viewport and its history, rows, collapsed, folded and hidden tasks, the pointer
// and drags. Selection and measured range are in Shared.
//
// Invariant: after each call, rows, tracks and lines match the session and its filter.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "view/draw/draw_list.h"
#include "view/draw/picture.h"
#include "view/layout/rows.h"
#include "view/viewer/views/timeline/collapse.h"
#include "view/viewer/views/timeline/navigation.h"
#include "view/viewer/views/view.h"

namespace skein {

class Timeline final : public View {
 public:
  explicit Timeline(Shared& shared);

  // ---- the session changed
  void session_changed() override { filtered(); }
  void added(std::optional<Rows> rows) override;
  void aligned() override;
  void filtered() override;
  // Collapsed and hidden objects stay so, and a visible end is followed.
  void before_change() override;
  void replaced(size_t track, const SessionTrace& old, std::optional<Rows> rows) override;
  void grown(size_t track) override;
  void update_tracks() { arrange_tracks(true); }  // after take()
  bool end_in_sight() const override { return navigation_.end_in_sight(); }

  // ---- the picture
  void resize(float width, float height) override;
  std::span<const Track> tracks() const { return tracks_; }
  Marks marks() const;

  // ---- pointer and wheel, in pixels
  void pointer_move(float x, float y) override;
  void pointer_leave() override;
  // With shift, or on the axis: measures.
  void pointer_down(float x, float y, Modifiers) override;
  void pointer_up(float x, float y) override;
  void click(float x, float y) override;  // on the axis: ends measuring
  void wheel(float x, float y, float dx, float dy, Modifiers) override;
  void pinch(float x, float y, float factor) override;
  bool stop_dragging() override;

  // ---- commands (commands.cc), and moving
  void command_begins(Command command) override;
  bool run(Command command) override;
  const Window& window() const { return navigation_.window(); }
  void show(double from, double to);  // undo restores the old window
  void reveal(uint32_t track, TaskIndex task, double time) override;
  void reveal_range(uint32_t track, TaskIndex task, double from, double to) override;
  void go_to_time(double time) override;
  void set_focus(double time) override { focus_ = time; }

  // ---- what is shown
  Times times() const override { return {window().from, window().to}; }
  // The time of the last click or jump while it is visible, otherwise the middle.
  double focus_time() const override;
  double pointed_time() const override { return navigation_.time_at(middle_x()); }
  Item pointed_item() const override;
  std::string pointed_state() const override;
  uint32_t hidden(size_t track, TaskIndex task) const override;
  bool shows_counter(size_t track, size_t counter) const;
  void show_counter(size_t which, bool shown);  // counted over all traces
  bool legend() const { return legend_; }
  void set_legend(bool shown);
  bool hint() const { return hint_; }
  void set_hint(bool shown, bool touch);

  // ---- for another thread (question.cc): its results replace a track's rows
  uint32_t rows_version() const { return rows_version_; }
  std::vector<uint8_t> collapsed(size_t track) const { return layouts_[track].collapsed; }
  void take(size_t track, Shown shown, Rows rows);

 private:
  // The layout of one trace. Vectors have one entry per task, counter or row; empty: none is set.
  struct TrackLayout {
    Rows rows = {};
    bool arranged = false;     // the rows are those of `shown`
    bool shows_findings = false;  // the rows have the findings
    Shown shown = {};
    std::vector<uint8_t> collapsed = {};
    std::vector<uint8_t> counters = {};      // shown
    std::vector<uint8_t> counters_off = {};  // the same number of zeros
    std::vector<uint8_t> open = {};          // rows that are not folded
  };
  struct SavedViewport {
    Window window;
    double last = 0;
    bool has_end = false;
    bool has_all = false;
  };
  enum class DragKind : uint8_t { None, Press, Pan, Measure };
  struct Drag {
    DragKind kind = DragKind::None;
    bool measures = false;  // a press that becomes Measure when it moves
    float x = 0;            // where the pointer was pressed, or its last position
    float y = 0;
  };

  // An argument is a direction: 1 or -1, or twice that for larger steps.
  struct Action;
  static const Action actions[];
  void zoom(int direction);
  void pan(int direction);
  void scroll(int direction);
  void scroll_page(int direction);
  void go_to_end(int direction);
  void change_row_height(int direction);
  void fit_all(int);
  void fit_rows(int);
  void fit_selection(int);
  void undo_zoom(int direction);
  void step_in_row(int direction);
  void collapse(int);  // or expands the selected task
  void expand_all(int);
  void step_bookmark(int direction);
  void toggle_counters(int);
  void toggle_arrows(int) { arrows_ = !arrows_; }
  void toggle_legend(int) { set_legend(!legend_); }

  void draw(DrawList& list) override;
  void draw_over(DrawList& list) override;

  // Draws the stuck tasks of findings that have become known. Returns true if there are any.
  bool show_findings();

  bool drags() const { return drag_.kind != DragKind::None; }
  bool pans() const { return drag_.kind == DragKind::Pan; }
  double middle_x() const;  // of the pointer if it is over the picture, otherwise of the picture
  void show_at_row(uint32_t track, TaskIndex task, double from, double to, double least_height);
  void update_after_move();  // call after the window may have moved

  TrackLayout make_layout(size_t track, std::optional<Rows> rows) const;
  void show_tasks(size_t track);
  // Call after any change of the rows; `rows_changed`: the rows are different ones.
  void arrange_tracks(bool rows_changed);
  void set_bounds(bool rows_changed = false);  // ... or of the room for them
  void stay_at_end();
  Lines fold(double from, double to, bool rows_changed);
  double row_of(size_t track, TaskIndex task) const;  // no_time if it has no row

  std::vector<TrackLayout> layouts_;
  std::vector<Track> tracks_;  // the input of draw()
  Navigation navigation_;
  std::vector<uint32_t> lines_;  // of all rows; empty: none is folded
  uint32_t rows_version_ = 0;

  SavedViewport saved_;
  // Storage for marks().
  mutable std::vector<std::span<const uint8_t>> task_marks_;
  mutable std::vector<std::span<const uint8_t>> counter_marks_;
  mutable std::vector<std::span<const uint32_t>> collapsed_marks_;
  mutable std::vector<Marks::Bookmark> bookmark_marks_;
  mutable std::vector<Marks::Note> note_marks_;

  float pointer_x_ = -1;
  float pointer_y_ = -1;
  Drag drag_;
  float gesture_x_ = 0;  // position of the last zoom by the wheel
  float gesture_y_ = 0;
  double focus_ = no_time;
  Command last_command_ = Command::Escape;

  bool counters_on_ = true;
  bool arrows_ = true;
  bool legend_ = false;
  bool hint_ = false;
  bool hint_touch_ = false;
};

}  // namespace skein
