#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "view/draw/test_picture.h"

using namespace skein;

TEST_CASE("a counter far from 0 fills its strip, and its axis shows it") {
  Drawn d;
  d.task(0, 1000, "a");
  d.window.height = 600;
  d.model.scales = {{0, 1010}};
  d.model.counters.push_back({.name = d.trace.strings.intern("level"), .scale = 0, .points = {}});
  d.model.counters[0].points = {{0, 1000}, {500, 1010}};
  const auto heights = [&] {
    float top = 1e9f;
    float bottom = 0;
    for (const Primitive& line : all(d.picture(), Shape::Fill, Ink::Counter0)) {
      top = std::min(top, line.y);
      bottom = std::max(bottom, line.y);
    }
    return bottom - top;
  };
  CHECK(heights() > 10);
  CHECK(texts(d.picture()).contains("from 1000"));
  d.model.counters[0].points[0].value = 400;  // 0 is not far
  CHECK(!texts(d.picture()).contains("from 400"));
}

TEST_CASE("a counter that never changes has one number at its axis") {
  Drawn d;
  d.task(0, 1000, "a");
  Model::Counter counter;
  counter.name = d.trace.strings.intern("queue");
  counter.points = {{0, 0}, {500, 0}};
  d.model.counters = {counter};
  d.model.scales = {{0, 0}};
  size_t zeros = 0;
  const DrawList list = d.picture();
  for (const Primitive& p : all(list, Shape::Text, Ink::Axis)) zeros += list.text(p) == "0";
  CHECK(zeros == 2);  // the time axis has one, too
}

TEST_CASE("a counter's axis covers the visible values, between round numbers") {
  Drawn d;
  d.task(0, 10'000, "a");
  d.window.height = 600;
  d.model.scales = {{0, 1'000'000}};
  d.model.counters.push_back({.name = d.trace.strings.intern("level"), .scale = 0, .points = {}});
  auto& points = d.model.counters[0].points;
  points = {{0, 1'000'000}};
  for (uint64_t time = 4'000; time < 6'000; time += 10)
    points.push_back({time, 500 + static_cast<int64_t>(time / 10 % 2) * 33});
  const auto lines = [&] {
    std::set<float> y;
    for (const Primitive& line : all(d.picture(), Shape::Fill, Ink::Counter0)) y.insert(line.y);
    return y;
  };
  d.window.from = 4'500;
  d.window.to = 4'600;
  CHECK(texts(d.picture()).contains("534"));
  CHECK(texts(d.picture()).contains("from 500"));
  CHECK(*lines().rbegin() - *lines().begin() > 10);
  SUBCASE("it does not move with the window") {
    const std::set<float> before = lines();
    d.window.from += 20;
    d.window.to += 20;
    CHECK(lines() == before);
  }
  SUBCASE("the value at the left edge is visible") {
    d.window.from = 3'990;
    CHECK(texts(d.picture()).contains("1.00 M"));
    CHECK(texts(d.picture()).contains("0"));
  }
  SUBCASE("where nothing changes it covers the whole trace") {
    d.window.from = 1'000;
    d.window.to = 2'000;
    CHECK(texts(d.picture()).contains("1.00 M"));
    CHECK(*lines().begin() < 600 - 40 + 20);
  }
  SUBCASE("large numbers that differ by little have all digits") {
    for (auto& point : points) point.value += 7'000'000;
    CHECK(texts(d.picture()).contains("from 7000500"));
    CHECK(texts(d.picture()).contains("7000534"));
  }
  SUBCASE("below 0") {
    for (auto& point : points) point.value = -point.value;
    CHECK(texts(d.picture()).contains("to -500"));
    CHECK(texts(d.picture()).contains("-534"));
  }
  SUBCASE("the item under the pointer is the one drawn there") {
    d.model.scales.push_back({0, 10});  // another strip
    d.model.counters.push_back({.name = 0, .scale = 0, .points = {{0, 500}}});
    const float top = *lines().begin();
    CHECK(d.hit_at(100, top).index == 0);
  }
}

TEST_CASE("counters have an axis, and show their value at the pointer") {
  Drawn d;
  d.task(0, 1000, "a");
  d.model.scales = {{0, 40}};
  Model::Counter counter;
  counter.name = d.trace.strings.intern("queue");
  counter.points = {{0, 3}, {500, 40}};
  d.model.counters = {counter};
  CHECK(texts(d.picture()).count("queue  40") == 1);
  d.marks.pointer_x = 100;
  CHECK(texts(d.picture()).count("queue  3") == 1);
  CHECK(texts(d.picture()).count("40") == 1);
  CHECK(texts(d.picture()).count("0") >= 1);
  const uint8_t hidden[] = {0};
  const std::span<const uint8_t> all_hidden[] = {hidden};
  d.marks.counters = all_hidden;
  CHECK(texts(d.picture()).count("queue  3") == 0);
}

TEST_CASE("counters without room are counted") {
  Drawn d = crowd(100, 10, 100);
  d.window.height = 290;  // room for two of three strips
  const std::set<std::string> all = texts(d.picture());
  CHECK(all.count("+ 1 more counter") == 1);
}

TEST_CASE("150,000 counters of different names are drawn soon") {
  Drawn d;
  d.task(0, 1000, "a");
  d.window.height = 600;
  d.model.scales.assign(150'000, {0, 7});
  for (uint32_t i = 0; i < 150'000; i++)
    d.model.counters.push_back(
        {.name = d.trace.strings.intern("c" + std::to_string(i)), .scale = i, .points = {{i, 7}}});
  CHECK(texts(d.picture()).contains("+ 149,995 more counters"));
}
