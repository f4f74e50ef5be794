#include "view/draw/scene.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <set>

#include "view/draw/text.h"

using namespace skein;

namespace {

// A trace's model by hand.
struct Drawn {
  Trace trace;
  Model model;
  Rows rows;
  Window window = {.from = 0, .to = 1000, .top = 0, .row_height = 26, .width = 500, .height = 300};
  Marks marks;

  TaskIndex task(uint64_t start, uint64_t end, std::string_view label,
                 TaskIndex parent = no_index) {
    Model::Task task;
    task.id = model.tasks.size() + 1;
    task.start = start;
    task.end = end;
    task.parent = parent;
    task.label = trace.strings.intern(label);
    task.how = Model::End::Resolved;
    model.tasks.push_back(task);
    model.end = std::max(model.end, end);
    return static_cast<TaskIndex>(model.tasks.size() - 1);
  }

  void arrow(uint64_t time, TaskIndex from, TaskIndex to, Model::Link link) {
    arrow(time, time, from, to, link);
  }
  void arrow(uint64_t time, uint64_t to_time, TaskIndex from, TaskIndex to, Model::Link link) {
    Model::Interaction arrow;
    arrow.from_time = time & ((uint64_t{1} << 61) - 1);
    arrow.link = link;
    arrow.to_time = to_time;
    arrow.from = from;
    arrow.to = to;
    model.interactions.push_back(arrow);
  }

  Track track() {
    rows = arrange(trace, model);
    return {&trace, &model, &rows};
  }

  DrawList picture() {
    const Track one = track();
    DrawList list;
    draw(std::span(&one, 1), window, marks, list);
    return list;
  }

  Areas areas() {
    const Track one = track();
    return skein::areas(std::span(&one, 1), window, marks);
  }

  Hit hit_at(float x, float y) {
    const Track one = track();
    return hit(std::span(&one, 1), window, marks, x, y);
  }
};

std::vector<Primitive> all(const DrawList& list, Shape shape, Ink ink) {
  std::vector<Primitive> found;
  for (const Primitive& primitive : list.primitives)
    if (primitive.shape == shape && primitive.ink == ink) found.push_back(primitive);
  return found;
}

std::set<std::string> texts(const DrawList& list) {
  std::set<std::string> found;
  for (const Primitive& primitive : list.primitives)
    if (primitive.shape == Shape::Text) found.insert(std::string(list.text(primitive)));
  return found;
}

// Those that lie one over another, with the exception of panels that are meant to.
size_t overlapping_texts(const DrawList& list) {
  struct Box {
    float left, top, right, bottom;
  };
  std::vector<Box> boxes;
  size_t overlaps = 0;
  for (const Primitive& p : list.primitives) {
    if (p.shape != Shape::Text) continue;
    const float size = p.size;
    const Box box = {p.x, p.y - size * 0.7f, p.x + text_width(list.text(p), size), p.y};
    for (const Box& other : boxes)
      if (box.left < other.right && other.left < box.right && box.top < other.bottom &&
          other.top < box.bottom)
        overlaps++;
    boxes.push_back(box);
  }
  return overlaps;
}

// Thousands of tasks, at most `alive` at a time, arrows of all kinds, labels, counters, sleeps.
Drawn crowd(uint32_t tasks, uint32_t alive, uint64_t step) {
  Drawn d;
  std::mt19937 random(7);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  uint64_t time = 0;
  for (uint32_t i = 0; i < tasks; i++) {
    time += below(step);
    const TaskIndex parent =
        i && below(3) ? static_cast<TaskIndex>(i - 1 - below(std::min(i, alive))) : no_index;
    const TaskIndex task =
        d.task(time, time + below(step * alive), i % 5 ? "ring.write" : "take", parent);
    if (below(50) == 0) d.model.tasks[task].how = Model::End::Failed;
    d.model.activations.push_back({time, time + 1 + below(step), task, 0});
    if (i)
      d.arrow(time, task, static_cast<TaskIndex>(i - 1 - below(std::min(i, 40u))),
              static_cast<Model::Link>(below(6)));
    d.model.labels.push_back(
        {time + 1, task, d.trace.strings.intern("remark " + std::to_string(i))});
    if (below(10) == 0) d.model.sleeps.push_back({time, time + below(step), 0, 0});
    if (below(100) == 0) d.model.pauses.push_back({time, time + below(step), 0, 0});
  }
  for (uint32_t c = 0; c < 6; c++) {
    Model::Counter counter;
    counter.name = d.trace.strings.intern("counter" + std::to_string(c));
    counter.scale = c / 2;
    for (uint64_t t = 0; t < time; t += 1 + step / 2)
      counter.points.push_back({t, static_cast<int64_t>(below(1000)) - 100});
    d.model.counters.push_back(counter);
  }
  d.model.scales = {{-100, 900}, {-100, 900}, {-100, 900}};
  d.window = {.from = 0, .to = static_cast<double>(d.model.end)};
  d.marks.legend = true;
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
  REQUIRE(bars.size() == 2);  // and the edge of where it runs
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

TEST_CASE("what failed or is stuck is red, and a stuck one goes on to the edge") {
  Drawn d;
  const TaskIndex a = d.task(100, 200, "a");
  d.model.tasks[a].how = Model::End::Open;
  d.model.tasks[a].should_resolve = true;
  const DrawList list = d.picture();
  const auto bars = all(list, Shape::Fill, Ink::Failed);
  REQUIRE(bars.size() == 1);
  CHECK(bars[0].x == 50);
  CHECK(bars[0].x + bars[0].w >= 500);
}

TEST_CASE("a stuck one goes on to the edge of a picture of more than 2^32 ns") {
  Drawn d;
  d.model.tasks[d.task(100, 600, "hangs")].should_resolve = true;
  d.model.tasks[0].how = Model::End::Open;
  d.window.to = 10e9;
  const DrawList list = d.picture();
  const std::vector<Primitive> red = all(list, Shape::Fill, Ink::Failed);
  REQUIRE(red.size() == 1);
  CHECK(red[0].x + red[0].w >= d.window.width);
}

TEST_CASE("a task that was not heard of again goes on in an arrow head") {
  Drawn d;
  const TaskIndex a = d.task(100, 200, "a");
  CHECK(all(d.picture(), Shape::Arrow, Ink::Bar).empty());
  d.model.tasks[a].how = Model::End::Open;
  CHECK(all(d.picture(), Shape::Arrow, Ink::Bar).size() == 1);
}

TEST_CASE("arrows go from bar to bar, in the colour of what happened") {
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

TEST_CASE("a read begins where its source's bar ended, not at a later one in the same row") {
  Drawn d;
  const TaskIndex reader = d.task(0, 10'000, "reader");
  std::mt19937 random(3);
  std::vector<TaskIndex> sources;
  for (uint64_t time = 0; time < 9'000; time += 40)
    sources.push_back(d.task(time, time + 20 + random() % 300, "source", reader));
  for (const TaskIndex source : sources)  // each at a time of its own
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
    // Of the bars at the foot one must be whose task's result arrives at the head.
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
  // What is under the pointer is what is drawn there.
  for (const Primitive& arrow : all(list, Shape::Arrow, Ink::Read))
    if (arrow.w > 20) {
      const Hit found = d.hit_at(arrow.x + arrow.w * 0.9f, arrow.y + arrow.h * 0.9f);
      CHECK(found.what != Hit::What::Nothing);
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

TEST_CASE("thin bars are not lost: every one is seen, and more are darker") {
  Drawn d;
  for (uint64_t i = 0; i < 400; i++) d.task(i * 100, i * 100 + 10, "");  // a tenth of a pixel
  d.window.to = 50'000;
  const auto bars = all(d.picture(), Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() == 1);  // one after the other
  CHECK(bars[0].x == 0);
  CHECK(bars[0].w >= 399);
  d.window.to = 500'000;
  const auto darker = all(d.picture(), Shape::Fill, Ink::Bar);
  REQUIRE(!darker.empty());
  CHECK(darker[0].alpha > bars[0].alpha);
  SUBCASE("the one that failed among them is red, and large enough to be found") {
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
  SUBCASE("those that are everywhere are not") {
    for (Model::Task& task : d.model.tasks) task.how = Model::End::Failed;
    d.window.to = 100'000;
    const size_t red = all(d.picture(), Shape::Fill, Ink::Failed).size();
    CHECK(red < 400);
  }
}

TEST_CASE("a thin bar that is alone is wider than a line that crosses it") {
  Drawn d;
  d.task(100, 101, "");
  d.task(200, 201, "");
  d.task(204, 205, "");  // one white pixel beside the one before
  d.task(208, 900, "");
  const auto bars = all(d.picture(), Shape::Fill, Ink::Bar);
  REQUIRE(bars.size() >= 3);
  CHECK(bars[0].x == 49);
  CHECK(bars[0].w == 3);
  for (size_t i = 1; i < bars.size(); i++) CHECK(bars[i].x >= bars[i - 1].x + bars[i - 1].w);
}

TEST_CASE("arrows are fainter where there are many beside each other") {
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

TEST_CASE("arrows of several traces do not run into each other, nor far ones of a trace") {
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

TEST_CASE("a highlight does not hide what goes to its task") {
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

TEST_CASE("in low rows what runs is white between dark edges") {
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

TEST_CASE("rows thinner than pixels are density, and a single bar among them is seen") {
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

TEST_CASE("at most 50,000 primitives, no text over another, whatever the window") {
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

TEST_CASE("a row that is folded away has no height, and lines to it end between its neighbours") {
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
  // Those of other tracks are no lines of these.
  d.marks.lines = std::span(lines).first(3);
  CHECK(all(d.picture(), Shape::Fill, Ink::Bar)[1].y == bars[0].y + 52);
}

TEST_CASE("where there are more rows than room, it is told which these are") {
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

TEST_CASE("the legend explains what there is, and nothing else") {
  Drawn d;
  d.window.width = 1500;
  d.marks.legend = true;
  const TaskIndex a = d.task(0, 1000, "a");
  CHECK(!texts(d.picture()).contains("reads its result"));
  CHECK(!texts(d.picture()).contains("failed or stuck"));
  const TaskIndex b = d.task(0, 900, "b", a);
  d.arrow(500, a, b, Model::Link::Read);
  CHECK(texts(d.picture()).contains("reads its result"));
  CHECK(!texts(d.picture()).contains("wakes"));
  d.model.tasks[b].how = Model::End::Failed;
  CHECK(texts(d.picture()).contains("failed or stuck"));
}

TEST_CASE("the legend has what was found or selected, and density, while they are to be seen") {
  Drawn d;
  d.window.width = 600;
  d.marks.legend = true;
  CHECK(!texts(d.picture()).contains("a task, waiting"));
  CHECK(d.areas().legend == d.window.height);  // no task: nothing to explain
  const TaskIndex a = d.task(0, 1000, "a");
  const auto shown = [&] {
    const auto all = texts(d.picture());
    return std::array{all.contains("few to many tasks"), all.contains("found, related"),
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
  CHECK(d.areas().legend == legend);  // nothing jumps
}

TEST_CASE("a counter far from 0 fills its strip, and its axis says so") {
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
  CHECK(zeros == 2);  // the axis of time has one, too
}

TEST_CASE("a counter's axis is of what is in sight, between round numbers") {
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
  SUBCASE("the value at the left edge is in sight") {
    d.window.from = 3'990;
    CHECK(texts(d.picture()).contains("1.00 M"));
    CHECK(texts(d.picture()).contains("0"));
  }
  SUBCASE("where nothing changes it is of the whole trace") {
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
  SUBCASE("what is under the pointer is what is drawn there") {
    d.model.scales.push_back({0, 10});  // another strip
    d.model.counters.push_back({.name = 0, .scale = 0, .points = {{0, 500}}});
    const float top = *lines().begin();
    CHECK(d.hit_at(100, top).index == 0);
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
    CHECK(texts(list).contains("promise #3"));
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

TEST_CASE("a collapsed task says how many are in it; a span its name") {
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

TEST_CASE("windows that make no sense are survived") {
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

TEST_CASE("an empty trace says so") {
  Drawn d;
  const auto said = [&](std::string_view words) {
    for (const std::string& text : texts(d.picture()))
      if (text.find(words) != text.npos) return true;
    return false;
  };
  CHECK(said("no task in this trace"));
  d.task(0, 500, "a");
  CHECK(!said("no task in this trace"));
  d.window.from = 2000;
  d.window.to = 3000;
  CHECK(said("ended before this"));
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
  SUBCASE("deep inside they count from what is told above") {
    d.window.from = 6.7776e9;
    d.window.to = d.window.from + 10e3;
    const std::set<std::string> deep = texts(d.picture());
    CHECK(deep.count("+2 us") == 1);
    bool told = false;
    for (const std::string& text : deep) told = told || text.starts_with("+ from 6.7776");
    CHECK(told);
  }
  SUBCASE("UTC, if the clock knows it") {
    d.trace.facts.start = 5;
    d.trace.facts.utc_offset = 1'417'600'800'000'000'000 - 5;
    bool told = false;
    for (const std::string& text : texts(d.picture()))
      told = told || text.find("2014-12-03 10:00:00") != text.npos;
    CHECK(told);
  }
}

TEST_CASE("counters have an axis, and tell their value at the pointer") {
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

TEST_CASE("bands and tracks have names") {
  Drawn d;
  d.trace.executors = {{d.trace.strings.intern("main"), 11, 0},
                       {d.trace.strings.intern("worker"), 12, 1}};
  d.task(0, 900, "a");
  const TaskIndex b = d.task(0, 900, "b");
  d.model.tasks[b].executor = 1;
  CHECK(texts(d.picture()).count("main (thread 11)") == 1);
  CHECK(texts(d.picture()).count("worker (thread 12)") == 1);
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

TEST_CASE("what is at a point is what was drawn there") {
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
    const Hit found = d.hit_at(bars[i].x + 3, bars[i].y + bars[i].h / 2);
    CHECK(found.what == Hit::What::Task);
    CHECK(found.index == i);
  }
  const Primitive arrow = all(list, Shape::Arrow, Ink::Notify).at(0);
  CHECK(d.hit_at(arrow.x + 2, arrow.y + arrow.h / 2).what == Hit::What::Interaction);
  CHECK(d.hit_at(arrow.x + 6, arrow.y + arrow.h / 2).what == Hit::What::Task);
  CHECK(d.hit_at(60, bars[0].y - 6).what == Hit::What::Task);  // its label
  CHECK(d.hit_at(20, 150).what == Hit::What::Nothing);
  CHECK(d.hit_at(360, 150).what == Hit::What::Sleep);
  CHECK(d.hit_at(385, 150).what == Hit::What::Pause);
  CHECK(d.hit_at(385, 10).what == Hit::What::Axis);
  CHECK(d.hit_at(385, 290).what == Hit::What::Counter);
  CHECK(d.hit_at(-5, 150).what == Hit::What::Nothing);
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
  CHECK(texts(list).count("500 ns") == 1);
  // The time under the pointer is not over what the axis counts from.
  d.marks.pointer_x = 5;
  const DrawList left = d.picture();
  float title = 0;
  float time = 0;
  for (const Primitive& p : left.primitives) {
    if (p.shape != Shape::Text) continue;
    if (left.text(p).starts_with("time since")) title = p.y;
    if (left.text(p) == "10 ns") time = p.y;
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
