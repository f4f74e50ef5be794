#include "view/viewer/views/timeline/navigation.h"

#include <algorithm>
#include <cmath>

namespace skein {

namespace {

constexpr double highest_row = 80;
constexpr double lowest_row = 1e-3;
constexpr double readable_row = 26;
constexpr double legible_row = 14;  // room for labels, but barely
constexpr double thin_row = 8;      // if all rows are thinner, a few with labels are more useful

bool same(const Window& a, const Window& b) {
  return a.from == b.from && a.to == b.to && a.top == b.top && a.row_height == b.row_height;
}

double extent(const Navigation::Bounds& bounds) {
  return std::max(bounds.to - bounds.from, 1'000.0);  // a trace of one event still has a picture
}

}  // namespace

// 1 ns is at most 100 pixels. The resolution of a double is at most a quarter of a pixel, so that
// zooming far into the end of a month-long trace does not jump.
double Navigation::min_span() const {
  const double largest = std::max(std::fabs(bounds_.from), std::fabs(bounds_.to));
  const double step = std::nextafter(largest, INFINITY) - largest;
  return static_cast<double>(width()) * std::max(0.01, 4 * step);
}

double Navigation::max_span() const { return std::max(1.1 * extent(bounds_), 2 * min_span()); }

// Sets the window to the nearest interval within the limits. It may extend beyond the ends of the
// trace by a twentieth of the trace, and by at most half a window.
void Navigation::set_times(Window& window, double from, double span) const {
  span = std::clamp(span, min_span(), max_span());
  const double margin = std::min(0.05 * extent(bounds_), 0.5 * span);
  const double first = bounds_.from - margin;
  const double last = bounds_.from + extent(bounds_) + margin - span;
  // A span beyond both ends (a trace shorter than the least span) is centred.
  window.from = first <= last ? std::clamp(from, first, last) : (first + last) / 2;
  window.to = window.from + span;
}

Window Navigation::limited(Window window) const {
  window.width = window_.width;
  window.height = window_.height;
  set_times(window, window.from, window.to - window.from);
  window.row_height = std::clamp(window.row_height, lowest_row, highest_row);
  const double in_sight = static_cast<double>(bounds_.rows_height) / window.row_height;
  const double line = line_of(lines_, window.top);
  const double nearest = std::clamp(line, 0.0, std::max(0.0, open_rows() - in_sight));
  if (nearest != line || window.top < 0) window.top = row_in(lines_, nearest);
  return window;
}

bool Navigation::is_fitted_to(const Window& window) const {
  const double span = fitted_to_ - fitted_from_;
  return std::fabs(window.to - window.from - span) <= 1e-6 * span && window.to >= fitted_from_ &&
         window.from <= fitted_to_;
}

// Returns false if the rows did not move.
bool Navigation::fold(const Window& window, bool rows_changed) {
  if (!fold_) return false;
  if (rows_changed) {
    fitted_from_ = window.from;
    fitted_to_ = window.to;
  }
  const double before = open_rows();
  lines_ = fold_(window.from, window.to, rows_changed);
  return rows_changed || open_rows() != before;
}

void Navigation::settle(const Place& next, bool rows_changed) {
  Window window = next.window;
  own_height_ = next.own_height;
  set_times(window, window.from, window.to - window.from);
  const bool placed = window.top != window_.top || window.row_height != window_.row_height;
  const double y =
      hold_y_ >= 0 ? hold_y_ : static_cast<double>(bounds_.rows_y + bounds_.rows_height / 2);
  const double held = row_at(y);
  rows_changed = fold_ && (rows_changed || !is_fitted_to(window));
  const bool moved = fold(window, rows_changed);
  if (rows_changed && !own_height_)
    window = with_grown_rows(window, held, y);
  else if (moved && !placed)
    window = with_row_at(window, held, y);
  window_ = limited(window);
  rows_fit_ = same(window_, limited(with_all_rows(window_)));
  own_height_ = own_height_ && !rows_fit_;
}

void Navigation::remember(const Place& before, Gesture gesture) {
  if (same(before.window, window_)) return;
  if (gesture == Gesture::Jump || gesture != gesture_) {
    if (past_.size() == most_undos) past_.erase(past_.begin());
    past_.push_back(before);
    future_.clear();
  }
  gesture_ = gesture;
}

void Navigation::change(const Window& next, Gesture gesture) {
  const Place before{window_, own_height_};
  settle({next, own_height_ || gesture == Gesture::RowHeight});
  remember(before, gesture);
}

void Navigation::resize(float width, float height) {
  window_.width = std::clamp(width, 1.0f, 100'000.0f);
  window_.height = std::clamp(height, 1.0f, 100'000.0f);
}

void Navigation::set_bounds(const Bounds& bounds, bool rows_changed) {
  const bool fit = rows_fit_;
  bounds_ = bounds;
  set_times(window_, window_.from, window_.to - window_.from);
  fold(window_, rows_changed);
  if (fit || (rows_changed && !own_height_)) window_ = with_all_rows(window_);
  window_ = limited(window_);
  rows_fit_ = same(window_, limited(with_all_rows(window_)));
}

void Navigation::zoom(double x, double factor, Gesture gesture) {
  if (!(factor > 0)) return;
  Window next = window_;
  const double time = time_at(x);
  const double span = std::clamp((next.to - next.from) / factor, min_span(), max_span());
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
  next.top = row_in(lines_, line_of(lines_, next.top) + pixels / next.row_height);
  change(next, gesture);
}

void Navigation::zoom_rows(double y, double factor) {
  if (!(factor > 0)) return;
  Window next = window_;
  // Not lower than the height at which all rows fit, unless it is already.
  const double lowest = std::min(next.row_height, with_all_rows(next).row_height);
  next.row_height = std::clamp(next.row_height * factor, std::max(lowest, lowest_row), highest_row);
  change(with_row_at(next, row_at(y), y), Gesture::RowHeight);
}

Window Navigation::with_row_at(Window window, double row, double y) const {
  const double above = (y - static_cast<double>(bounds_.rows_y)) / window.row_height;
  window.top = row_in(lines_, line_of(lines_, row) - above);
  return window;
}

// An interval shorter than the least span is centred.
Window Navigation::showing(Window window, double from, double to) const {
  if (!(from <= to) || (from == window.from && to == window.to)) return window;
  const double span = std::clamp(to - from, min_span(), max_span());
  set_times(window, (from + to - span) / 2, span);
  return window;
}

Window Navigation::with_row(Window window, double row, double least_height) const {
  const auto height = static_cast<double>(bounds_.rows_height);
  const bool higher = window.row_height < least_height;
  if (higher) window.row_height = least_height;
  const double in_sight = height / window.row_height;
  const double line = line_of(lines_, row);
  const double top = line_of(lines_, window.top);
  if (higher || line < top || line + 1 > top + in_sight)
    window.top = row_in(lines_, line + 0.5 - in_sight / 2);
  return window;
}

// Fits all open rows, however many: rows thinner than two pixels are drawn as density. Few rows do
// not become higher than labels need.
Window Navigation::with_all_rows(Window window) const {
  window.row_height =
      std::min(static_cast<double>(bounds_.rows_height) / std::max(open_rows(), 1.0), readable_row);
  window.top = 0;
  return window;
}

// Fits all rows unless there are too many. Then rows grow in proportion to the time zoom, like a
// map, and the row at y stays there.
Window Navigation::with_grown_rows(Window window, double row, double y) const {
  window = with_all_rows(window);
  if (window.row_height >= thin_row) return window;
  const double zoom = extent(bounds_) / (window.to - window.from);
  const double whole = static_cast<double>(bounds_.rows_height) / std::max(bounds_.rows, 1.0);
  const double height = std::min(whole * zoom, legible_row);
  if (height <= window.row_height) return window;
  window.row_height = height;
  return with_row_at(window, row, y);
}

void Navigation::fit_all() {
  const Place before{window_, own_height_};
  Window next = window_;
  set_times(next, bounds_.from - 0.01 * extent(bounds_), 1.03 * extent(bounds_));
  settle({with_all_rows(next), false}, true);
  remember(before, Gesture::Jump);
}

void Navigation::fit_rows() {
  const Place before{window_, own_height_};
  settle({window_, false}, true);
  window_ = limited(with_all_rows(window_));
  rows_fit_ = true;
  remember(before, Gesture::Jump);
}

void Navigation::show_row(double from, double to, double row, double least_height) {
  const Place before{window_, own_height_};
  settle({showing(window_, from, to), own_height_});
  window_ = limited(with_row(window_, row, least_height));
  rows_fit_ = same(window_, limited(with_all_rows(window_)));
  remember(before, Gesture::Jump);
}

bool Navigation::undo() {
  if (past_.empty()) return false;
  future_.push_back({window_, own_height_});
  const Place place = past_.back();
  past_.pop_back();
  settle(place);
  end_gesture();
  return true;
}

bool Navigation::redo() {
  if (future_.empty()) return false;
  past_.push_back({window_, own_height_});
  const Place place = future_.back();
  future_.pop_back();
  settle(place);
  end_gesture();
  return true;
}

void Navigation::forget() {
  past_.clear();
  future_.clear();
  end_gesture();
}

void Navigation::follow(double from, double to) {
  Window next = window_;
  set_times(next, from, to - from);
  settle({next, own_height_});
}

double Navigation::rows_in_sight() const {
  return static_cast<double>(bounds_.rows_height) / window_.row_height;
}

bool Navigation::all_in_sight() const {
  return window_.from <= bounds_.from && window_.to >= bounds_.to;
}

}  // namespace skein
