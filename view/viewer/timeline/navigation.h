// Where the window is, within which limits, and where it was: zoom, pan, undo.
//
//   Navigation at;
//   at.set_bounds({.from = 0, .to = 5e9, .rows = 60, .rows_y = 34, .rows_height = 700});
//   at.fit_all();
//   at.zoom(x, 1.25, Gesture::Zoom);   // the time at x stays at x
//   at.undo();
//
// What one does in one go is undone in one go: a change by the same gesture as the one before adds
// nothing to go back to, until end_gesture(). There is no clock here, so whoever forwards input
// says when a gesture has ended (the pointer went elsewhere, another key).
//
// Rows follow what is in sight (`on_fold`). After a zoom, or when nothing is left in sight of what
// the rows were fitted to, those with something in the window fill the height and all others are
// folded away; if there are so many that nothing could be read, they grow as time does. While the
// time only moves, heights stay and nothing is folded; a row into which something comes is opened,
// and the row at hold() stays where it is. Who has chosen a height of rows keeps it until rows are
// fitted again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "view/draw/picture.h"

namespace skein {

enum class Gesture : uint8_t { Jump, Zoom, Pan, Drag, Scroll, RowHeight };  // Jump: each for itself

class Navigation {
 public:
  struct Bounds {
    double from = 0;  // ns: what all traces cover
    double to = 0;
    double rows = 0;        // in all, folded ones too
    float rows_y = 0;       // pixels: where they begin
    float rows_height = 0;  // and the room for them
  };

  const Window& window() const { return window_; }

  // Which rows are to be open in a stretch of time: those with something in it, and unless
  // `afresh` those that are open. The lines live until the next call.
  using Fold = std::function<Lines(double from, double to, bool afresh)>;
  void on_fold(Fold fold) { fold_ = std::move(fold); }

  void resize(float width, float height);
  // The window stays as far as it can. Rows that filled the height go on doing so. `afresh`: these
  // are other rows than before.
  void set_bounds(const Bounds& bounds, bool afresh = false);
  const Bounds& bounds() const { return bounds_; }

  // factor > 1: larger. The time at x stays there unless an end of the trace is in the way.
  void zoom(double x, double factor, Gesture gesture);
  void pan(double pixels, Gesture gesture);     // > 0: later
  void scroll(double pixels, Gesture gesture);  // > 0: what is below
  void zoom_rows(double y, double factor);      // the row at y stays there
  void hold(double y) { hold_y_ = y; }          // where the user looks, most likely

  void show(double from, double to) { change(showing(window_, from, to), Gesture::Jump); }
  void fit_all();
  void fit_rows();  // what is in this stretch of time fills the height
  // The same with this row (of all tracks) in sight and at least so high, in one step.
  void show_row(double from, double to, double row, double least_height);

  bool undo();
  bool redo();
  void end_gesture() { gesture_ = Gesture::Jump; }
  // From now on there is nothing to go back to.
  void forget();

  // The window of a live trace moves by itself: nothing to go back to.
  void follow(double from, double to);

  // What one pixel is, in ns.
  double per_pixel() const { return (window_.to - window_.from) / static_cast<double>(width()); }
  double time_at(double x) const { return window_.from + x * per_pixel(); }
  // The nearest that the traces cover.
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
  double least_span() const;
  double most_span() const;
  double line_at(double y) const {
    return line_of(lines_, window_.top) +
           (y - static_cast<double>(bounds_.rows_y)) / window_.row_height;
  }
  double open_rows() const { return lines_.empty() ? bounds_.rows : lines_.back(); }
  Window showing(Window window, double from, double to) const;
  Window with_row(Window window, double row, double least_height) const;
  Window with_all_rows(Window window) const;
  Window with_grown_rows(Window window, double row, double y) const;
  // So that the row is at y.
  Window with_row_at(Window window, double row, double y) const;
  Window limited(Window window) const;
  void set_times(Window& window, double from, double span) const;
  bool fold(const Window& window, bool afresh);
  bool is_fitted_to(const Window& window) const;
  void settle(const Place& next, bool afresh = false);
  void remember(const Place& before, Gesture gesture);
  void change(const Window& next, Gesture gesture);

  Window window_;
  Bounds bounds_;
  Fold fold_;
  Lines lines_;             // empty: nothing is folded
  double fitted_from_ = 0;  // what the lines were made for
  double fitted_to_ = 0;
  bool rows_fit_ = true;     // all that are open fill the height
  bool own_height_ = false;  // of rows: the user has chosen it
  double hold_y_ = -1;       // < 0: the middle
  Gesture gesture_ = Gesture::Jump;
  std::vector<Place> past_;
  std::vector<Place> future_;
};

}  // namespace skein
