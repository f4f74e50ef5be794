// What fingers do to the picture: nobody types with fingers on a screen without a person, so their
// gestures are told what GTK would tell them.
#include <doctest/doctest.h>

#include "view/gtk/picture.h"

using namespace skein;
using namespace skein::desktop;

namespace {

struct Touched {
  int acted = set_up();
  Viewer viewer;
  Picture picture{viewer, [this] { acted++; }};
  Gtk::Window window;

  static int set_up() {
    static const auto application = Gtk::Application::create("skein.Touched");  // gtkmm's types
    gtk_init();
    return 0;
  }

  Touched() {
    Trace trace;
    trace.executors.push_back({});
    for (const uint64_t id : {1u, 2u, 3u}) {
      trace.events.append({.time = id * 100, .task = id, .kind = EventKind::Create});
      trace.events.append({.time = id * 100 + 1000, .task = id, .kind = EventKind::Resolve});
    }
    viewer.add(std::move(trace), "touched");
    window.set_default_size(800, 600);
    window.set_child(picture);
    window.present();
    while (picture.get_width() == 0) g_main_context_iteration(nullptr, true);
  }

  template <typename... Arguments>
  void tell(GType controller, const char* signal, Arguments... arguments) {
    const auto all = picture.observe_controllers();
    for (guint i = 0; i < all->get_n_items(); i++)
      if (auto* each = all->get_object(i)->gobj(); G_TYPE_CHECK_INSTANCE_TYPE(each, controller))
        return g_signal_emit_by_name(each, signal, arguments...);
    FAIL("there is no such controller");
  }
  double time_at_400() const {
    return viewer.window().from + span() * 400 / static_cast<double>(viewer.window().width);
  }
  double span() const { return viewer.window().to - viewer.window().from; }
};

constexpr void* no_sequence = nullptr;

}  // namespace

TEST_CASE("two fingers zoom between them, each step once") {
  Touched it;
  const double before = it.span();
  it.tell(GTK_TYPE_EVENT_CONTROLLER_MOTION, "motion", 400.0, 200.0);
  const double under = it.time_at_400();
  it.tell(GTK_TYPE_GESTURE_ZOOM, "begin", no_sequence);
  for (const double scale : {1.25, 1.6, 2.0})
    it.tell(GTK_TYPE_GESTURE_ZOOM, "scale-changed", scale);
  CHECK(it.span() == doctest::Approx(before / 2));
  CHECK(it.time_at_400() == doctest::Approx(under));
  CHECK(it.acted >= 3);

  it.tell(GTK_TYPE_GESTURE_ZOOM, "begin", no_sequence);  // fingers come anew: from 1 again
  it.tell(GTK_TYPE_GESTURE_ZOOM, "scale-changed", 0.5);
  CHECK(it.span() == doctest::Approx(before));
}

TEST_CASE("a second finger ends what the first was dragging") {
  Touched it;
  it.tell(GTK_TYPE_GESTURE_ZOOM, "begin", no_sequence);
  it.tell(GTK_TYPE_GESTURE_ZOOM, "scale-changed", 4.0);
  it.tell(GTK_TYPE_GESTURE_DRAG, "drag-begin", 300.0, 300.0);
  const double from = it.viewer.window().from;
  it.tell(GTK_TYPE_GESTURE_DRAG, "drag-update", -100.0, 0.0);
  const double dragged = it.viewer.window().from;
  CHECK(dragged > from);

  it.tell(GTK_TYPE_GESTURE_ZOOM, "begin", no_sequence);
  it.tell(GTK_TYPE_GESTURE_ZOOM, "scale-changed", 1.0);
  it.tell(GTK_TYPE_GESTURE_DRAG, "drag-update", -200.0, 0.0);
  it.tell(GTK_TYPE_GESTURE_DRAG, "drag-end", -200.0, 0.0);
  CHECK(it.viewer.window().from == doctest::Approx(dragged));
  CHECK(it.viewer.selected() == no_index);
}

TEST_CASE("a finger that taps selects") {
  Touched it;
  float x = 0;
  float y = 0;
  for (y = 0; y < 600 && it.viewer.selected() == no_index; y += 4) {
    x = 200;
    it.tell(GTK_TYPE_GESTURE_DRAG, "drag-begin", static_cast<double>(x), static_cast<double>(y));
    it.tell(GTK_TYPE_GESTURE_DRAG, "drag-end", 0.0, 0.0);
  }
  CHECK(it.viewer.selected() != no_index);
}
