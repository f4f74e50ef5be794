#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "view/draw/test_picture.h"

using namespace skein;

namespace {

// A task that should have ended but has not, stuck since 150.
Drawn stuck_task() {
  Drawn d;
  Model::Task& task = d.model.tasks[d.task(100, 200, "hangs")];
  task.how = Model::End::Open;
  task.should_resolve = true;
  d.stuck = {{0, 150}};
  return d;
}

}  // namespace

TEST_CASE("a bar is where its task is, white where it runs") {
  Drawn d;
  const TaskIndex a = d.task(100, 600, "reader");
  d.model.activations = {{200, 300, a, 0}};
  d.model.end = 1000;
  const DrawList list = d.picture();
  const auto bars = all(list, Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() == 2);  // and the edge of the activation
  CHECK(bars[0].x == 50);
  CHECK(bars[0].w == 250);
  CHECK(bars[0].alpha == 255);
  const auto running = all(list, Shape::Fill, Ink::Running);
  REQUIRE(running.size() == 1);
  CHECK(bars[1].x == 100);
  CHECK(bars[1].w == 50);
  CHECK(running[0].x == 101);
  CHECK(running[0].w == 48);
  CHECK(texts(list).count("reader") == 1);
}

TEST_CASE("a stuck task is red from its wait to the edge") {
  Drawn d = stuck_task();
  const DrawList list = d.picture();
  const auto red = all(list, Shape::Fill, Ink::Failed);
  REQUIRE(red.size() == 1);
  CHECK(red[0].x == 75);
  CHECK(red[0].x + red[0].w >= 500);
  CHECK(all(list, Shape::Fill, Ink::Bar).at(0).x == 50);
  d.stuck.clear();  // it may be waiting for a timer
  CHECK(all(d.picture(), Shape::Fill, Ink::Failed).empty());
}

TEST_CASE("a notification that woke no task is a ring at the task that notified") {
  Drawn d;
  d.window.to = 10'000;
  const TaskIndex a = d.task(0, 9'000, "a");
  d.task(0, 9'000, "b");
  CHECK(all(d.picture(), Shape::Fill, Ink::Unheard).empty());
  d.model.unheard = {{2'000, a}, {2'010, a}, {6'000, 1}};  // the first two overlap
  d.marks.legend = true;
  const DrawList list = d.picture();
  CHECK(texts(list).contains("woke no task"));
  const auto rings = all(list, Shape::Fill, Ink::Unheard);
  REQUIRE(rings.size() == 3);  // and the legend's
  CHECK(rings[0].x + rings[0].w / 2 == 100);
  CHECK(rings[1].x + rings[1].w / 2 == 300);
  CHECK(rings[1].y > rings[0].y);
}

TEST_CASE("a task that failed is red at its end") {
  Drawn d;
  d.model.tasks[d.task(100, 600, "parser")].how = Model::End::Failed;
  const auto red = all(d.picture(), Shape::Fill, Ink::Failed);
  REQUIRE(!red.empty());
  for (const Primitive& mark : red) {
    CHECK(mark.w <= 7);
    CHECK(mark.x <= 300);
    CHECK(mark.x + mark.w >= 300);
  }
  CHECK(all(d.picture(), Shape::Fill, Ink::Bar).at(0).w == 250);
}

TEST_CASE("the bar of a stuck task reaches the edge of a picture of more than 2^32 ns") {
  Drawn d = stuck_task();
  d.window.to = 10e9;
  const DrawList list = d.picture();
  const std::vector<Primitive> red = all(list, Shape::Fill, Ink::Failed);
  REQUIRE(red.size() == 1);
  CHECK(red[0].x + red[0].w >= d.window.width);
}

TEST_CASE("a live task without further events continues in an arrow head") {
  Drawn d;
  const TaskIndex a = d.task(100, 200, "a");
  CHECK(all(d.picture(), Shape::Arrow, Ink::Bar).empty());
  d.model.tasks[a].how = Model::End::Open;
  CHECK(all(d.picture(), Shape::Arrow, Ink::Bar).size() == 1);
}

TEST_CASE("lines where tasks are created and merge") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "a");
  const TaskIndex b = d.task(200, 800, "b", a);
  d.model.tasks[b].becomes = a;
  auto lines = all(d.picture(), Shape::Fill, Ink::Creation);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].x == 100);
  CHECK(lines[1].x == 400);
  CHECK(lines[0].h == 26);
  d.model.tasks[b].starts_late = true;
  CHECK(all(d.picture(), Shape::Fill, Ink::Creation).size() == 1);
}

TEST_CASE("thin bars are not lost: each is visible, and crowds are darker") {
  Drawn d;
  for (uint64_t i = 0; i < 400; i++) d.task(i * 100, i * 100 + 10, "");  // a tenth of a pixel
  d.window.to = 50'000;
  const auto bars = all(d.picture(), Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() == 1);  // adjacent
  CHECK(bars[0].x == 0);
  CHECK(bars[0].w >= 399);
  d.window.to = 500'000;
  const auto darker = all(d.picture(), Shape::Fill, Ink::Bar);
  REQUIRE(!darker.empty());
  CHECK(darker[0].alpha > bars[0].alpha);
  SUBCASE("a failed one among them is red and enlarged") {
    d.model.tasks[200].how = Model::End::Failed;
    for (const double height : {26.0, 0.5}) {
      d.window.row_height = height;
      const auto red = all(d.picture(), Shape::Fill, Ink::Failed);
      REQUIRE(red.size() == 2);
      CHECK(red[0].w <= 3);
      CHECK(red[1].w == 7);
      CHECK(red[1].h == 7);
      CHECK(red[1].x + 3.5 == doctest::Approx(red[0].x + red[0].w / 2));
    }
  }
  SUBCASE("failed ones are not enlarged if they are everywhere") {
    for (Model::Task& task : d.model.tasks) task.how = Model::End::Failed;
    d.window.to = 100'000;
    const size_t red = all(d.picture(), Shape::Fill, Ink::Failed).size();
    CHECK(red < 400);
  }
}

TEST_CASE("a lone thin bar is wider than a line that crosses it") {
  Drawn d;
  d.task(100, 101, "");
  d.task(200, 201, "");
  d.task(204, 205, "");  // one white pixel after the previous bar
  d.task(208, 900, "");
  const auto bars = all(d.picture(), Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() >= 3);
  CHECK(bars[0].x == 49);
  CHECK(bars[0].w == 3);
  for (size_t i = 1; i < bars.size(); i++) CHECK(bars[i].x >= bars[i - 1].x + bars[i - 1].w);
}

TEST_CASE("a highlight does not hide lines to its task") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "sender");
  const TaskIndex b = d.task(0, 1000, "receiver");
  d.arrow(500, a, b, Model::Link::Notify);
  const std::vector<uint8_t> both = {1, 1};
  const std::span<const uint8_t> marked(both);
  d.marks.tasks = std::span(&marked, 1);
  const DrawList list = d.picture();
  const auto at = [&](Ink ink, bool last) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < list.primitives.size(); i++)
      if (list.primitives[i].ink == ink && (last || found == SIZE_MAX)) found = i;
    return found;
  };
  REQUIRE(at(Ink::Highlight, true) != SIZE_MAX);
  CHECK(at(Ink::Highlight, true) < at(Ink::Notify, false));
}

TEST_CASE("in low rows activations are white between dark edges") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "runs");
  d.model.activations = {{200, 800, a, 0}};
  d.window.row_height = 4;
  const DrawList list = d.picture();
  const Primitive bar = all(list, Shape::Fill, Ink::Bar).at(0);
  const Primitive runs = all(list, Shape::Fill, Ink::Running).at(0);
  CHECK(runs.alpha == 255);
  CHECK(runs.y > bar.y);
  CHECK(runs.y + runs.h < bar.y + bar.h);
}

TEST_CASE("rows thinner than pixels are density, and a single bar among them is visible") {
  Drawn d;
  for (uint64_t i = 0; i < 5000; i++) d.task(0, i == 2500 ? 1000 : 500, "");
  d.window.row_height = 0.05;
  const DrawList list = d.picture();
  const auto bars = all(list, Shape::Fill, Ink::Bar);
  REQUIRE(!bars.empty());
  uint8_t full = 0;
  uint8_t alone = 0;
  for (const Primitive& bar : bars) {
    if (bar.x == 0) full = std::max(full, bar.alpha);
    if (bar.x + bar.w >= 500) alone = bar.alpha;
  }
  CHECK(full == 240);
  CHECK(alone > 0);
  CHECK(alone < full);
}
