// Pointer, wheel and touch on a timeline.
#include <cmath>
#include <utility>

#include "view/draw/hit.h"
#include "view/viewer/views/timeline/timeline.h"

namespace skein {

namespace {

constexpr float still = 4;  // pixels: a press that moves less is a click

bool are_numbers(float a, float b, float c = 0) {
  return std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
}

// The library's function adds a 2 kB table of digits to the page, which does not compress.
double power_of_two(double exponent) {
  const double x = exponent * 0.6931471805599453 / 64;
  double power = 1;  // of e to the x
  for (int i = 10; i > 0; i--) power = 1 + x / i * power;
  for (int i = 0; i < 6; i++) power *= power;
  return power;
}

// Half an octave per notch of a wheel (some 120 pixels); finer with control. But browsers send
// touch pad pinches as small steps with control, and these must follow the fingers.
double wheel_factor(double pixels, bool control) {
  pixels = std::clamp(pixels, -1000.0, 1000.0);
  const double octave = !control ? 360 : std::fabs(pixels) < 50 ? 70 : 1000;
  return power_of_two(-pixels / octave);
}

}  // namespace

void Timeline::pointer_move(float x, float y) {
  if (!are_numbers(x, y)) return;
  pointer_x_ = x;
  pointer_y_ = y;
  navigation_.hold(static_cast<double>(y));
  redraw_readouts();
  if (std::fabs(x - gesture_x_) + std::fabs(y - gesture_y_) > 2 * still && !drags())
    navigation_.end_gesture();

  const auto covered_at = [&](float at) {
    return navigation_.covered(navigation_.time_at(static_cast<double>(at)));
  };
  Selection& selection = shared_.selection;
  if (drag_.kind == DragKind::Press &&
      std::max(std::fabs(x - drag_.x), std::fabs(y - drag_.y)) > still) {
    drag_.kind = drag_.measures ? DragKind::Measure : DragKind::Pan;
    if (drag_.measures) selection.measure(covered_at(drag_.x), selection.to(), true);
  }
  if (drag_.kind == DragKind::Pan) {
    navigation_.pan(static_cast<double>(drag_.x - x), Gesture::Drag);
    navigation_.scroll(static_cast<double>(drag_.y - y), Gesture::Drag);
    drag_.x = x;
    drag_.y = y;
    focus_ = no_time;
    update_after_move();
  } else if (drag_.kind == DragKind::Measure) {
    selection.measure(selection.from(), covered_at(x), true);
    shared_.text_version++;
  }
}

void Timeline::pointer_leave() {
  pointer_x_ = pointer_y_ = -1;
  navigation_.hold(-1);
  redraw_readouts();
}

void Timeline::pointer_down(float x, float y, Modifiers modifiers) {
  if (!are_numbers(x, y)) return;
  if (hint_) update_after_move();
  navigation_.end_gesture();
  drag_ = {.kind = DragKind::Press,
           .measures = modifiers.shift || y < navigation_.bounds().rows_y,
           .x = x,
           .y = y};
}

void Timeline::pointer_up(float x, float y) {
  const Drag drag = drag_;
  if (drags()) pointer_move(x, y);
  const bool clicked = drag_.kind == DragKind::Press;
  drag_ = {};
  navigation_.end_gesture();
  if (clicked) click(drag.x, drag.y);
}

void Timeline::click(float x, float y) {
  if (!are_numbers(x, y)) return;
  drag_ = {};
  const Item item = hit(tracks_, navigation_.window(), marks(), x, y);
  if (item.kind == Item::Kind::Axis) {
    shared_.selection.measure(0, 0, false);
    shared_.text_version++;
    return update_after_move();
  }
  shared_.select(item);
  focus_ = navigation_.time_at(static_cast<double>(x));
}

Item Timeline::pointed_item() const {
  if (pointer_x_ < 0 || tracks_.empty() || pans()) return {};
  return hit(tracks_, navigation_.window(), marks(), pointer_x_, pointer_y_);
}

std::string Timeline::pointed_state() const {
  if (pointer_x_ < 0 || tracks_.empty() || pans()) return {};
  return thread_state_at(tracks_, navigation_.window(), marks(), pointer_x_, pointer_y_);
}

void Timeline::wheel(float x, float y, float dx, float dy, Modifiers modifiers) {
  if (!are_numbers(x, y) || !are_numbers(dx, dy)) return;
  const auto in_rows = static_cast<double>(y);
  navigation_.hold(in_rows);
  if (modifiers.alt) {
    navigation_.zoom_rows(in_rows, wheel_factor(static_cast<double>(dy), false));
  } else if (modifiers.shift || std::fabs(dx) > std::fabs(dy)) {
    navigation_.pan(static_cast<double>(modifiers.shift ? dx + dy : dx), Gesture::Pan);
  } else {
    navigation_.zoom(static_cast<double>(x),
                     wheel_factor(static_cast<double>(dy), modifiers.control), Gesture::Zoom);
  }
  gesture_x_ = x;
  gesture_y_ = y;
  focus_ = no_time;
  update_after_move();
}

void Timeline::pinch(float x, float y, float factor) {
  if (!are_numbers(x, y, factor)) return;
  drag_ = {};  // a second finger touched
  navigation_.hold(static_cast<double>(y));
  navigation_.zoom(static_cast<double>(x), std::clamp(static_cast<double>(factor), 0.01, 100.0),
                   Gesture::Zoom);
  gesture_x_ = x;
  gesture_y_ = y;
  focus_ = no_time;
  update_after_move();
}

bool Timeline::stop_dragging() { return std::exchange(drag_, {}).kind != DragKind::None; }

}  // namespace skein
