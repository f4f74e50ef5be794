#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "view/draw/test_picture.h"

using namespace skein;

TEST_CASE("labels: at the left edge when the bar began earlier, cut when another follows") {
  Drawn d;
  d.task(0, 500, "a-long-name-of-a-task");
  d.task(500, 990, "second");
  CHECK(texts(d.picture()).count("a-long-name-of-a-task") == 1);
  d.window.from = 400;
  d.window.to = 900;
  const DrawList list = d.picture();
  CHECK(texts(list).count("a-long-name-of-a-task") == 0);
  CHECK(texts(list).count("second") == 1);
  bool cut = false;
  for (const std::string& text : texts(list)) cut = cut || text.starts_with("a-lo");
  CHECK(cut);
  for (const Primitive& text : all(list, Shape::Text, Ink::Label)) CHECK(text.x >= 0);
}

TEST_CASE("hostile labels") {
  Drawn d;
  d.task(0, 300, std::string(1 << 20, 'x'));
  d.task(400, 600, "\x1b[2J\u202egnp.exe\n<script>");
  d.task(700, 900, std::string("a\0b\xff", 4));
  const DrawList list = d.picture();
  CHECK(list.texts.size() < 4096);
  for (const Primitive& p : list.primitives) {
    const std::string_view text = list.text(p);
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find('\n') == text.npos);
    CHECK(text.find("\u202e") == text.npos);
    CHECK(safe_text(text, 1000) == text);
  }
}

TEST_CASE("rows too low for a line of kinds have them after the names, where there is room") {
  Drawn d;
  d.trace.kinds = {d.trace.strings.intern("promise")};
  d.task(0, 400, "reader");
  d.task(400, 450, "");  // too short
  d.task(500, 1000, "");
  for (Model::Task& task : d.model.tasks) task.kind = 0;
  for (const double height : {26.0, 14.0}) {
    d.window.row_height = height;
    const DrawList list = d.picture();
    CHECK(texts(list).contains("promise"));
    CHECK(texts(list).contains("promise (#3)"));
    CHECK(!texts(list).contains("promise #2"));
    CHECK(overlapping_texts(list) == 0);
  }
  d.model.tasks[0].end = 100;
  CHECK(!texts(d.picture()).contains("promise"));
}

TEST_CASE("low rows have names where the rows above them leave room") {
  Drawn d;
  const TaskIndex first = d.task(0, 200, "first");
  const TaskIndex above = d.task(0, 300, "above", first);
  d.task(10, 900, "below", first);
  d.task(10, 100, "crowded-out", first);
  d.task(600, 900, "beside", above);
  d.window.row_height = 10;
  for (const char* name : {"first", "above", "below", "beside"})
    CHECK(texts(d.picture()).contains(name));
  d.window.row_height = 6;
  const DrawList list = d.picture();
  CHECK(overlapping_texts(list) == 0);
  CHECK(!texts(list).contains("first"));  // above it is the axis
  CHECK(!texts(list).contains("crowded-out"));
  CHECK(texts(list).contains("below"));
  for (const Primitive& p : all(list, Shape::Text, Ink::Label)) {
    CAPTURE(std::string(list.text(p)));
    for (const Primitive& bar : all(list, Shape::Fill, Ink::Bar)) {
      const bool beside = bar.x > p.x + text_width(list.text(p), p.size) || bar.x + bar.w < p.x;
      CHECK((beside || bar.y >= p.y || bar.y + bar.h <= p.y - 7));
    }
  }
}

TEST_CASE("a collapsed task shows the number of its tasks; a span its name") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000, "parent");
  d.model.spans.push_back(
      {.start = 500, .end = 900, .task = a, .name = d.trace.strings.intern("parse")});
  const std::vector<uint32_t> collapsed = {12};
  const std::vector<std::span<const uint32_t>> all_tracks = {collapsed};
  CHECK(texts(d.picture()).contains("parent"));
  CHECK(texts(d.picture()).contains("parse"));
  d.marks.collapsed = all_tracks;
  CHECK(texts(d.picture()).contains("\u25b8 +12 parent"));
}

TEST_CASE("lanes and tracks have names") {
  Drawn d;
  d.trace.executors = {{d.trace.strings.intern("main"), 11, 0},
                       {d.trace.strings.intern("worker"), 12, 1}};
  const TaskIndex a = d.task(0, 900, "a");
  const TaskIndex b = d.task(0, 900, "b");
  d.model.activations = {{100, 200, a, 0}, {300, 500, b, 1}};
  CHECK(texts(d.picture()).count("main/11") == 1);
  CHECK(texts(d.picture()).count("worker/12") == 1);
  Drawn other;
  other.task(0, 900, "c");
  Track tracks[] = {d.track(), other.track()};
  tracks[0].title = "server";
  tracks[1].title = "client";
  CHECK(total_rows(tracks) == 4 + 1 + 2);
  DrawList list;
  draw(tracks, d.window, d.marks, list);
  CHECK(texts(list).count("server") == 1);
  CHECK(texts(list).count("client") == 1);
  CHECK(texts(list).count("c") == 1);
}

TEST_CASE("a stretch of a lane that is wide enough has the name of its task") {
  Drawn d;
  d.trace.executors = {{d.trace.strings.intern("main"), 11, 0},
                       {d.trace.strings.intern("worker"), 12, 1}};
  const TaskIndex a = d.task(0, 1000, "session");
  const TaskIndex b = d.task(0, 1000, "reader");
  const TaskIndex c = d.task(0, 1000, "");
  d.model.activations = {{0, 300, a, 0},   {310, 320, b, 0}, {400, 700, b, 0},
                         {200, 600, a, 1}, {700, 900, c, 1}, {920, 1000, 77, 1}};
  const auto in_lane = [&](const DrawList& list, int lane) {
    std::vector<std::string> found;
    for (const Primitive& p : all(list, Shape::Text, Ink::Label))
      if (p.y > d.areas().rows + static_cast<float>(lane) * 26 &&
          p.y < d.areas().rows + static_cast<float>(lane + 1) * 26)
        found.emplace_back(list.text(p));
    return found;
  };
  using Names = std::vector<std::string>;
  const DrawList list = d.picture();
  CHECK(in_lane(list, 0) == Names{"session", "reader"});  // the short one between has no room
  CHECK(in_lane(list, 1) == Names{"session", "#3"});
  CHECK(overlapping_texts(list) == 0);
  for (const Primitive& p : all(list, Shape::Text, Ink::Label))
    if (list.text(p) == "session" && p.y < d.areas().rows + 26)
      CHECK(p.item == Item{Item::Kind::Task, 0, a});

  d.window.from = 90;  // each name is within its stretch, beside the name of the lane
  d.window.to = 1090;
  for (const Primitive& p : all(d.picture(), Shape::Text, Ink::Label))
    if (p.y < d.areas().rows + 26) CHECK(p.x >= text_width("main/11", 11));
  const uint8_t faded[] = {2, 0, 0};
  const std::span<const uint8_t> of_tracks[] = {faded};
  d.marks.tasks = of_tracks;
  CHECK(in_lane(d.picture(), 0) == Names{"reader"});
}

TEST_CASE("a tiny trace beside a big one has its title") {
  Drawn big = crowd(3'000, 400, 50);
  Drawn tiny;
  tiny.task(0, 10, "");
  const Track of_big = big.track();
  const Track of_tiny = tiny.track();
  for (const bool first : {true, false}) {
    Track tracks[] = {first ? of_tiny : of_big, first ? of_big : of_tiny};
    tracks[0].title = "above";
    tracks[1].title = "below";
    big.window.height = 600;
    big.window.row_height = 400 / total_rows(tracks);
    DrawList list;
    draw(tracks, big.window, {}, list);
    CHECK(texts(list).contains("above"));
    CHECK(texts(list).contains("below"));
    CHECK(overlapping_texts(list) == 0);
  }
}

TEST_CASE("a kind is written once below bars that follow each other") {
  Drawn d;
  d.trace.kinds = {d.trace.strings.intern("io"), d.trace.strings.intern("timer")};
  for (uint64_t i = 0; i < 4; i++) d.task(i * 200, i * 200 + 150, "read " + std::to_string(i));
  for (Model::Task& task : d.model.tasks) task.kind = task.id == 4 ? 1 : 0;
  const DrawList list = d.picture();
  size_t io = 0;
  size_t timer = 0;
  for (const Primitive& p : list.primitives) {
    if (p.shape != Shape::Text || p.ink != Ink::Kind) continue;
    io += list.text(p) == "io";
    timer += list.text(p) == "timer";
  }
  CHECK(io == 1);
  CHECK(timer == 1);
}
