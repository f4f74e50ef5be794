#include "view/viewer/navigation.h"

#include <algorithm>
#include <cmath>

namespace skein {

namespace {

constexpr double highest_row = 80;
constexpr double lowest_row = 1e-3;
constexpr double readable_row = 26;

bool same(const Window& a, const Window& b) {
  return a.from == b.from && a.to == b.to && a.top == b.top && a.row_height == b.row_height;
}

double extent(const Navigation::Bounds& bounds) {
  return std::max(bounds.to - bounds.from, 1'000.0);  // a trace of one event, too, has a picture
}

}  // namespace

// 1 ns is at most 100 pixels; and what a double cannot tell apart any more is at most a quarter of
// one, so that zooming far into the end of a trace of a month does not jump.
double Navigation::least_span() const {
  const double largest = std::max(std::fabs(bounds_.from), std::fabs(bounds_.to));
  const double step = std::nextafter(largest, INFINITY) - largest;
  return static_cast<double>(width()) * std::max(0.01, 4 * step);
}

double Navigation::most_span() const { return std::max(1.1 * extent(bounds_), 2 * least_span()); }

// Into the window: a stretch of time as near to the one asked for as the limits allow. Beyond the
// ends of the trace there may be a twentieth of it, and at most half a window.
void Navigation::set_times(Window& window, double from, double span) const {
  span = std::clamp(span, least_span(), most_span());
  const double margin = std::min(0.05 * extent(bounds_), 0.5 * span);
  const double first = bounds_.from - margin;
  const double last = bounds_.from + extent(bounds_) + margin - span;
  // A span beyond both (a trace shorter than what can be shown) lies in the middle.
  window.from = first <= last ? std::clamp(from, first, last) : (first + last) / 2;
  window.to = window.from + span;
}

Window Navigation::limited(Window window) const {
  window.width = window_.width;
  window.height = window_.height;
  set_times(window, window.from, window.to - window.from);
  window.row_height = std::clamp(window.row_height, lowest_row, highest_row);
  const double in_sight = static_cast<double>(bounds_.rows_height) / window.row_height;
  window.top = std::clamp(window.top, 0.0, std::max(0.0, bounds_.rows - in_sight));
  return window;
}

void Navigation::change(const Window& window, Gesture gesture) {
  const Window next = limited(window);
  if (same(next, window_)) return;
  if (gesture == Gesture::Jump || gesture != gesture_) {
    if (past_.size() == most_undos) past_.erase(past_.begin());
    past_.push_back(window_);
    future_.clear();
  }
  gesture_ = gesture;
  settle(next);
}

void Navigation::settle(const Window& window) {
  window_ = limited(window);
  rows_fit_ = same(window_, limited(with_all_rows(window_)));
}

void Navigation::resize(float width, float height) {
  window_.width = std::clamp(width, 1.0f, 100'000.0f);
  window_.height = std::clamp(height, 1.0f, 100'000.0f);
}

void Navigation::set_bounds(const Bounds& bounds) {
  bounds_ = bounds;
  window_ = limited(rows_fit_ ? with_all_rows(window_) : window_);
}

void Navigation::zoom(double x, double factor, Gesture gesture) {
  if (!(factor > 0)) return;
  Window next = window_;
  const double time = time_at(x);
  const double span = std::clamp((next.to - next.from) / factor, least_span(), most_span());
  set_times(next, time - x / static_cast<double>(width()) * span, span);
  change(next, gesture);
}

void Navigation::pan(double pixels, Gesture gesture) {
  Window next = window_;
  const double by = pixels * per_pixel();
  set_times(next, next.from + by, next.to - next.from);
  change(next, gesture);
}

void Navigation::scroll(double pixels, Gesture gesture) {
  Window next = window_;
  next.top += pixels / next.row_height;
  change(next, gesture);
}

void Navigation::zoom_rows(double y, double factor) {
  if (!(factor > 0)) return;
  Window next = window_;
  const double row = row_at(y);
  next.row_height = std::clamp(next.row_height * factor, lowest_row, highest_row);
  next.top = row - (y - static_cast<double>(bounds_.rows_y)) / next.row_height;
  change(next, Gesture::RowHeight);
}

// What is too short to be shown alone is in the middle.
Window Navigation::showing(Window window, double from, double to) const {
  if (!(from <= to)) return window;
  const double span = std::clamp(to - from, least_span(), most_span());
  set_times(window, (from + to - span) / 2, span);
  return window;
}

Window Navigation::with_row(Window window, double row, double least_height) const {
  const auto height = static_cast<double>(bounds_.rows_height);
  const bool higher = window.row_height < least_height;
  if (higher) window.row_height = least_height;
  const double in_sight = height / window.row_height;
  if (higher || row < window.top || row + 1 > window.top + in_sight)
    window.top = row + 0.5 - in_sight / 2;
  return window;
}

Window Navigation::with_rows(Window window, double first, double count) const {
  window.row_height =
      std::min(static_cast<double>(bounds_.rows_height) / std::max(count, 1.0), readable_row);
  window.top = first;
  return window;
}

// All rows, however many: what is thinner than two pixels is drawn as density. Few rows do not
// become thicker than labels need.
Window Navigation::with_all_rows(Window window) const { return with_rows(window, 0, bounds_.rows); }

void Navigation::fit_all() {
  Window next = with_all_rows(window_);
  set_times(next, bounds_.from - 0.01 * extent(bounds_), 1.03 * extent(bounds_));
  jump(next);
}

bool Navigation::undo() {
  if (past_.empty()) return false;
  future_.push_back(window_);
  const Window window = past_.back();
  past_.pop_back();
  settle(window);
  end_gesture();
  return true;
}

bool Navigation::redo() {
  if (future_.empty()) return false;
  past_.push_back(window_);
  const Window window = future_.back();
  future_.pop_back();
  settle(window);
  end_gesture();
  return true;
}

void Navigation::forget() {
  past_.clear();
  future_.clear();
  end_gesture();
}

void Navigation::follow(double from, double to) { set_times(window_, from, to - from); }

double Navigation::rows_in_sight() const {
  return static_cast<double>(bounds_.rows_height) / window_.row_height;
}

bool Navigation::all_in_sight() const {
  return window_.from <= bounds_.from && window_.to >= bounds_.to;
}

}  // namespace skein
