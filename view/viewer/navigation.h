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
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "view/draw/scene.h"

namespace skein {

enum class Gesture : uint8_t { Jump, Zoom, Pan, Drag, Scroll, RowHeight };  // Jump: each for itself

class Navigation {
 public:
  struct Bounds {
    double from = 0;  // ns: what all traces cover
    double to = 0;
    double rows = 0;        // in all
    float rows_y = 0;       // pixels: where they begin
    float rows_height = 0;  // and the room for them
  };

  const Window& window() const { return window_; }

  void resize(float width, float height);
  // The window stays as far as it can. Rows that filled the height go on doing so.
  void set_bounds(const Bounds& bounds);
  const Bounds& bounds() const { return bounds_; }

  // factor > 1: larger. The time at x stays there unless an end of the trace is in the way.
  void zoom(double x, double factor, Gesture gesture);
  void pan(double pixels, Gesture gesture);     // > 0: later
  void scroll(double pixels, Gesture gesture);  // > 0: what is below
  void zoom_rows(double y, double factor);      // the row at y stays there

  void show(double from, double to) { jump(showing(window_, from, to)); }
  void fit_all();
  // To any other window, in one step.
  void jump(const Window& window) { change(window, Gesture::Jump); }

  // That window with other times, or with this row (of all tracks) in sight and at least so high.
  Window showing(Window window, double from, double to) const;
  Window with_row(Window window, double row, double least_height) const;
  Window with_rows(Window window, double first, double count) const;

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
  double row_at(double y) const {
    return window_.top + (y - static_cast<double>(bounds_.rows_y)) / window_.row_height;
  }
  double rows_in_sight() const;
  bool all_in_sight() const;
  bool end_in_sight() const { return window_.to >= bounds_.to; }

 private:
  static constexpr size_t most_undos = 100;

  float width() const { return window_.width > 1 ? window_.width : 1; }
  double least_span() const;
  double most_span() const;
  Window limited(Window window) const;
  void change(const Window& window, Gesture gesture);
  void set_times(Window& window, double from, double span) const;
  Window with_all_rows(Window window) const;
  void settle(const Window& window);

  Window window_;
  Bounds bounds_;
  bool rows_fit_ = true;  // all rows fill the height, and go on doing so
  Gesture gesture_ = Gesture::Jump;
  std::vector<Window> past_;
  std::vector<Window> future_;
};

}  // namespace skein
