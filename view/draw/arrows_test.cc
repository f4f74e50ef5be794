#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "view/draw/test_picture.h"

using namespace skein;

TEST_CASE("arrows go from bar to bar, in the colour of the interaction") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "a");
  const TaskIndex b = d.task(10, 1000, "b", a);
  const std::pair<Model::Link, Ink> links[] = {
      {Model::Link::Read, Ink::Read},       {Model::Link::ReadFailure, Ink::ReadFailure},
      {Model::Link::Resolve, Ink::Resolve}, {Model::Link::Notify, Ink::Notify},
      {Model::Link::Await, Ink::Await},     {Model::Link::Message, Ink::Message}};
  for (const auto& [link, ink] : links) {
    d.model.interactions.clear();
    d.arrow(500, a, b, link);
    const DrawList down = d.picture();
    REQUIRE(all(down, Shape::Arrow, ink).size() == 1);
    CHECK(all(down, Shape::Arrow, ink)[0].x == 250);
    CHECK(all(down, Shape::Arrow, ink)[0].h > 0);
    d.model.interactions.clear();
    d.arrow(500, b, a, link);
    CHECK(all(d.picture(), Shape::Arrow, ink)[0].h < 0);
    d.marks.arrows = false;
    CHECK(all(d.picture(), Shape::Arrow, ink).empty());
    d.marks.arrows = true;
  }
}

TEST_CASE("a read begins where its source's bar ends, not at a later one in the same row") {
  Drawn d;
  const TaskIndex reader = d.task(0, 10'000, "reader");
  std::mt19937 random(3);
  std::vector<TaskIndex> sources;
  for (uint64_t time = 0; time < 9'000; time += 40)
    sources.push_back(d.task(time, time + 20 + random() % 300, "source", reader));
  for (const TaskIndex source : sources)  // each at a different time
    d.arrow(d.model.tasks[source].end, d.model.tasks[source].end + 3 * (source + random() % 100),
            source, reader, Model::Link::Read);
  d.window = {.from = 0, .to = 10'000, .row_height = 12, .width = 5000, .height = 300};
  const DrawList list = d.picture();
  const std::vector<Primitive> bars = all(list, Shape::Fill, Ink::Bar);
  const std::vector<Primitive> along = all(list, Shape::Fill, Ink::Read);
  size_t slanted = 0;
  size_t elbows = 0;
  size_t wrong = 0;
  for (const Primitive& arrow : all(list, Shape::Arrow, Ink::Read)) {
    Primitive foot = arrow;
    slanted += arrow.w != 0;
    for (const Primitive& line : along)
      if (line.h == 1 && line.y <= foot.y && foot.y <= line.y + 1 && line.x <= foot.x &&
          foot.x <= line.x + line.w) {
        foot.x = line.x;
        elbows++;
        break;
      }
    // One of the bars at the foot must belong to a task whose result arrives at the head.
    size_t right = 0;
    for (const Model::Interaction& i : d.model.interactions) {
      if (std::abs(static_cast<float>(i.to_time) / 2 - arrow.x - arrow.w) > 0.5f) continue;
      const float end = static_cast<float>(d.model.tasks[i.from].end) / 2;
      for (const Primitive& bar : bars)
        right += std::abs(bar.x + bar.w - end) <= 0.25f && std::abs(foot.x - end) <= 2 &&
                 foot.y >= bar.y - 4 && foot.y <= bar.y + bar.h + 4;
    }
    wrong += right == 0;
  }
  CHECK(elbows > 10);
  CHECK(slanted > 50);
  CHECK(wrong == 0);
  // A hit test finds what is drawn there.
  for (const Primitive& arrow : all(list, Shape::Arrow, Ink::Read))
    if (arrow.w > 20) {
      const Item found = d.hit_at(arrow.x + arrow.w * 0.9f, arrow.y + arrow.h * 0.9f);
      CHECK(found.kind != Item::Kind::Nothing);
    }
}

TEST_CASE("an arrow fades as it grows wider than the window") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "a");
  const TaskIndex b = d.task(0, 10'000, "b");
  d.arrow(1000, 9000, a, b, Model::Link::Read);
  int before = 256;
  for (const double width : {10'000.0, 7000.0, 4000.0, 3000.0}) {
    d.window.from = 9500 - width;
    d.window.to = 9500;
    const auto arrows = all(d.picture(), Shape::Arrow, Ink::Read);
    REQUIRE(arrows.size() == 1);
    CHECK(arrows[0].alpha < before);
    before = arrows[0].alpha;
  }
  d.window.from = 8000;
  CHECK(all(d.picture(), Shape::Arrow, Ink::Read).empty());
}

TEST_CASE("arrows are fainter where there are many side by side") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "a");
  const TaskIndex b = d.task(0, 1000, "b", a);
  d.arrow(100, a, b, Model::Link::Resolve);
  for (uint64_t time = 500; time < 700; time += 2) d.arrow(time, a, b, Model::Link::Resolve);
  d.arrow(900, a, b, Model::Link::Resolve);
  uint8_t alone = 0;
  uint8_t crowded = 255;
  for (const Primitive& p : d.picture().primitives) {
    if (p.ink != Ink::Resolve) continue;
    if (p.x < 100 || p.x > 400) alone = std::max(alone, p.alpha);
    if (p.x > 280 && p.x < 320) crowded = std::min(crowded, p.alpha);
  }
  CHECK(alone > 180);
  CHECK(crowded < 70);
  CHECK(crowded > 30);
}

TEST_CASE("arrows of several traces do not merge, nor do distant ones of a trace") {
  constexpr size_t traces = 8;
  std::vector<Drawn> all_of(traces);
  std::vector<Track> tracks;
  for (Drawn& d : all_of) {
    const TaskIndex a = d.task(0, 1000, "sender");
    const TaskIndex b = d.task(0, 1000, "receiver");
    d.arrow(500, a, b, Model::Link::Resolve);
    tracks.push_back(d.track());
  }
  Window window = {.from = 0, .to = 1000, .row_height = 12, .width = 500, .height = 600};
  DrawList list;
  draw(tracks, window, Marks{}, list);
  const auto arrows = all(list, Shape::Arrow, Ink::Resolve);
  CHECK(arrows.size() == traces);
  for (const Primitive& p : arrows) CHECK(p.h < 2 * window.row_height);

  // In one pixel of one trace: from row to row, with gaps between.
  Drawn d;
  for (int pair = 0; pair < 10; pair++) {
    const TaskIndex a = d.task(0, 1000, "a");
    const TaskIndex b = d.task(0, 1000, "b");
    d.task(0, 1000, "between");
    d.arrow(500, a, b, Model::Link::Resolve);
  }
  d.window.row_height = 12;
  d.window.height = 600;
  CHECK(all(d.picture(), Shape::Arrow, Ink::Resolve).size() == 10);
}
