// Tests that xdotool cannot do. For touch gestures, the test emits the signals that GTK would emit.
// Results of another thread are delayed until they are outdated.
#include <doctest/doctest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "view/gtk/answers.h"
#include "view/gtk/application.h"
#include "view/gtk/flame_view.h"
#include "view/gtk/main_loop.h"
#include "view/gtk/picture.h"
#include "view/gtk/task_table.h"

using namespace skein;
using namespace skein::desktop;

namespace {

Glib::RefPtr<Gtk::Application> application() {  // also registers gtkmm's types
  static const auto one =
      Gtk::Application::create("skein.Touched", Gio::Application::Flags::NON_UNIQUE);
  return one;
}

struct Touched {
  int acted = set_up();
  Viewer viewer;
  Picture picture{viewer, [this] { acted++; }};
  Gtk::Window window;

  static int set_up() {
    application();
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

  it.tell(GTK_TYPE_GESTURE_ZOOM, "begin", no_sequence);  // a new gesture starts at scale 1
  it.tell(GTK_TYPE_GESTURE_ZOOM, "scale-changed", 0.5);
  CHECK(it.span() == doctest::Approx(before));
}

TEST_CASE("a second finger ends the drag of the first") {
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

TEST_CASE("a tap selects") {
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

namespace {

// Delays the functions that another thread posts until let_one_through().
class Held {
 public:
  Answers::Post post() {
    return [this](std::function<void()> work) {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      came_.notify_all();
    };
  }
  void let_one_through() {
    std::unique_lock lock(mutex_);
    REQUIRE(came_.wait_for(lock, std::chrono::minutes(1), [&] { return !work_.empty(); }));
    const auto work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> work_;
};

void each_below(Gtk::Widget& widget, const std::function<void(Gtk::Widget&)>& call) {
  call(widget);
  for (Gtk::Widget* child = widget.get_first_child(); child; child = child->get_next_sibling())
    each_below(*child, call);
}

template <typename Done>
void run_main_loop_until(const Done& done) {
  while (!done()) g_main_context_iteration(nullptr, true);
}

}  // namespace

TEST_CASE("the picture responds during a search; outdated results are dropped") {
  Touched it;
  Held held;
  int answered = 0;
  Answers answers(it.viewer, held.post(), [&] { answered++; });
  answers.search("#1");
  CHECK(answers.is_searching());

  // A gesture zooms while the result is delayed.
  const double before = it.span();
  it.tell(GTK_TYPE_GESTURE_ZOOM, "begin", no_sequence);
  it.tell(GTK_TYPE_GESTURE_ZOOM, "scale-changed", 2.0);
  CHECK(it.span() == doctest::Approx(before / 2));
  CHECK(it.viewer.found().count == 0);

  answers.search("#2");
  answers.search("#3");
  held.let_one_through();  // the outdated result for #1
  CHECK(answered == 0);
  CHECK(it.viewer.found().count == 0);
  CHECK(answers.is_searching());
  held.let_one_through();  // the result for #3; #2 was never searched
  CHECK(answered == 1);
  CHECK(!answers.is_searching());
  REQUIRE(it.viewer.found().count == 1);
  it.viewer.run(Command::SearchNext);
  REQUIRE(it.viewer.selected() != no_index);
  CHECK(it.viewer.model(0).tasks[it.viewer.selected()].id == 3);
}

TEST_CASE("a changed search is repeated, a cleared one is not") {
  Touched it;
  Held held;
  int answered = 0;
  Answers answers(it.viewer, held.post(), [&] { answered++; });
  answers.filter({.label = "#2"});
  answers.search("#1");
  held.let_one_through();  // the filter without the search
  CHECK(answered == 0);
  it.viewer.select(0, 0);
  it.viewer.run(Command::Collapse);
  held.let_one_through();  // both, outdated by the collapse
  CHECK(answered == 0);
  CHECK(it.viewer.filter().label.empty());
  held.let_one_through();
  CHECK(answered == 1);
  CHECK(it.viewer.filter().label == "#2");
  CHECK(it.viewer.found().count == 0);  // the filter excludes it

  answers.search("#2");
  answers.filter({});
  answers.forget_search();
  held.let_one_through();
  held.let_one_through();
  CHECK(answered == 2);
  CHECK(it.viewer.filter().label.empty());
  it.viewer.run(Command::SearchNext);  // the previous search: #1
  REQUIRE(it.viewer.selected() != no_index);
  CHECK(it.viewer.model(0).tasks[it.viewer.selected()].id == 1);
}

TEST_CASE("a result arrives through the main loop, never at a destroyed receiver") {
  Touched it;
  int answered = 0;
  Answers answers(it.viewer, post_to_main_loop, [&] { answered++; });
  answers.search("#2");
  CHECK(it.viewer.found().count == 0);
  run_main_loop_until([&] { return answered == 1; });
  CHECK(it.viewer.found().count == 1);

  Held held;
  {
    Answers gone(it.viewer, held.post(), [&] { answered++; });
    gone.filter({.label = "#1"});
  }
  held.let_one_through();
  CHECK(answered == 1);
  CHECK(it.viewer.filter().label.empty());
}

TEST_CASE("Enter goes to a match of the typed text, though another thread searches") {
  Touched::set_up();
  application()->register_application();
  skein::desktop::Window& window = open_window(*application().get(), "light");
  window.open({TRACE});
  run_main_loop_until([&] { return window.get_title() == "every-event - skein"; });
  Gtk::SearchEntry* entry = nullptr;
  each_below(window, [&](Gtk::Widget& each) {
    if (each.get_ancestor(Gtk::Popover::get_type())) return;  // an entry of a menu
    if (auto* found = dynamic_cast<Gtk::SearchEntry*>(&each)) entry = found;
  });
  const auto says = [&](const char* text) {
    bool does = false;
    each_below(window, [&](Gtk::Widget& each) {
      if (auto* label = dynamic_cast<Gtk::Label*>(&each))
        does = does || label->get_text().raw().starts_with(text);
    });
    return does;
  };
  REQUIRE(entry != nullptr);
  const auto search = [&](const char* text, const char* says_then) {
    entry->set_text(text);
    g_signal_emit_by_name(entry->gobj(), "activate");
    CHECK(!says(says_then));
    run_main_loop_until([&] { return says(says_then); });
  };
  search("session", "1 of ");
  search("no such text", "no matches");
  window.close();
}

TEST_CASE("the table sorts by its headings; a row chooses its tasks") {
  Touched::set_up();
  Viewer viewer;
  Trace trace;
  trace.executors.push_back({});
  const std::pair<const char*, uint64_t> tasks[] = {{"<b>evil</b>", 1}, {"query", 2}, {"send", 3}};
  for (const auto& [name, id] : tasks) {
    trace.events.append({.time = id, .task = id, .kind = EventKind::Create});
    trace.events.append(
        {.time = id, .task = id, .text = trace.strings.intern(name), .kind = EventKind::Label});
    trace.events.append({.time = id * 100, .task = id, .kind = EventKind::Resume});
    trace.events.append({.time = id * 110, .task = id, .kind = EventKind::Resolve});
  }
  viewer.add(std::move(trace), "table");
  viewer.set_task_table_shown(true);
  int acted = 0;
  TaskTableView* shown = nullptr;
  TaskTableView table(viewer, [&] {
    acted++;
    shown->refresh();
  });
  shown = &table;
  Gtk::Window window;
  window.set_child(table);
  window.present();
  table.refresh();
  std::vector<Gtk::Button*> headings;
  Gtk::ListBox* list = nullptr;
  each_below(table, [&](Gtk::Widget& each) {
    if (auto* button = dynamic_cast<Gtk::Button*>(&each)) headings.push_back(button);
    if (auto* found = dynamic_cast<Gtk::ListBox*>(&each)) list = found;
  });
  REQUIRE(headings.size() == TaskTable::columns);
  REQUIRE(list != nullptr);
  const auto first = [&](int row) {
    std::string text;
    each_below(*list->get_row_at_index(row), [&](Gtk::Widget& each) {
      if (auto* label = dynamic_cast<Gtk::Label*>(&each); label && text.empty())
        text = label->get_text().raw();
    });
    return text;
  };
  const auto click = [](Gtk::Button* button) { g_signal_emit_by_name(button->gobj(), "clicked"); };
  CHECK(first(0) == "send");  // ran the longest
  click(headings[0]);
  CHECK(first(0) == "<b>evil</b>");  // not markup
  click(headings[0]);
  CHECK(first(0) == "send");
  CHECK(acted == 2);

  const auto chosen = [&] {
    std::string names;
    for (const TaskTable::Row& row : viewer.task_table().rows)
      if (row.chosen) names += row.texts[0];
    return names;
  };
  Gtk::ListBoxRow* row = list->get_row_at_index(1);
  list->select_row(*row);  // as a click does ...
  g_signal_emit_by_name(list->gobj(), "row-activated", row->gobj());
  CHECK(chosen() == "query");
  while (g_main_context_pending(nullptr)) g_main_context_iteration(nullptr, false);
  g_signal_emit_by_name(list->gobj(), "row-activated", row->gobj());  // ... and Enter
  CHECK(chosen().empty());
  CHECK(list->get_selected_row() == nullptr);
  viewer.choose_tasks(2);
  table.refresh();
  REQUIRE(list->get_selected_row() != nullptr);
  CHECK(list->get_selected_row()->get_index() == 2);
}

TEST_CASE("the flame graph offers its times, and is painted") {
  Touched::set_up();
  Viewer viewer;
  Trace trace;
  trace.executors.push_back({});
  trace.events.append({.time = 1, .task = 1, .kind = EventKind::Create});
  trace.info.format = "skein";
  trace.events.append({.time = 10, .task = 1, .kind = EventKind::Resume});
  trace.events.append({.time = 50, .task = 1, .kind = EventKind::Suspend});
  trace.events.append({.time = 70, .task = 1, .kind = EventKind::Resume});
  trace.events.append({.time = 110, .task = 1, .kind = EventKind::Resolve});
  viewer.add(std::move(trace), "flame");
  viewer.set_task_table_shown(true);
  int acted = 0;
  FlameView* shown = nullptr;
  FlameView flame(viewer, [&] {
    acted++;
    shown->refresh();
  });
  shown = &flame;
  Gtk::Window window;
  window.set_default_size(400, 200);
  window.set_child(flame);
  window.present();
  flame.refresh();
  Gtk::DropDown* choice = nullptr;
  Gtk::DrawingArea* area = nullptr;
  each_below(flame, [&](Gtk::Widget& each) {
    if (auto* found = dynamic_cast<Gtk::DropDown*>(&each)) choice = found;
    if (auto* found = dynamic_cast<Gtk::DrawingArea*>(&each)) area = found;
  });
  REQUIRE(choice != nullptr);
  REQUIRE(area != nullptr);
  const std::vector<FlameTime> times = viewer.flame().times();
  const auto number = [&](FlameTime time) {
    return static_cast<guint>(std::find(times.begin(), times.end(), time) - times.begin());
  };
  CHECK(choice->get_selected() == number(FlameTime::Running));
  choice->set_selected(number(FlameTime::Suspended));
  CHECK(viewer.flame().time() == FlameTime::Suspended);
  CHECK(acted == 1);
  viewer.flame().set_time(FlameTime::Running);  // by another view: no input of this one
  flame.refresh();
  CHECK(choice->get_selected() == number(FlameTime::Running));
  CHECK(acted == 1);
  area->grab_focus();
  CHECK(flame.key("ArrowUp"));
  CHECK(!flame.key("g"));
  CHECK(!viewer.flame().tooltip().empty());
}
