#include "view/viewer/views/timeline/navigation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace skein;

namespace {

Navigation over(double from, double to, double rows = 40) {
  Navigation at;
  at.resize(1500, 900);
  at.set_bounds({.from = from, .to = to, .rows = rows, .rows_y = 34, .rows_height = 800});
  at.fit_all();
  at.forget();
  return at;
}

bool same(const Window& a, const Window& b) {
  return a.from == b.from && a.to == b.to && a.top == b.top && a.row_height == b.row_height;
}

double x_of(const Navigation& at, double time) {
  return (time - at.window().from) / at.per_pixel();
}

}  // namespace

TEST_CASE("zooming keeps the time under the pointer, however often") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  for (const double end : {1e3, 5.9e9, 3.6e12, 8.64e13}) {
    double worst = 0;
    int free_zooms = 0;
    for (int series = 0; series < 200; series++) {
      Navigation at = over(0, end);
      at.zoom(1500 * share(random), 50, Gesture::Zoom);
      for (int i = 0; i < 100; i++) {
        const double x = 1500 * share(random);
        const double time = at.time_at(x);
        at.zoom(x, std::exp2(share(random) * 1.8 - 0.8), Gesture::Zoom);
        const Window& window = at.window();
        const double margin = std::min(0.05 * end, 0.5 * (window.to - window.from));
        // At a limit the time under the pointer has to move.
        if (window.from <= -margin + 1e-9 * end || window.to >= end + margin - 1e-9 * end) continue;
        free_zooms++;
        worst = std::max(worst, std::fabs(x_of(at, time) - x));
      }
    }
    CAPTURE(end);
    CHECK(free_zooms > 5'000);
    CHECK(worst <= 0.5);
  }
}

TEST_CASE("zooming out and in again at one point restores the window") {
  Navigation at = over(0, 5.9e9);
  at.show(1e9, 1.001e9);
  const Window before = at.window();
  for (int i = 0; i < 10; i++) at.zoom(700, 1 / 1.3, Gesture::Zoom);
  for (int i = 0; i < 10; i++) at.zoom(700, 1.3, Gesture::Zoom);
  CHECK(std::fabs(at.window().from - before.from) < 0.5 * at.per_pixel());
  CHECK(std::fabs(at.window().to - before.to) < 0.5 * at.per_pixel());
}

TEST_CASE("the window stays within the trace and its margins, and is never too small") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const double end : {0.0, 1.0, 1e4, 5.9e9, 1e18}) {
    Navigation at = over(0, end);
    const double extent = std::max(end, 1000.0);
    for (int i = 0; i < 3000; i++) {
      switch (random() % 5) {
        case 0:
          at.zoom(750 + 2000 * number(random), std::exp2(20 * number(random)), Gesture::Zoom);
          break;
        case 1:
          at.pan(1e6 * number(random), Gesture::Pan);
          break;
        case 2:
          at.scroll(1e4 * number(random), Gesture::Scroll);
          break;
        case 3:
          at.zoom_rows(450 + 600 * number(random), std::exp2(5 * number(random)));
          break;
        default:
          at.show(extent * number(random), extent * (1 + number(random)));
      }
      const Window& window = at.window();
      const double span = window.to - window.from;
      REQUIRE(span >= 0.99 * 1500 * 0.01);
      REQUIRE(span <= std::max(1.11 * extent, 2.1 * 1500 * 4 * 128.0));
      if (span < extent) {
        const double margin = std::min(0.05 * extent, 0.5 * span);
        REQUIRE(window.from >= -1.01 * margin);
        REQUIRE(window.to <= extent + 1.01 * margin);
      }
      REQUIRE(window.top >= 0);
      REQUIRE(window.top <= 40);
      REQUIRE(window.row_height > 0);
    }
  }
}

TEST_CASE("far into a long trace a pixel is never below a double's resolution") {
  Navigation at = over(0, 1e18);  // 31 years
  for (int i = 0; i < 200; i++) at.zoom(1400, 2, Gesture::Zoom);
  const double step = std::nextafter(at.window().to, INFINITY) - at.window().to;
  CHECK(at.per_pixel() >= 4 * step);
}

TEST_CASE("invalid input is ignored") {
  Navigation at = over(0, 1e6);
  const Window before = at.window();
  at.zoom(100, 0, Gesture::Zoom);
  at.zoom(100, -1, Gesture::Zoom);
  at.zoom(100, NAN, Gesture::Zoom);
  at.zoom_rows(100, NAN);
  at.show(5, 3);
  at.show(NAN, 3);
  CHECK(same(at.window(), before));
}

TEST_CASE("one gesture is one undo step, and undo can be redone") {
  Navigation at = over(0, 5.9e9);
  const Window all = at.window();
  for (int i = 0; i < 20; i++) at.zoom(700, 1.2, Gesture::Zoom);
  const Window near = at.window();
  at.end_gesture();
  for (int i = 0; i < 20; i++) at.zoom(300, 1.2, Gesture::Zoom);
  const Window nearer = at.window();
  for (int i = 0; i < 20; i++) at.pan(10, Gesture::Pan);  // another kind of gesture
  const Window beside = at.window();
  CHECK(!same(nearer, beside));

  CHECK(at.undo());
  CHECK(same(at.window(), nearer));
  CHECK(at.undo());
  CHECK(same(at.window(), near));
  CHECK(at.undo());
  CHECK(same(at.window(), all));
  CHECK(!at.undo());
  CHECK(at.redo());
  CHECK(at.redo());
  CHECK(at.redo());
  CHECK(same(at.window(), beside));
  CHECK(!at.redo());

  CHECK(at.undo());
  at.zoom(100, 2, Gesture::Zoom);  // discards what was undone
  CHECK(!at.redo());
}

TEST_CASE("an input without effect is no undo step, and the history is bounded") {
  Navigation at = over(0, 5.9e9);
  at.fit_all();
  at.scroll(-100, Gesture::Scroll);
  CHECK(!at.undo());
  for (int i = 0; i < 1000; i++) at.show(1e6 * i, 1e6 * i + 1e6);
  int steps = 0;
  while (at.undo()) steps++;
  CHECK(steps == 100);
}

TEST_CASE("all rows fit, whatever their number, and stay fitted") {
  Navigation at = over(0, 1e9, 40);
  CHECK(at.window().row_height == doctest::Approx(20));
  at.set_bounds({.from = 0, .to = 1e9, .rows = 8000, .rows_y = 34, .rows_height = 800});
  CHECK(at.window().row_height == doctest::Approx(0.1));
  at.set_bounds({.from = 0, .to = 1e9, .rows = 3, .rows_y = 34, .rows_height = 800});
  CHECK(at.window().row_height == doctest::Approx(26));
  at.zoom(100, 4, Gesture::Zoom);  // the time zoom does not matter
  at.set_bounds({.from = 0, .to = 1e9, .rows = 100, .rows_y = 34, .rows_height = 800});
  CHECK(at.window().row_height == doctest::Approx(8));
  at.zoom_rows(400, 2);  // from here on the user's height counts
  at.set_bounds({.from = 0, .to = 1e9, .rows = 200, .rows_y = 34, .rows_height = 800});
  CHECK(at.window().row_height == doctest::Approx(16));
}

TEST_CASE("higher rows keep the row under the pointer") {
  Navigation at = over(0, 1e9, 400);
  at.zoom_rows(400, 3);
  const double row = at.row_at(500);
  at.zoom_rows(500, 1.5);
  CHECK(at.row_at(500) == doctest::Approx(row));
  at.zoom_rows(500, 1 / 1.2);
  CHECK(at.row_at(500) == doctest::Approx(row));
}

TEST_CASE("rows do not become lower than the height at which all fit") {
  Navigation at = over(0, 1e9, 40);
  at.zoom_rows(400, 0.5);
  CHECK(at.window().row_height == doctest::Approx(20));
  at.zoom_rows(400, 3);
  for (int i = 0; i < 90; i++) at.zoom_rows(400, 0.8);
  CHECK(at.window().row_height == doctest::Approx(20));
  CHECK(at.window().top == 0);
}

TEST_CASE("a row is brought into view with as little change as possible") {
  Navigation at = over(0, 1e9, 400);
  at.zoom_rows(34, 5);  // 10 pixels: 80 of 400 rows
  const Window before = at.window();
  const auto show_row = [&](double row, double least_height) {
    at.show_row(before.from, before.to, row, least_height);
    return at.window();
  };
  CHECK(same(show_row(40, 0), before));
  const Window moved = show_row(300, 0);
  CHECK(moved.row_height == before.row_height);
  CHECK(moved.top <= 300);
  CHECK(moved.top + 80 >= 301);
  CHECK(show_row(40, 18).row_height == 18);
}

namespace {

// 100 rows; row r has a task from r to r + 20 seconds.
struct Stairs {
  std::vector<uint8_t> open = std::vector<uint8_t>(100, 1);
  std::vector<uint32_t> lines;
  Navigation at;

  Stairs() {
    at.on_fold([this](double from, double to, bool rows_changed) {
      if (rows_changed) open.assign(100, 0);
      for (size_t row = 0; row < 100; row++) {
        const double start = 1e9 * static_cast<double>(row);
        if (start <= to && start + 20e9 >= from) open[row] = 1;
      }
      lines.clear();
      uint32_t line = 0;
      for (const uint8_t is_open : open) {
        lines.push_back(line);
        line += is_open;
      }
      lines.push_back(line);
      return Lines(lines);
    });
    at.resize(1500, 900);
    at.set_bounds({.from = 0, .to = 120e9, .rows = 100, .rows_y = 34, .rows_height = 800});
    at.fit_all();
    at.forget();
  }
  size_t open_rows() const { return lines.back(); }
};

}  // namespace

TEST_CASE("after a zoom, rows with tasks in the window fill the height, others are folded") {
  Stairs stairs;
  Navigation& at = stairs.at;
  CHECK(stairs.open_rows() == 100);
  CHECK(at.window().row_height == doctest::Approx(8));
  const Window all = at.window();
  at.show(60.5e9, 79.5e9);
  CHECK(stairs.open_rows() == 39);  // 41 to 79
  CHECK(at.window().row_height == doctest::Approx(800.0 / 39));
  CHECK(at.row_at(34 + 1) == doctest::Approx(41).epsilon(0.01));  // no empty band above
  at.zoom(750, 10, Gesture::Zoom);
  CHECK(at.window().row_height == doctest::Approx(26));  // as much as labels need
  CHECK(at.undo());
  CHECK(stairs.open_rows() == 39);
  CHECK(at.undo());
  CHECK(same(at.window(), all));
  CHECK(stairs.open_rows() == 100);
}

TEST_CASE("while time pans, rows do not jump: some are opened, the held one stays") {
  Stairs stairs;
  Navigation& at = stairs.at;
  at.show(60.5e9, 80.4e9);
  CHECK(stairs.open_rows() == 40);  // 41 to 80
  const double height = at.window().row_height;
  at.hold(500);
  const double row = at.row_at(500);
  for (int i = 0; i < 50; i++) {
    at.pan(-15, Gesture::Drag);  // rows above become visible
    CHECK(at.window().row_height == height);
    CHECK(at.row_at(500) == doctest::Approx(row));
  }
  CHECK(stairs.open_rows() == 50);  // from 31 on
  at.pan(750, Gesture::Drag);       // back: nothing is folded
  CHECK(stairs.open_rows() == 50);
  at.pan(-2000, Gesture::Pan);  // nothing of the old range is visible
  CHECK(stairs.open_rows() == 40);
  at.pan(-200, Gesture::Pan);
  CHECK(stairs.open_rows() > 40);
  at.fit_rows();
  CHECK(stairs.open_rows() == 40);
  CHECK(at.window().row_height == doctest::Approx(height));
}

TEST_CASE("rows too many to read grow with the time zoom, around the held one") {
  Navigation at;
  std::vector<uint32_t> lines(4001);
  for (uint32_t i = 0; i <= 4000; i++) lines[i] = i / 2;  // half of them are folded
  at.on_fold([&](double, double, bool) { return Lines(lines); });
  at.resize(1500, 900);
  at.set_bounds({.from = 0, .to = 100e9, .rows = 4000, .rows_y = 34, .rows_height = 800});
  at.fit_all();
  CHECK(at.window().row_height == doctest::Approx(0.4));
  at.hold(534);
  const double row = at.row_at(534);
  at.zoom(750, 10.3, Gesture::Zoom);
  CHECK(at.window().row_height == doctest::Approx(2).epsilon(0.01));
  CHECK(at.row_at(534) == doctest::Approx(row).epsilon(0.001));
  at.zoom(750, 1000, Gesture::Zoom);
  CHECK(at.window().row_height == doctest::Approx(14));
  CHECK(at.row_at(534) == doctest::Approx(row).epsilon(0.001));
  at.fit_rows();
  CHECK(at.window().row_height == doctest::Approx(0.4));
}

TEST_CASE("a height that the user chose stays until rows are fitted") {
  Stairs stairs;
  Navigation& at = stairs.at;
  at.show(60.5e9, 80.5e9);
  at.zoom_rows(400, 2);
  const double height = at.window().row_height;
  at.hold(300);
  const double row = at.row_at(300);
  at.zoom(750, 1.1, Gesture::Zoom);
  CHECK(at.window().row_height == height);
  CHECK(at.row_at(300) == doctest::Approx(row));
  CHECK(stairs.open_rows() < 40);
  at.fit_rows();
  CHECK(at.window().row_height < height);
  CHECK(at.undo());
  CHECK(at.window().row_height == height);
  at.fit_all();
  CHECK(at.window().row_height == doctest::Approx(8));
  at.zoom(750, 2, Gesture::Zoom);
  CHECK(at.window().row_height > 8);
}

TEST_CASE("a folded row is brought into view") {
  Stairs stairs;
  Navigation& at = stairs.at;
  at.show(1e9, 2e9);
  at.show_row(85e9, 86e9, 80, 40);
  CHECK(at.window().row_height == 40);
  const double line = line_of(at.lines(), 80) - line_of(at.lines(), at.window().top);
  CHECK(line >= 0);
  CHECK(line + 1 <= at.rows_in_sight());
}
