#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "view/draw/test_picture.h"

using namespace skein;

TEST_CASE("at most 50,000 primitives and no overlapping texts, whatever the window") {
  Drawn d = crowd(60'000, 3000, 50);
  const Track one = d.track();
  for (const double zoom : {1.0, 7.0, 100.0, 3000.0, 1e6})
    for (const double height : {0.02, 0.5, 1.9, 2.0, 3.0, 5.0, 12.0, 18.0, 26.0, 60.0}) {
      CAPTURE(zoom);
      CAPTURE(height);
      Window window = d.window;
      window.from = static_cast<double>(d.model.end) * 0.3;
      window.to = window.from + static_cast<double>(d.model.end) / zoom;
      window.row_height = height;
      window.top = height > 3 ? 400 : 0;
      DrawList list;
      draw(std::span(&one, 1), window, d.marks, list);
      CHECK(list.primitives.size() < 50'000);
      CHECK(overlapping_texts(list) == 0);
      DrawList again;
      draw(std::span(&one, 1), window, d.marks, again);
      CHECK(to_text(list) == to_text(again));
    }
}

TEST_CASE("a folded row has no height, and lines to it end between its neighbours") {
  Drawn d;
  const TaskIndex above = d.task(0, 1000, "above");
  const TaskIndex folded = d.task(0, 300, "folded", above);
  const TaskIndex below = d.task(0, 900, "below", folded);
  d.arrow(300, 600, folded, below, Model::Link::Read);
  d.window.from = 400;
  const std::vector<uint32_t> lines = {0, 1, 1, 2};
  d.marks.lines = lines;
  const DrawList list = d.picture();
  const auto bars = all(list, Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() == 2);
  CHECK(bars[1].y == bars[0].y + 26);
  const auto arrows = all(list, Shape::Arrow, Ink::Read);
  REQUIRE(arrows.size() == 1);
  CHECK(arrows[0].y > bars[0].y + bars[0].h);
  CHECK(arrows[0].y + arrows[0].h == bars[1].y);
  CHECK(d.hit_at(250, bars[0].y + 1).index == above);
  CHECK(d.hit_at(250, bars[1].y + 1).index == below);
  // Lines of other tracks are ignored.
  d.marks.lines = std::span(lines).first(3);
  CHECK(all(d.picture(), Shape::Fill, Ink::Bar)[1].y == bars[0].y + 52);
}

TEST_CASE("with more rows than room, the visible ones are marked") {
  Drawn d;
  for (int i = 0; i < 20; i++) d.task(0, 1000, "row");
  const auto bar = [&] { return all(d.picture(), Shape::Fill, Ink::Band); };
  d.marks.scroll_bar = true;
  d.window.row_height = 10;
  CHECK(bar().empty());
  d.window.row_height = 26;  // 520 pixels
  REQUIRE(bar().size() == 2);
  const Primitive room = bar()[0];
  CHECK(bar()[1].h == doctest::Approx(room.h * room.h / 520).epsilon(0.01));
  CHECK(bar()[1].y == room.y);
  d.window.top = 20 - static_cast<double>(room.h) / 26;
  CHECK(bar()[1].y + bar()[1].h == doctest::Approx(room.y + room.h));
}

TEST_CASE("the legend explains what occurs, and nothing else") {
  Drawn d;
  d.window.width = 1500;
  d.marks.legend = true;
  const TaskIndex a = d.task(0, 1000, "a");
  CHECK(!texts(d.picture()).contains("result read"));
  CHECK(!texts(d.picture()).contains("failed or stuck"));
  const TaskIndex b = d.task(0, 900, "b", a);
  d.arrow(500, a, b, Model::Link::Read);
  CHECK(texts(d.picture()).contains("result read"));
  CHECK(!texts(d.picture()).contains("wake-up"));
  d.model.tasks[b].how = Model::End::Failed;
  CHECK(texts(d.picture()).contains("failed or stuck"));
}

TEST_CASE("the legend has matches, selection and density while they are visible") {
  Drawn d;
  d.window.width = 600;
  d.marks.legend = true;
  CHECK(!texts(d.picture()).contains("task, waiting"));
  CHECK(d.areas().legend == d.window.height);  // no task: nothing to explain
  const TaskIndex a = d.task(0, 1000, "a");
  const auto shown = [&] {
    const auto all = texts(d.picture());
    return std::array{all.contains("few to many tasks"), all.contains("match or related"),
                      all.contains("selected")};
  };
  CHECK(shown() == std::array{false, false, false});
  const float legend = d.areas().legend;
  const std::vector<uint8_t> found = {1};
  const std::span<const uint8_t> marked[] = {found};
  d.marks.tasks = marked;
  CHECK(shown() == std::array{false, true, false});
  d.marks.selected = a;
  CHECK(shown() == std::array{false, true, true});
  d.window.row_height = 1;
  CHECK(shown() == std::array{true, true, true});
  CHECK(d.areas().legend == legend);  // nothing moves
}

TEST_CASE("nothing is drawn far outside of the picture") {
  Drawn d = crowd(3000, 100, 50);
  d.window = {
      .from = 20'000, .to = 20'100, .top = 3, .row_height = 20, .width = 700, .height = 400};
  const DrawList list = d.picture();
  for (const Primitive& p : list.primitives) {
    if (p.shape != Shape::Fill) continue;
    CHECK(p.x >= -4);
    CHECK(p.x + p.w <= 704);
    CHECK(p.y + p.h <= 404);
  }
}

TEST_CASE("invalid windows do no harm") {
  Drawn d = crowd(2000, 100, 50);
  const double inf = 1.0 / 0.0;
  const Window odd[] = {
      {.from = 5, .to = 5},
      {.from = 10, .to = 5},
      {.from = inf, .to = -inf},
      {.from = -1e300, .to = 1e300},
      {.from = 1e18, .to = 1e18},
      {.from = 0, .to = 1e-9},
      {.from = 0, .to = 100, .row_height = 0},
      {.from = 0, .to = 100, .row_height = -5},
      {.from = 0, .to = 100, .top = 1e18},
      {.from = 0, .to = 100, .top = -1e18},
      {.from = 0, .to = 100, .row_height = 1e9},
      {.from = 0, .to = 100, .width = 0, .height = 0},
      {.from = 0, .to = 100, .width = 5, .height = 5},
      {.from = 0, .to = 100, .width = 1e9f, .height = 1e9f},
      {.from = inf - inf, .to = inf - inf, .top = inf - inf, .row_height = inf - inf},
  };
  for (const Window& window : odd) {
    d.window = window;
    CHECK(d.picture().primitives.size() < 50'000);
    d.hit_at(3, 40);
  }
}

TEST_CASE("an empty trace shows a message") {
  Drawn d;
  const auto said = [&](std::string_view words) {
    for (const std::string& text : texts(d.picture()))
      if (text.find(words) != text.npos) return true;
    return false;
  };
  CHECK(said("contains no tasks"));
  d.task(0, 500, "a");
  CHECK(!said("contains no tasks"));
  d.window.from = 2000;
  d.window.to = 3000;
  CHECK(said("ends before this"));
  d.window.from = -3000;
  d.window.to = -2000;
  CHECK(said("begins after this"));
  DrawList list;
  draw({}, d.window, d.marks, list);
  CHECK(texts(list).count("No trace is open.") == 1);
}

TEST_CASE("the time axis has round ticks with units") {
  Drawn d;
  d.task(0, 1000, "a");
  d.window = {.from = 0, .to = 10e6, .width = 1000, .height = 300};
  const std::set<std::string> shown = texts(d.picture());
  for (const char* tick : {"0", "2 ms", "4 ms", "6 ms", "8 ms"}) CHECK(shown.count(tick) == 1);
  SUBCASE("far from 0 they count from the base shown above") {
    d.window.from = 6.7776e9;
    d.window.to = d.window.from + 10e3;
    const std::set<std::string> deep = texts(d.picture());
    CHECK(deep.count("+2 us") == 1);
    bool told = false;
    for (const std::string& text : deep) told = told || text.starts_with("relative to 6.7776");
    CHECK(told);
  }
  SUBCASE("UTC, if the clock provides it") {
    d.trace.info.start = 5;
    d.trace.info.utc_offset = 1'417'600'800'000'000'000 - 5;
    bool told = false;
    for (const std::string& text : texts(d.picture()))
      told = told || text.find("2014-12-03 10:00:00") != text.npos;
    CHECK(told);
  }
}

TEST_CASE("the time axis has one unit") {
  Drawn d;
  d.task(0, 3'600'000'000'000, "an hour");
  d.window.from = 0;
  d.window.to = 1.83e12;
  const std::set<std::string> all = texts(d.picture());
  CHECK(all.count("1830 s visible") == 1);
  CHECK(all.count("1000 s") == 1);

  // Its ticks, from left to right.
  const auto ticks = [&](double from, double to) {
    d.window = {.from = from, .to = to, .width = 1000, .height = 300};
    const DrawList list = d.picture();
    std::string shown;
    for (const Primitive& p : list.primitives)
      if (p.shape == Shape::Text && p.ink == Ink::Axis && p.y > 20)
        shown.append(shown.empty() ? "" : ", ").append(list.text(p));
    return shown;
  };
  CHECK(ticks(0, 1.3e9) == "0, 0.2 s, 0.4 s, 0.6 s, 0.8 s, 1.0 s, 1.2 s");
  CHECK(ticks(0, 0.99e9) == "0, 200 ms, 400 ms, 600 ms, 800 ms");
  CHECK(ticks(0.9997e6, 1.0003e6) ==
        "0.9997 ms, 0.9998 ms, 0.9999 ms, 1.0000 ms, 1.0001 ms, 1.0002 ms, 1.0003 ms");
  CHECK(ticks(-1.1e9, 0.3e9) == "-1.0 s, -0.8 s, -0.6 s, -0.4 s, -0.2 s, 0, 0.2 s");
  CHECK(ticks(6.7776e9 - 400, 6.7776e9 + 800) ==
        "+9.6 us, +9.8 us, +10.0 us, +10.2 us, +10.4 us, +10.6 us, +10.8 us");

  // The time at the pointer has the same unit.
  d.window = {.from = 0, .to = 1.3e9, .width = 1000, .height = 300};
  d.marks.pointer_x = 250;
  d.marks.pointer_y = 100;
  CHECK(texts(d.picture()).count("0.325 s") == 1);
}

TEST_CASE("the item at a point is the one drawn there") {
  Drawn d;
  const TaskIndex a = d.task(100, 600, "a");
  const TaskIndex b = d.task(200, 500, "b", a);
  d.arrow(300, a, b, Model::Link::Notify);
  d.model.sleeps = {{700, 900, 0, 0}};
  d.model.pauses = {{750, 800, 0, 0}};
  d.model.scales = {{0, 10}};
  Model::Counter counter;
  counter.points = {{0, 5}};
  d.model.counters = {counter};
  d.model.end = 1000;
  const DrawList list = d.picture();
  const auto bars = all(list, Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() == 2);
  for (uint32_t i = 0; i < 2; i++) {
    const Item found = d.hit_at(bars[i].x + 3, bars[i].y + bars[i].h / 2);
    CHECK(found.kind == Item::Kind::Task);
    CHECK(found.index == i);
  }
  const Primitive arrow = all(list, Shape::Arrow, Ink::Notify).at(0);
  CHECK(d.hit_at(arrow.x + 2, arrow.y + arrow.h / 2).kind == Item::Kind::Interaction);
  CHECK(d.hit_at(arrow.x + 6, arrow.y + arrow.h / 2).kind == Item::Kind::Task);
  CHECK(d.hit_at(60, bars[0].y - 6).kind == Item::Kind::Task);  // its label
  CHECK(d.hit_at(20, 150).kind == Item::Kind::Nothing);
  CHECK(d.hit_at(360, 150).kind == Item::Kind::Sleep);
  CHECK(d.hit_at(385, 150).kind == Item::Kind::Pause);
  CHECK(d.hit_at(385, 10).kind == Item::Kind::Axis);
  CHECK(d.hit_at(385, 290).kind == Item::Kind::Counter);
  CHECK(d.hit_at(-5, 150).kind == Item::Kind::Nothing);
}

TEST_CASE("sleeps cover the share of the picture that they lasted, in columns") {
  Drawn d;
  d.task(0, 100'000'000, "server");
  d.trace.executors.resize(1);
  for (uint64_t at = 0; at < 100'000'000; at += 1'000)
    d.model.sleeps.push_back({.start = at, .end = at + 40});
  d.window.to = 1e8;
  d.window.width = 1'000;
  for (const float column : {1.0f, 8.0f}) {
    d.window.column = column;
    float width = 0;
    for (const Primitive& p : all(d.picture(), Shape::Fill, Ink::Sleep)) {
      CHECK(std::fmod(p.x, column) == 0);
      width += p.w;
    }
    CHECK(width == doctest::Approx(40).epsilon(0.1));
  }
}

TEST_CASE("a lane is empty while its executor sleeps, and shows what ran there") {
  Drawn d;
  d.trace.executors.resize(2);
  const TaskIndex a = d.task(0, 1000, "a");
  d.model.activations = {{100, 200, a, 0}, {600, 800, a, 1}};
  d.model.sleeps = {{.start = 200, .end = 1000, .executor = 0},
                    {.start = 0, .end = 600, .executor = 1}};
  const DrawList list = d.picture();
  const auto sleeps = all(list, Shape::Fill, Ink::Sleep);
  REQUIRE(sleeps.size() == 2);
  CHECK(sleeps[0].x == 100);
  CHECK(sleeps[0].h == 26);
  CHECK(sleeps[1].x == 0);
  CHECK(sleeps[1].w == 300);
  CHECK(sleeps[1].y == sleeps[0].y + 26);
  const auto running = all(list, Shape::Fill, Ink::Running);
  REQUIRE(running.size() == 4);  // one in each lane, two in the task's bar
  CHECK(running[0].y < sleeps[1].y);
  CHECK(running[1].y > sleeps[1].y);
  CHECK(running[1].x == 301);
  CHECK(running[2].y == running[3].y);
  const Item found = d.hit_at(running[1].x + 5, running[1].y + 2);
  CHECK(found.kind == Item::Kind::Task);
  CHECK(found.index == a);
}

TEST_CASE("above what ran on a thread: the samples of its stack") {
  Drawn d;
  d.trace.executors = {{.tid = 7}};
  const TaskIndex a = d.task(0, 1000, "a");
  d.model.activations = {{100, 800, a, 0}};
  d.trace.stacks.add(0);
  for (const uint64_t time : {200U, 300U, 301U, 900U})
    d.trace.events.append({.time = time, .executor = 0, .kind = EventKind::Sample});
  d.trace.events.append({.time = 400, .executor = 3, .kind = EventKind::Sample});  // no such thread
  const DrawList list = d.picture();
  std::vector<float> at;
  for (const Primitive& one : all(list, Shape::Fill, Ink::Label)) at.push_back(one.x);
  CHECK(at == std::vector<float>{100, 150, 450});
  const std::vector<SampleAt> marked[] = {
      {{.executor = 0, .time = 300}, {.executor = 0, .time = 900}, {.executor = 1, .time = 200}}};
  d.marks.samples = marked;
  const DrawList with_marks = d.picture();
  at.clear();
  for (const Primitive& one : all(with_marks, Shape::Fill, Ink::Highlight)) at.push_back(one.x);
  CHECK(at == std::vector<float>{150, 450});
  d.window.row_height = 9;
  CHECK(all(d.picture(), Shape::Fill, Ink::Label).empty());
}

TEST_CASE("below what ran on a thread: when it had a CPU, and when it waited for one") {
  Drawn d;
  d.trace.executors = {{.tid = 7}};
  const TaskIndex a = d.task(0, 1000, "a");
  d.model.activations = {{100, 800, a, 0}};
  using enum ThreadState;
  d.trace.thread_states = {
      {.time = 100, .tid = 7, .state = Running},
      {.time = 300,
       .tid = 7,
       .state = Preempted,
       .other = 9,
       .text = d.trace.strings.intern("rival")},
      {.time = 400, .tid = 7, .state = Running},
      {.time = 700, .tid = 7, .state = Blocked},
      {.time = 700, .tid = 7, .state = Function, .text = d.trace.strings.intern("futex_wait")},
      {.time = 900, .tid = 7, .state = Runnable},
      {.time = 950, .tid = 7, .state = Running},
      {.time = 1000, .tid = 7, .state = Ended},
  };
  const DrawList list = d.picture();
  const auto on_cpu = all(list, Shape::Fill, Ink::Resolve);
  REQUIRE(on_cpu.size() == 3);
  CHECK(on_cpu[0].x == 50);
  CHECK(on_cpu[0].w == 100);
  CHECK(on_cpu[1].x == 200);
  CHECK(on_cpu[0].h == 3);
  const auto waits = all(list, Shape::Fill, Ink::Notify);
  REQUIRE(waits.size() == 4);  // what can be pointed at, once more
  CHECK(waits[0].x == 150);
  CHECK(waits[0].w == 50);
  CHECK(waits[1].x == 450);
  CHECK(list.text(waits[2]) == "preempted by rival for 100 ns");
  CHECK(list.text(waits[3]) == "waits for a CPU for 50 ns");
  // Where one points at the line, a pixel is 2 ns.
  const auto state_at = [&](float x, float y) {
    const Track one = d.track();
    return thread_state_at(std::span(&one, 1), d.window, d.marks, x, y);
  };
  const float y = on_cpu[0].y + 1;
  CHECK(state_at(100, y) == "on a CPU for 200 ns");
  CHECK(state_at(170, y) == "preempted by rival for 100 ns");
  CHECK(state_at(200, y) == "on a CPU for 300 ns");
  CHECK(state_at(400, y) == "blocked in futex_wait for 200 ns");
  CHECK(state_at(460, y) == "waits for a CPU for 50 ns");
  CHECK(state_at(20, y).empty());                 // not known yet
  CHECK(state_at(170, on_cpu[0].y - 2).empty());  // on the bar
  CHECK(state_at(170, on_cpu[0].y + 5).empty());
  d.window.to = 100'000;  // a pixel is 200 ns: the wait is seen
  CHECK(state_at(1, y) == "preempted by rival for 100 ns");
  d.window.to = 1000;
  d.window.row_height = 9;
  CHECK(all(d.picture(), Shape::Fill, Ink::Resolve).empty());
}

TEST_CASE("marks: highlight, selection, measure, bookmark, pointer") {
  Drawn d;
  d.task(0, 400, "a");
  d.task(500, 900, "b");
  const uint8_t marks[] = {1, 2};
  const std::span<const uint8_t> of_tracks[] = {marks};
  d.marks.tasks = of_tracks;
  d.marks.selected = 1;
  d.marks.measure_from = 900;
  d.marks.measure_to = 100;
  const Marks::Bookmark bookmarks[] = {{450, "look \x1b here"}};
  d.marks.bookmarks = bookmarks;
  d.marks.pointer_x = 250;
  const DrawList list = d.picture();
  REQUIRE(all(list, Shape::Fill, Ink::Highlight).size() == 1);
  CHECK(all(list, Shape::Fill, Ink::Highlight)[0].w == 204);
  CHECK(all(list, Shape::Fill, Ink::Bar)[1].alpha < 100);
  CHECK(all(list, Shape::Fill, Ink::Selection).size() == 4);
  CHECK(texts(list).count("800 ns") == 1);
  CHECK(texts(list).count("look \ufffd here") == 1);
  CHECK(texts(list).count("0.500 us") == 1);
  // The time at the pointer does not cover the base of the axis.
  d.marks.pointer_x = 5;
  const DrawList left = d.picture();
  float title = 0;
  float time = 0;
  for (const Primitive& p : left.primitives) {
    if (p.shape != Shape::Text) continue;
    if (left.text(p).starts_with("time since")) title = p.y;
    if (left.text(p) == "0.010 us") time = p.y;
  }
  CHECK(time > title + 10);
}

TEST_CASE("a list as text") {
  DrawList list;
  list.texts += std::string("hello\0", 6);
  list.primitives = {{10, 20, 300, 4.25f, 0, Shape::Fill, Ink::Bar, 255, 1},
                     {1.5f, 2, 3, 4, 0, Shape::Arrow, Ink::Read, 128, 2},
                     {10, -20, 0, 0, 1, Shape::Text, Ink::Label, 255, 11}};
  CHECK(to_text(list) ==
        "fill 10 20 300x4.25 bar\n"
        "arrow 1.5 2 to 4.5 6 read alpha 128 size 2\n"
        "text 10 -20 label size 11 'hello'\n");
}

TEST_CASE("primitives carry their items, and a hit on a primitive finds its item") {
  Drawn d = crowd(40, 6, 1'000);
  d.window.row_height = 26;
  const DrawList list = d.picture();
  std::array<size_t, 7> shown{};  // by kind
  for (const Primitive& p : list.primitives) shown[static_cast<size_t>(p.item.kind)]++;
  for (const Item::Kind kind : {Item::Kind::Task, Item::Kind::Interaction, Item::Kind::Counter})
    CHECK(shown[static_cast<size_t>(kind)] > 0);
  size_t bars = 0;
  for (const Primitive& p : list.primitives) {
    if (p.item.kind != Item::Kind::Task || p.shape != Shape::Fill || p.ink != Ink::Bar) continue;
    const float x = std::max(p.x, 0.0f) + 0.5f;
    const float y = p.y + p.h / 2;
    if (y < d.areas().rows || y >= d.areas().counters || x >= d.window.width) continue;
    const Item at = item_at(list, x, y, 0);
    if (at.kind != Item::Kind::Task) continue;  // an arrow's end lies over it
    bars++;
    CHECK(d.hit_at(x, y) == at);
  }
  CHECK(bars > 5);
  CHECK(item_at(list, -50, -50).kind == Item::Kind::Nothing);
}
