// The viewport, its limits and its history: zoom, pan, undo.
//
//   Navigation at;
//   at.set_bounds({.from = 0, .to = 5e9, .rows = 60, .rows_y = 34, .rows_height = 700});
//   at.fit_all();
//   at.zoom(x, 1.25, Gesture::Zoom);   // the time at x stays at x
//   at.undo();
//
// A series of changes by the same gesture is one undo step: each extends the previous one until
// end_gesture(). There is no clock here, so callers that forward input decide when a gesture ends
// (the pointer moved elsewhere, another key).
//
// Rows follow the visible time (`on_fold`). After a zoom, or when nothing remains visible of the
// range the rows were fitted to, the rows with a task in the window fill the height and all others
// are folded. If the rows would be illegible, they grow in proportion to the time zoom instead.
// While the time only pans, heights stay and nothing is folded; a row that becomes non-empty is
// opened, and the row at hold() stays in position. A row height that the user chose stays until
// rows are fitted again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "view/draw/picture.h"

namespace skein {

enum class Gesture : uint8_t { Jump, Zoom, Pan, Drag, Scroll, RowHeight };  // Jump: never merged

class Navigation {
 public:
  struct Bounds {
    double from = 0;  // ns: the extent of all traces
    double to = 0;
    double rows = 0;        // in total, including folded ones
    float rows_y = 0;       // pixels: top of the rows
    float rows_height = 0;  // and their height
  };

  const Window& window() const { return window_; }

  // Returns which rows are open in a range of time: those with a task in it and, unless
  // `rows_changed`, those that are open already. The lines are valid until the next call.
  using Fold = std::function<Lines(double from, double to, bool rows_changed)>;
  void on_fold(Fold fold) { fold_ = std::move(fold); }

  void resize(float width, float height);
  // Moves the window as little as possible. Rows that filled the height continue to.
  // `rows_changed`: the rows have changed.
  void set_bounds(const Bounds& bounds, bool rows_changed = false);
  const Bounds& bounds() const { return bounds_; }

  // factor > 1: magnifies. The time at x stays there unless an end of the trace prevents it.
  void zoom(double x, double factor, Gesture gesture);
  void pan(double pixels, Gesture gesture);     // > 0: later
  void scroll(double pixels, Gesture gesture);  // > 0: down
  void zoom_rows(double y, double factor);      // the row at y stays in position
  void hold(double y) { hold_y_ = y; }          // most likely where the user looks

  void show(double from, double to) { change(showing(window_, from, to), Gesture::Jump); }
  void fit_all();
  void fit_rows();  // the rows of the visible tasks fill the height
  // show() with this row (counted over all tracks) visible and at least this high, as one step.
  void show_row(double from, double to, double row, double least_height);

  bool undo();
  bool redo();
  void end_gesture() { gesture_ = Gesture::Jump; }
  // Clears the history.
  void forget();

  // Moves the window of a live trace; no undo step.
  void follow(double from, double to);

  // The length of one pixel, in ns.
  double per_pixel() const { return (window_.to - window_.from) / static_cast<double>(width()); }
  double time_at(double x) const { return window_.from + x * per_pixel(); }
  // The nearest time within the traces.
  double covered(double time) const { return std::clamp(time, bounds_.from, bounds_.to); }
  double row_at(double y) const { return row_in(lines_, line_at(y)); }
  double rows_in_sight() const;
  Lines lines() const { return lines_; }
  bool all_in_sight() const;
  bool end_in_sight() const { return window_.to >= bounds_.to; }

 private:
  static constexpr size_t most_undos = 100;
  struct Place {
    Window window;
    bool own_height = false;
  };

  float width() const { return window_.width > 1 ? window_.width : 1; }
  double min_span() const;
  double max_span() const;
  double line_at(double y) const {
    return line_of(lines_, window_.top) +
           (y - static_cast<double>(bounds_.rows_y)) / window_.row_height;
  }
  double open_rows() const { return lines_.empty() ? bounds_.rows : lines_.back(); }
  Window showing(Window window, double from, double to) const;
  Window with_row(Window window, double row, double least_height) const;
  Window with_all_rows(Window window) const;
  Window with_grown_rows(Window window, double row, double y) const;
  // Returns the window moved so that the row is at y.
  Window with_row_at(Window window, double row, double y) const;
  Window limited(Window window) const;
  void set_times(Window& window, double from, double span) const;
  bool fold(const Window& window, bool rows_changed);
  bool is_fitted_to(const Window& window) const;
  void settle(const Place& next, bool rows_changed = false);
  void remember(const Place& before, Gesture gesture);
  void change(const Window& next, Gesture gesture);

  Window window_;
  Bounds bounds_;
  Fold fold_;
  Lines lines_;             // empty: nothing is folded
  double fitted_from_ = 0;  // the range the lines were made for
  double fitted_to_ = 0;
  bool rows_fit_ = true;     // the open rows fill the height
  bool own_height_ = false;  // the user chose the height of rows
  double hold_y_ = -1;       // < 0: the middle
  Gesture gesture_ = Gesture::Jump;
  std::vector<Place> past_;
  std::vector<Place> future_;
};

}  // namespace skein
