#include "view/gtk/picture.h"

#include <cmath>

#include "view/cairo/paint.h"
#include "view/gtk/keyval.h"

namespace skein::desktop {

namespace {

constexpr double pixels_a_notch = 120;  // as in browsers

float as_float(double value) { return static_cast<float>(value); }

}  // namespace

Picture::Picture(Viewer& viewer, std::function<void()> acted)
    : viewer_(viewer), acted_(std::move(acted)) {
  set_expand(true);
  set_focusable(true);
  set_size_request(200, 120);
  set_draw_func(sigc::mem_fun(*this, &Picture::paint));
  signal_resize().connect([this](int width, int height) {
    viewer_.resize(as_float(width), as_float(height));
    refresh();
  });
  property_scale_factor().signal_changed().connect([this] { queue_draw(); });
  set_has_tooltip(true);
  signal_query_tooltip().connect(
      [this](int, int, bool, const Glib::RefPtr<Gtk::Tooltip>& tooltip) {
        return show_tooltip(tooltip);
      },
      false);
  listen();
}

void Picture::start_anew() {
  if (get_width() > 0) viewer_.resize(as_float(get_width()), as_float(get_height()));
  painted_.reset();
  queue_draw();
}

void Picture::refresh() {
  if (viewer_.changed()) queue_draw();
}

void Picture::after_input() {
  refresh();
  // A tooltip belongs to an item, not to the widget: queries again for another item.
  if (std::string text = dragging_ ? "" : viewer_.tooltip(); text != tooltip_) {
    tooltip_ = std::move(text);
    trigger_tooltip_query();
  }
  acted_();
}

bool Picture::show_tooltip(const Glib::RefPtr<Gtk::Tooltip>& tooltip) {
  if (tooltip_.empty()) return false;
  tooltip->set_text(tooltip_);
  tooltip->set_tip_area({static_cast<int>(x_) - 4, static_cast<int>(y_) - 4, 8, 8});
  return true;
}

void Picture::listen() {
  auto motion = Gtk::EventControllerMotion::create();
  const auto moved = [this](double x, double y) {
    if (x == x_ && y == y_) return;
    x_ = x;
    y_ = y;
    if (dragging_) return;  // the drag gesture handles it
    viewer_.pointer_move(as_float(x), as_float(y));
    after_input();
  };
  motion->signal_enter().connect(moved);
  motion->signal_motion().connect(moved);
  motion->signal_leave().connect([this] {
    x_ = y_ = -1;
    viewer_.pointer_leave();
    after_input();
  });
  add_controller(motion);

  // A click gesture ends when the pointer moves, and a drag gesture does not count clicks.
  auto click = Gtk::GestureClick::create();
  click->signal_pressed().connect([this](int count, double, double) {
    grab_focus();
    second_click_ = count == 2;
  });
  add_controller(click);

  auto drag = Gtk::GestureDrag::create();
  drag->set_button(GDK_BUTTON_PRIMARY);
  drag->signal_drag_begin().connect([this, gesture = drag.get()](double x, double y) {
    dragging_ = true;
    drag_x_ = x;
    drag_y_ = y;
    viewer_.pointer_move(as_float(x), as_float(y));
    viewer_.pointer_down(as_float(x), as_float(y),
                         modifiers_of(gesture->get_current_event_state()));
    after_input();
  });
  drag->signal_drag_update().connect([this](double dx, double dy) {
    viewer_.pointer_move(as_float(drag_x_ + dx), as_float(drag_y_ + dy));
    after_input();
  });
  drag->signal_drag_end().connect([this](double dx, double dy) {
    dragging_ = false;
    viewer_.pointer_up(as_float(drag_x_ + dx), as_float(drag_y_ + dy));
    // On release, not on press: the picture moves, and the click must not hit another task.
    if (second_click_) viewer_.double_click(as_float(drag_x_), as_float(drag_y_));
    second_click_ = false;
    after_input();
  });
  drag->signal_cancel().connect([this](Gdk::EventSequence*) { dragging_ = false; });
  add_controller(drag);

  auto scroll = Gtk::EventControllerScroll::create();
  scroll->set_flags(Gtk::EventControllerScroll::Flags::BOTH_AXES);
  scroll->signal_scroll().connect(
      [this, controller = scroll.get()](double dx, double dy) {
        const double unit = controller->get_unit() == Gdk::ScrollUnit::WHEEL ? pixels_a_notch : 1;
        viewer_.wheel(as_float(x_), as_float(y_), as_float(dx * unit), as_float(dy * unit),
                      modifiers_of(controller->get_current_event_state()));
        after_input();
        return true;
      },
      true);
  add_controller(scroll);

  auto zoom = Gtk::GestureZoom::create();
  zoom->signal_begin().connect([this](Gdk::EventSequence*) { pinched_ = 1; });
  zoom->signal_scale_changed().connect([this, gesture = zoom.get()](double scale) {
    double x = x_;
    double y = y_;
    gesture->get_bounding_box_center(x, y);
    if (scale > 0 && pinched_ > 0)
      viewer_.pinch(as_float(x), as_float(y), as_float(scale / pinched_));
    pinched_ = scale;
    after_input();
  });
  add_controller(zoom);
}

void Picture::paint(const Cairo::RefPtr<Cairo::Context>& cairo, int width, int height) {
  if (viewer_.traces() == 0) {  // the window shows what to do
    const Colour colour = viewer_.theme()[Ink::Background];
    cairo->set_source_rgb(colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
    return cairo->paint();
  }
  const int scale = get_scale_factor();
  if (!image_ || image_->get_width() != width * scale || image_->get_height() != height * scale) {
    image_ =
        Cairo::ImageSurface::create(Cairo::Surface::Format::RGB24, width * scale, height * scale);
    painted_.reset();
  }
  // Pointer movements change only the readouts.
  if (painted_ != viewer_.scene_version()) {
    painted_ = viewer_.scene_version();
    cairo_surface_set_device_scale(image_->cobj(), 1, 1);
    paint_image(viewer_.scene(), viewer_.theme(), scale, image_->cobj());
    cairo_surface_set_device_scale(image_->cobj(), scale, scale);
  }
  cairo->set_source(image_, 0, 0);
  cairo->paint();
  skein::paint(viewer_.readouts(), viewer_.theme(), cairo->cobj());
}

}  // namespace skein::desktop
