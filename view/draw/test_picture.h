// A model made by hand and its picture, for tests of the drawing code.
#pragma once

#include <random>
#include <set>
#include <string>
#include <vector>

#include "view/draw/areas.h"
#include "view/draw/hit.h"
#include "view/draw/scene.h"
#include "view/draw/text.h"

namespace skein {

// The model of a trace, made by hand.
struct Drawn {
  Trace trace;
  Model model;
  Rows rows;
  std::vector<StuckTask> stuck;
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
    rows.set_findings(model, stuck, {});
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

  Item hit_at(float x, float y) {
    const Track one = track();
    return hit(std::span(&one, 1), window, marks, x, y);
  }
};

inline std::vector<Primitive> all(const DrawList& list, Shape shape, Ink ink) {
  std::vector<Primitive> found;
  for (const Primitive& primitive : list.primitives)
    if (primitive.shape == shape && primitive.ink == ink) found.push_back(primitive);
  return found;
}

inline std::set<std::string> texts(const DrawList& list) {
  std::set<std::string> found;
  for (const Primitive& primitive : list.primitives)
    if (primitive.shape == Shape::Text) found.insert(std::string(list.text(primitive)));
  return found;
}

// The number of texts that overlap, except panels, which may cover others.
inline size_t overlapping_texts(const DrawList& list) {
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

// Thousands of tasks, at most `alive` live at a time, with arrows of all kinds, labels, counters
// and sleeps.
inline Drawn crowd(uint32_t tasks, uint32_t alive, uint64_t step) {
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

}  // namespace skein
