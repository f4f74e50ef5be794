// Two views of one session share selection, matches and filter.
#include "view/viewer/views/view.h"

#include <doctest/doctest.h>

#include <memory>

#include "view/viewer/panel/panels.h"
#include "view/viewer/panel/task_text.h"
#include "view/viewer/test_viewer.h"
#include "view/viewer/views/timeline/timeline.h"

using namespace skein;

namespace {

// The tasks of a trace, one per row of text.
class TaskList final : public View {
 public:
  using View::View;
  static constexpr float row_height = 20;

  void resize(float width, float height) override {
    width_ = width;
    height_ = height;
    redraw();
  }
  void session_changed() override {
    tasks_.clear();
    const std::vector<uint8_t>& passes = shared_.finder.passes(0);
    for (TaskIndex i = 0; i < shared_.model(0).tasks.size(); i++)
      if (passes.empty() || passes[i] != 0) tasks_.push_back(i);
    redraw();
  }
  void reveal(uint32_t, TaskIndex task, double) override {
    first_ = task;
    redraw();
  }

  const std::vector<TaskIndex>& tasks() const { return tasks_; }
  TaskIndex first() const { return first_; }

 private:
  void draw(DrawList& list) override {
    list = {.width = width_, .height = height_, .primitives = {}};
    const SessionTrace& of = shared_.session[0];
    const std::vector<uint8_t>& marks = shared_.highlights.marks(0);
    float y = 0;
    for (const TaskIndex task : tasks_) {
      const Ink ink = shared_.selection.is(0, task)        ? Ink::Selection
                      : !marks.empty() && marks[task] == 1 ? Ink::Highlight
                                                           : Ink::Bar;
      list.primitives.push_back({.y = y,
                                 .w = width_,
                                 .h = row_height,
                                 .text = static_cast<uint32_t>(list.texts.size()),
                                 .ink = ink,
                                 .item = {Item::Kind::Task, 0, task}});
      list.texts += task_text(of.trace, of.model, task);
      list.texts += '\0';
      y += row_height;
    }
  }

  float width_ = 0;
  float height_ = 0;
  TaskIndex first_ = no_index;
  std::vector<TaskIndex> tasks_;
};

struct TwoViews {
  Shared shared;
  Timeline timeline{shared};
  TaskList list{shared};

  TwoViews() {
    Trace trace = server_trace();
    Model model = build_model(trace);
    shared.session.add(std::make_shared<SessionTrace>(std::move(trace), std::move(model)), "t");
    shared.findings.set_trace(0, {});
    shared.finder.set_trace(0, {});
    shared.found();
    timeline.resize(1000, 600);
    timeline.added({});
    list.resize(300, 600);
    list.added({});
  }

  TaskIndex task(TaskId id) const { return shared.model(0).find(id); }
  float x_at(double time) const {
    const Window& window = timeline.window();
    return static_cast<float>((time - window.from) * 1000 / (window.to - window.from));
  }
  float row_y(TaskIndex task) const {
    const auto at = std::find(list.tasks().begin(), list.tasks().end(), task);
    REQUIRE(at != list.tasks().end());
    return TaskList::row_height * (static_cast<float>(at - list.tasks().begin()) + 0.5f);
  }
};

}  // namespace

TEST_CASE("a task selected in one view is selected in the other and in the panel") {
  TwoViews views;
  const TaskIndex task = views.task(2);
  views.list.picture();
  views.list.pointer_up(10, views.row_y(task));
  CHECK(views.timeline.marks().selected == task);
  CHECK(count(views.timeline.picture(), Ink::Selection) > 0);
  Panels panels(views.shared);
  CHECK(panels.panel(views.list).title == "session A (#2)");
  CHECK(panels.panel(views.timeline).title == "session A (#2)");
  views.timeline.click(views.x_at(-8e3), 500);  // on nothing
  CHECK(!views.shared.selection.has_item());
  CHECK(views.list.changed());
  CHECK(count(views.list.picture(), Ink::Selection) == 0);
}

TEST_CASE("a click on the timeline selects in the list") {
  TwoViews views;
  const TaskIndex task = views.task(2);
  const float x = views.x_at(4.5e5);
  float y = 0;
  for (; y < 600; y++) {
    views.timeline.pointer_move(x, y);
    if (views.timeline.pointed_item() == Item{Item::Kind::Task, 0, task}) break;
  }
  REQUIRE(y < 600);
  views.timeline.click(x, y + 1);
  const DrawList& picture = views.list.picture();
  REQUIRE(count(picture, Ink::Selection) == 1);
  const auto row = std::find_if(picture.primitives.begin(), picture.primitives.end(),
                                [](const Primitive& p) { return p.ink == Ink::Selection; });
  CHECK(picture.text(*row) == "session A (#2)");
}

TEST_CASE("both views share search and filter") {
  TwoViews views;
  views.shared.finder.set_text("session");
  views.shared.finder.search_again({});
  views.shared.found();
  CHECK(count(views.list.picture(), Ink::Highlight) == 2);
  CHECK(count(views.timeline.picture(), Ink::Highlight) >= 2);
  views.shared.finder.set_filter({.label = "session"});
  views.shared.finder.refilter(0);
  views.list.filtered();
  views.timeline.filtered();
  CHECK(views.list.picture().primitives.size() == 2);
}

TEST_CASE("a view runs its own commands and reveals what others select") {
  TwoViews views;
  View& list = views.list;
  CHECK(!list.run(Command::ZoomIn));
  CHECK(views.timeline.run(Command::ZoomIn));
  CHECK(!views.timeline.run(Command::SelectParent));
  list.reveal(0, views.task(3), no_time);
  CHECK(views.list.first() == views.task(3));
  CHECK(!list.stop_dragging());
  CHECK(list.times().to == views.shared.session.last());
}
