#include "view/gtk/flame_view.h"

#include <algorithm>

#include "view/cairo/paint.h"

namespace skein::desktop {

namespace {

constexpr double pixels_of_a_notch = 40;

}  // namespace

FlameView::FlameView(Viewer& viewer, std::function<void()> acted)
    : viewer_(viewer), acted_(std::move(acted)) {
  add_css_class("skein-flame");
  set_size_request(120, -1);
  set_child(area_);
  area_.set_expand(true);
  area_.set_focusable(true);
  area_.set_draw_func(
      [this](const Cairo::RefPtr<Cairo::Context>& cairo, int, int) { paint(cairo); });
  area_.signal_resize().connect([this](int, int) { start_anew(); });
  choice_.set_halign(Gtk::Align::END);
  choice_.set_valign(Gtk::Align::START);
  choice_.property_selected().signal_changed().connect([this] {
    const size_t selected = choice_.get_selected();
    if (filling_ || selected >= times_.size()) return;
    viewer_.flame().set_time(times_[selected]);
    after_input();
  });
  add_overlay(choice_);
  area_.set_has_tooltip(true);
  area_.signal_query_tooltip().connect(
      [this](int, int, bool, const Glib::RefPtr<Gtk::Tooltip>& tooltip) {
        if (tooltip_.empty()) return false;
        tooltip->set_text(tooltip_);
        tooltip->set_tip_area({static_cast<int>(x_) - 4, static_cast<int>(y_) - 4, 8, 8});
        return true;
      },
      false);
  listen();
}

void FlameView::listen() {
  auto motion = Gtk::EventControllerMotion::create();
  const auto moved = [this](double x, double y) {
    if (x == x_ && y == y_) return;
    x_ = x;
    y_ = y;
    viewer_.flame().pointer_move(static_cast<float>(x), static_cast<float>(y));
    after_input();
  };
  motion->signal_enter().connect(moved);
  motion->signal_motion().connect(moved);
  motion->signal_leave().connect([this] {
    viewer_.flame().pointer_leave();
    after_input();
  });
  area_.add_controller(motion);

  auto click = Gtk::GestureClick::create();
  click->signal_pressed().connect([this](int, double, double) { area_.grab_focus(); });
  click->signal_released().connect([this](int, double x, double y) {
    viewer_.flame().click(static_cast<float>(x), static_cast<float>(y));
    after_input();
  });
  area_.add_controller(click);

  auto scroll = Gtk::EventControllerScroll::create();
  scroll->set_flags(Gtk::EventControllerScroll::Flags::VERTICAL);
  scroll->signal_scroll().connect(
      [this, controller = scroll.get()](double, double dy) {
        const bool is_wheel = controller->get_unit() == Gdk::ScrollUnit::WHEEL;
        viewer_.flame().wheel(static_cast<float>(dy * (is_wheel ? pixels_of_a_notch : 1)));
        after_input();
        return true;
      },
      true);
  area_.add_controller(scroll);
}

void FlameView::start_anew() {
  viewer_.flame().resize(static_cast<float>(area_.get_width()),
                         static_cast<float>(area_.get_height()));
  area_.queue_draw();
}

bool FlameView::key(std::string_view key) {
  if (!area_.has_focus() || !viewer_.flame().key(key)) return false;
  after_input();
  return true;
}

void FlameView::after_input() {
  acted_();
  if (std::string text = viewer_.flame().tooltip(); text != tooltip_) {
    tooltip_ = std::move(text);
    area_.trigger_tooltip_query();
  }
}

void FlameView::refresh() {
  show_times();
  if (!viewer_.flame().changed() && theme_ == &viewer_.theme()) return;
  viewer_.flame().picture();  // may change the highlights of the picture and the table
  area_.queue_draw();
}

void FlameView::show_times() {
  std::vector<FlameTime> times = viewer_.flame().times();
  filling_ = true;
  if (times != times_) {
    times_ = std::move(times);
    std::vector<Glib::ustring> names;
    for (const FlameTime time : times_)
      names.emplace_back(std::string(flame_times[static_cast<size_t>(time)].choice));
    choice_.set_model(Gtk::StringList::create(names));
  }
  const FlameTime time = viewer_.flame().time();
  const auto at = std::find(times_.begin(), times_.end(), time) - times_.begin();
  if (choice_.get_selected() != static_cast<guint>(at))
    choice_.set_selected(static_cast<guint>(at));
  choice_.set_tooltip_text(std::string(flame_times[static_cast<size_t>(time)].help));
  filling_ = false;
}

void FlameView::paint(const Cairo::RefPtr<Cairo::Context>& cairo) {
  theme_ = &viewer_.theme();
  skein::paint(viewer_.flame().picture(), *theme_, cairo->cobj());
}

}  // namespace skein::desktop
