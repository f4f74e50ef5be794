// Steps shared by the viewer's tests: open a trace, select, click, read the panel.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "view/viewer/test_trace.h"
#include "view/viewer/viewer.h"

namespace skein {

inline Viewer showing(Trace trace) {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(std::move(trace), "a trace");
  return viewer;
}
inline Viewer over_server() { return showing(server_trace()); }

inline TaskIndex index_of(const Viewer& viewer, TaskId id, size_t track = 0) {
  const TaskIndex found = viewer.model(track).find(id);
  REQUIRE(found != no_index);
  return found;
}
inline TaskId selected_id(const Viewer& viewer) {
  if (viewer.selected() == no_index) return no_task;
  return viewer.model(viewer.selected_track()).tasks[viewer.selected()].id;
}
inline void select(Viewer& viewer, TaskId id) { viewer.select(0, index_of(viewer, id)); }

// The value of the first line with this name; "-" if there is none.
inline std::string value(const Panel& panel, std::string_view name) {
  for (const PanelLine& line : panel.lines)
    if (line.name == name) return line.value;
  return "-";
}
inline uint32_t link(const Panel& panel, std::string_view name) {
  for (const PanelLine& line : panel.lines)
    if (line.name == name) return line.link;
  return 0;
}

inline bool same(const Window& a, const Window& b) {
  return a.from == b.from && a.to == b.to && a.top == b.top && a.row_height == b.row_height;
}
inline double per_pixel(const Viewer& viewer) {
  return (viewer.window().to - viewer.window().from) / static_cast<double>(viewer.window().width);
}
inline double time_at(const Viewer& viewer, double x) {
  return viewer.window().from + x * per_pixel(viewer);
}
inline float x_of(const Viewer& viewer, double time) {
  return static_cast<float>((time - viewer.window().from) / per_pixel(viewer));
}

inline size_t count(const DrawList& list, Ink ink) {
  return static_cast<size_t>(std::count_if(list.primitives.begin(), list.primitives.end(),
                                           [&](const Primitive& p) { return p.ink == ink; }));
}

// A point on the bar of a task, found by hit tests.
struct Point {
  float x = 0;
  float y = 0;
};
inline Point on_bar(Viewer& viewer, double time, std::string_view named) {
  const float x = x_of(viewer, time);
  for (float y = 0; y < viewer.window().height; y += 1) {
    viewer.pointer_move(x, y);
    if (viewer.tooltip().starts_with(named)) return {x, y + 1};
  }
  FAIL("no bar of " << named);
  return {};
}

inline void click(Viewer& viewer, float x, float y) {
  viewer.pointer_down(x, y, {});
  viewer.pointer_up(x, y);
}

// The events of server() from `forgotten` ns on, as in a ring that overwrote the others.
inline Trace ring(uint64_t forgotten, uint64_t overwritten_packets = 0) {
  TestTrace whole = server();
  Trace trace;
  trace.info = whole.trace.info;
  trace.info.start = 1'700'000'000'000'000'003 + forgotten;
  trace.info.overwritten_packets = overwritten_packets;
  trace.executors = whole.trace.executors;
  trace.kinds = whole.trace.kinds;
  for (StringId id = 1; id < whole.trace.strings.size(); id++)
    trace.strings.intern(whole.trace.strings[id]);
  for (size_t i = 0; i < whole.trace.events.size(); i++) {
    EventRow row = whole.trace.events.row(i);
    if (row.time < forgotten) continue;
    row.time -= forgotten;
    trace.events.append(row);
  }
  return trace;
}

}  // namespace skein
