#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "view/viewer/test_viewer.h"

using namespace skein;

namespace {

Trace server_trace_at(int64_t utc) {
  Trace trace = server_trace();
  trace.info.utc_offset = utc;
  return trace;
}

}  // namespace

TEST_CASE("the panel of a task: what, where, state, waker; each other task is a link") {
  Viewer viewer = over_server();
  select(viewer, 3);
  Panel panel = viewer.panel();
  CHECK(panel.title == "session B (#3)");
  CHECK(value(panel, "kind") == "coroutine");
  CHECK(value(panel, "state") == "suspended, marked should_resolve");
  CHECK(value(panel, "since").starts_with("650"));
  CHECK(value(panel, "waits for") == "lock (#5)");
  CHECK(value(panel, "parent") == "Server (#1)");
  CHECK(value(panel, "ran") == "50.0 us in 1 activation");

  viewer.click(link(panel, "waits for"));
  CHECK(selected_id(viewer) == 5);
  panel = viewer.panel();
  CHECK(value(panel, "state") == "created");
  CHECK(value(panel, "was awaited by").starts_with("session B (#3)"));
  viewer.click(link(panel, "parent"));
  CHECK(selected_id(viewer) == 1);
  CHECK(value(viewer.panel(), "children") == "3");
  viewer.click(99'999);
  viewer.click(0);
  CHECK(selected_id(viewer) == 1);

  select(viewer, 2);
  panel = viewer.panel();
  CHECK(value(panel, "state") == "ended");
  CHECK(value(panel, "since") == "500 us, after 400 us");
  CHECK(value(panel, "woken by").starts_with("ring.read (#4)"));
  CHECK(value(panel, "read the result of").starts_with("ring.read (#4)"));
}

TEST_CASE("a task with very many interactions has a panel of bounded length") {
  TestTrace t;
  t.create(0, 1, no_task, "busy");
  for (TaskId id = 2; id < 5000; id++) {
    t.create(id * 1000, id, 1, "");
    t.event(id * 1000 + 500, EventKind::Resolve, id, 1);
  }
  Viewer viewer = showing(std::move(t.trace));
  select(viewer, 1);
  const Panel panel = viewer.panel();
  CHECK(panel.lines.size() < 200);
  CHECK(value(panel, "children") == "4,998");
  CHECK(value(panel, "earlier") != "-");
  CHECK(value(panel, "later") != "-");

  // A link shows the omitted lines until the selection changes.
  viewer.click(link(panel, "later"));
  CHECK(selected_id(viewer) == 1);
  const Panel longer = viewer.panel();
  CHECK(longer.lines.size() >= panel.lines.size() + 900);
  CHECK(longer.lines.size() < 2'000);
  select(viewer, 2);
  CHECK(viewer.panel().title == "coroutine (#2)");
  select(viewer, 1);
  CHECK(viewer.panel().lines.size() == panel.lines.size());
}

TEST_CASE("the panel lists the nearest of many parents, after the waker") {
  TestTrace t;
  t.create(0, 1, no_task, "main");
  for (TaskId id = 2; id <= 20; id++) t.create(id * 100, id, id - 1, "call " + std::to_string(id));
  t.create(3'000, 21, 1, "timer");
  t.event(3'100, EventKind::Suspend, 20);
  t.event(3'200, EventKind::Notify, 21, 20);
  t.event(3'300, EventKind::Resume, 20, 21);
  Viewer viewer = showing(std::move(t.trace));
  select(viewer, 20);
  const Panel panel = viewer.panel();
  const auto line = [&](const Panel& of, std::string_view name, std::string_view begin) {
    const auto at = std::find_if(of.lines.begin(), of.lines.end(), [&](const PanelLine& l) {
      return l.name == name && l.value.starts_with(begin);
    });
    return at - of.lines.begin();
  };
  CHECK(panel.lines[0].name == "state");
  CHECK(line(panel, "parent", "call 19") < static_cast<ptrdiff_t>(panel.lines.size()));
  CHECK(line(panel, "woken by", "timer") < line(panel, "kind", ""));
  CHECK(line(panel, "kind", "") < line(panel, "parent", ""));
  const auto more = static_cast<size_t>(line(panel, "of", "16 more"));
  REQUIRE(more < panel.lines.size());
  viewer.click(panel.lines[more].link);
  const Panel longer = viewer.panel();
  CHECK(line(longer, "of", "main (#1)") < static_cast<ptrdiff_t>(longer.lines.size()));
}

TEST_CASE("without a selection the panel describes the trace") {
  Viewer viewer = over_server();
  const Panel panel = viewer.panel();
  CHECK(panel.title == "a trace");
  CHECK(value(panel, "tasks") == "5");
  CHECK(value(panel, "ended") == "2");
  CHECK(value(panel, "unresolved") == "1");
  CHECK(value(panel, "counter") == "bytes: 250");
  const auto stuck = std::find_if(panel.lines.begin(), panel.lines.end(),
                                  [](const PanelLine& line) { return line.link != 0; });
  REQUIRE(stuck != panel.lines.end());
  CHECK(stuck->value == "session B (#3)");
  viewer.click(stuck->link);
  CHECK(selected_id(viewer) == 3);
}

TEST_CASE("with several traces each has a heading in the panel") {
  Viewer viewer = over_server();
  const auto headings = [&] {
    std::vector<std::string> all;
    for (const PanelLine& line : viewer.panel().lines)
      if (line.heading) all.push_back(line.value);
    return all;
  };
  CHECK(headings().empty());
  viewer.add(server_trace(), "another");
  CHECK(headings() == std::vector<std::string>{"a trace", "another"});
}

TEST_CASE("an unknown executor on which nothing ran is not listed") {
  TestTrace t;
  t.trace.executors.resize(3);
  t.create(100, 1, no_task, "a", "coroutine", 1);
  t.event(200, EventKind::Resume, 1, no_task, 1);
  t.event(300, EventKind::Suspend, 1, no_task, 1);
  SUBCASE("the one without a name is omitted") {
    Viewer viewer = showing(std::move(t.trace));
    CHECK(viewer.executors() == std::vector<std::string>{"executor 1"});
    CHECK(value(viewer.panel(), "executors") == "-");
    select(viewer, 1);
    CHECK(value(viewer.panel(), "executor") == "-");
  }
  SUBCASE("the one with a name is shown") {
    t.trace.executors[2].name = t.trace.strings.intern("idle worker");
    Viewer viewer = showing(std::move(t.trace));
    CHECK(viewer.executors() == std::vector<std::string>{"executor 1", "idle worker"});
    CHECK(value(viewer.panel(), "executors") == "2");
    select(viewer, 1);
    CHECK(value(viewer.panel(), "executor") == "executor 1");
  }
}

TEST_CASE("the titled picture has titles on arrows, pauses and narrow bars") {
  TestTrace t = server();
  t.create(700'000, 9, 1, "narrow");
  t.event(703'000, EventKind::Resolve, 9);
  Viewer viewer = showing(std::move(t.trace));
  const DrawList titled = viewer.titled_picture();
  const auto titles = [](const DrawList& list) {
    std::multiset<std::string_view> all;
    for (const Primitive& primitive : list.primitives)
      if (primitive.shape != Shape::Text && primitive.text != 0) all.insert(list.text(primitive));
    return all;
  };
  CHECK(!titles(viewer.picture()).contains("narrow (#9), coroutine, 3.00 us"));
  CHECK(titles(titled).contains("narrow (#9), coroutine, 3.00 us"));
  CHECK(titles(titled).contains("ring.read (#4) result was read by session A (#2)"));
  // The titles are invisible, and the rest is unchanged.
  DrawList rest = titled;
  std::erase_if(rest.primitives, [](const Primitive& p) { return p.alpha == 0; });
  CHECK(to_text(rest) == to_text(viewer.picture()));
}

TEST_CASE("an event has one time, on the axis and in the panel, whatever a ring overwrites") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(ring(0), "ring");
  viewer.add_bookmark(6e5, "session B begins");
  const auto same_times = [](Viewer& at) {
    select(at, 3);
    CHECK(value(at.panel(), "created").starts_with("600"));
    at.show(6.5e5, 7.5e5);
    on_bar(at, 7e5, "session B");
    at.click(link(at.panel(), "created"));
    CHECK((at.window().from + at.window().to) / 2 == doctest::Approx(6e5));
    at.run(Command::Measure);
    CHECK(at.panel().title == "Range of 400 us");
    CHECK(value(at.panel(), "from").starts_with("600"));
    CHECK(value(at.panel(), "to").starts_with("1.000"));
    at.run(Command::ClearMeasure);
    CHECK(at.bookmarks()[0].time == 6e5);
  };
  same_times(viewer);
  viewer.update(0, ring(200'000, 1));
  same_times(viewer);
  viewer.update(0, ring(500'000, 2));
  same_times(viewer);
  viewer.select(0, no_index);
  CHECK(value(viewer.panel(), "duration") == "500 us");
  const std::string notes = viewer.save_notes();

  // Opened again, after its beginning was overwritten.
  for (const bool served : {false, true}) {
    Viewer again;
    again.resize(1000, 600);
    again.add(ring(500'000, served ? 0 : 2), "ring");
    again.search("session");
    again.show(1e5, 2e5);
    REQUIRE(again.load_notes(notes, served));
    CHECK(again.window().from <= 5e5);
    CHECK(again.window().from > 4e5);
    CHECK(again.window().to >= 1e6);
    CHECK(again.save_notes() == notes);
    same_times(again);
    again.add(ring(500'000), "another");
    CHECK(again.tracks()[0].offset == 5e5);
    CHECK(again.tracks()[1].offset == 5e5);
    same_times(again);
  }
  // Notes of another trace, or without a start, move nothing.
  Viewer other = over_server();
  other.add_bookmark(1, "another's");
  const std::string others = other.save_notes();
  Viewer again;
  again.add(ring(500'000, 2), "ring");
  REQUIRE(again.load_notes(others, true));
  CHECK(again.tracks()[0].offset == 0);
  CHECK(again.bookmarks()[0].time == 1);
  REQUIRE(other.load_notes(notes, true));
  CHECK(other.tracks()[0].offset == 0);

  // An empty trace that has begun.
  Viewer early;
  Trace empty;
  empty.info.start = 1'700'000'000'000'000'003;
  early.add(std::move(empty), "ring");
  early.update(0, ring(500'000));
  CHECK(early.tracks()[0].offset == 5e5);
  Viewer earlier;
  earlier.add({}, "ring");
  earlier.update(0, ring(0));
  earlier.update(0, ring(500'000));
  CHECK(earlier.tracks()[0].offset == 5e5);
  earlier.add_bookmark(6e5, "session B begins");
  CHECK(earlier.save_notes() == notes);
}

TEST_CASE("with several traces the panel names the trace and uses the time axis") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(server_trace_at(1'000'000'000), "net.ctf");
  select(viewer, 2);
  CHECK(value(viewer.panel(), "trace") == "-");
  viewer.add(server_trace_at(1'000'300'000), "net.ctf");
  CHECK(value(viewer.panel(), "trace") == "net.ctf");
  viewer.add(server_trace(), "net.ctf (2)");
  viewer.add(server_trace(), "net.ctf");
  std::vector<std::string_view> titles;
  for (const Track& track : viewer.tracks()) titles.push_back(track.title);
  CHECK(titles ==
        std::vector<std::string_view>{"net.ctf", "net.ctf (2)", "net.ctf (2) (2)", "net.ctf (3)"});

  Viewer both;
  both.resize(1000, 600);
  both.add(server_trace_at(1'000'000'000), "net.ctf");
  both.add(server_trace_at(1'000'300'000), "net.ctf");
  both.select(1, index_of(both, 3, 1));
  CHECK(value(both.panel(), "trace") == "net.ctf (2)");
  CHECK(value(both.panel(), "created") == "900 us");
  both.show(6e5, 7e5);
  both.click(link(both.panel(), "created"));
  CHECK((both.window().from + both.window().to) / 2 == doctest::Approx(9e5));
  // The range covers a part of each trace.
  both.run(Command::Measure);
  const Panel panel = both.panel();
  CHECK(panel.title == "Range of 400 us");
  std::vector<std::string> lines;
  for (const PanelLine& line : panel.lines)
    if (line.name == "trace" || line.name == "from" || line.name == "to" || line.name == "ran")
      lines.push_back(line.name + " " + line.value);
  CHECK(lines == std::vector<std::string>{"trace net.ctf", "from 900 us", "to 1.000 ms",
                                          "ran 0 ns, 0.0 %", "trace net.ctf (2)", "from 900 us",
                                          "to 1.300 ms", "ran 50.0 us, 12.5 %"});
  both.pointer_down(x_of(both, 1.1e6), 200, {.shift = true});
  both.pointer_move(x_of(both, 1.2e6), 200);
  both.pointer_up(x_of(both, 1.2e6), 200);
  CHECK(both.panel().lines[1].value == "outside this trace");
}

TEST_CASE("losses are shown as a sentence") {
  TestTrace t = server();
  t.trace.losses.push_back(
      {.what = "dropped by the recorder", .bytes = 0, .packets = 0, .events = 12});
  CHECK(showing(std::move(t.trace)).notice() ==
        "a trace: incomplete: dropped by the recorder (12 events).");
  TestTrace u = server();
  u.trace.losses.push_back({.what = "event truncated", .bytes = 3});
  u.trace.losses.push_back({.what = "a time was guessed", .events = 0});
  u.trace.losses.push_back({.what = "packet damaged", .events = 5});
  CHECK(showing(std::move(u.trace)).notice() ==
        "a trace: incomplete: at least 5 events in 3 losses.");

  // Each incomplete trace is named.
  TestTrace none;
  none.trace.losses.push_back({.what = "file truncated"});
  Viewer several = showing(std::move(none.trace));
  several.add(server_trace(), "whole");
  several.add({}, "empty");
  CHECK(several.notice() ==
        "a trace: no events can be read: byte 0: file truncated (an unknown number of events). "
        "empty: no events; was recording enabled?");
}

TEST_CASE("texts of the trace are made safe to display") {
  TestTrace t;
  t.create(0, 1, no_task, "evil\x1b]0;\x07 \xe2\x80\xae\xff", "ki\x1bnd");
  t.event(100, EventKind::ShouldResolve, 1);
  Viewer viewer = showing(std::move(t.trace));
  const auto safe = [](std::string_view text) {
    return text.find('\x1b') == std::string_view::npos &&
           text.find("\xe2\x80\xae") == std::string_view::npos &&
           text.find('\xff') == std::string_view::npos;
  };
  select(viewer, 1);
  for (const PanelLine& line : viewer.panel().lines) CHECK(safe(line.value));
  CHECK(safe(viewer.panel().title));
  for (const std::string& kind : viewer.kinds()) CHECK(safe(kind));
  viewer.run(Command::AddBookmark);
  CHECK(safe(viewer.bookmarks()[0].text));
  viewer.run(Command::Escape);
  for (const PanelLine& line : viewer.panel().lines) CHECK(safe(line.value));
}
