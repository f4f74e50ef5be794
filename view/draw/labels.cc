#include "base/stable_sort.h"
#include "base/text.h"
#include "trace/model/names.h"
#include "view/draw/each_bar.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

constexpr size_t most_labels = 2'500;
constexpr double narrow = 14;      // a narrower bar yields to its neighbours' labels
constexpr double between = 5;      // pixels between two labels
constexpr double edge_margin = 3;  // at the left edge, where a bar began earlier

struct Candidate {
  double x = 0;
  double end = 0;  // of the bar
  TaskIndex task = no_index;
  StringId text = 0;    // 0: only the kind is shown
  bool strong = false;  // the bar is wide enough that its neighbours must not cover the label
  uint32_t collapsed = 0;
  bool is_extra_label = false;  // on a task that has its own candidate
};

// The name of a task: its label, the name it was created with, or its function.
StringId name_of(const Track& track, const Model::Task& task) {
  if (task.label) return task.label;
  if (task.name) return task.name;
  if (task.location < track.trace->locations.size())
    return track.trace->locations[task.location].function;
  return 0;
}

// The text of a candidate.
std::string shown_name(const Track& track, const Candidate& candidate) {
  if (candidate.is_extra_label) return safe_text(track.trace->strings[candidate.text]);
  return safe_text(task_name(*track.trace, track.model->tasks[candidate.task]));
}

std::vector<Candidate> candidates(const Frame& frame, size_t track, uint32_t row) {
  const Track& t = frame.tracks[track];
  std::vector<Candidate> all;
  each_bar(frame, track, row, [&](uint32_t position, double x, double end) {
    const TaskIndex index = t.rows->tasks[position];
    // In a crowd of bars thinner than pixels, only one per few pixels can have a label.
    if (end - x < 1 && !all.empty() && x - all.back().x < 4) return;
    if (frame.mark(track, index) == 2) return;
    const double shown = std::max(x, edge_margin);
    all.push_back({shown, end, index, name_of(t, t.model->tasks[index]), end - shown >= narrow,
                   frame.collapsed(track, index), false});
  });
  return all;
}

// Later labels of tasks, to be placed between the first ones; by row. Each is at its own time.
std::vector<std::vector<Candidate>> extra_labels(const Frame& frame, size_t track,
                                                 Frame::Range rows) {
  const Track& t = frame.tracks[track];
  std::vector<std::vector<Candidate>> by_row(rows.last - rows.first);
  const std::vector<Model::Label>& labels = t.model->labels;
  const auto before = [&](double time) {
    return std::partition_point(labels.begin(), labels.end(), [&](const Model::Label& label) {
      return static_cast<double>(label.time) + t.offset < time;
    });
  };
  const auto first = before(frame.window.from);
  const auto last = before(frame.window.to);
  // With 30 per pixel no extra label has room; then only the names of tasks are shown.
  if (static_cast<double>(last - first) > 30 * static_cast<double>(frame.window.width))
    return by_row;
  for (auto label = first; label != last; ++label) {
    if (label->task >= t.rows->row.size()) continue;
    const uint32_t row = t.rows->row[label->task];
    if (row == Rows::no_row || row < rows.first || row >= rows.last) continue;
    const Model::Task& task = t.model->tasks[label->task];
    if (label->text == task.label) continue;  // shown at the beginning of the task
    by_row[row - rows.first].push_back(
        {frame.x(t, label->time), frame.x(t, task.end), label->task, label->text, false, 0, true});
  }
  size_t most_spans = 2'000;
  for (const Model::Span& span : t.model->spans) {
    const double x = frame.x(t, span.start);
    if (x > frame.window.width || most_spans == 0) break;
    const double end = std::min(frame.x(t, span.end), frame.window.width + 0.0);
    if (span.task >= t.rows->row.size() || end - std::max(x, edge_margin) < narrow) continue;
    const uint32_t row = t.rows->row[span.task];
    if (row == Rows::no_row || row < rows.first || row >= rows.last) continue;
    by_row[row - rows.first].push_back(
        {std::max(x, edge_margin), end, span.task, span.name, false, 0, true});
    most_spans--;
  }
  return by_row;
}

// The kind of a task, with its id if it has no name.
std::string kind_of(const Frame& frame, size_t track, const Candidate& candidate) {
  const Track& t = frame.tracks[track];
  const Model::Task& task = t.model->tasks[candidate.task];
  std::string text = safe_text(
      candidate.text == 0 ? task_title(*t.trace, task) : kind_name(*t.trace, task.kind), 60);
  if (task.pre_existing)
    text += text.empty() ? "created before the trace" : ", created before the trace";
  return text;
}

Item item_of(size_t track, const Candidate& candidate) {
  return {Item::Kind::Task, static_cast<uint32_t>(track), candidate.task};
}

// Draws a text over a translucent background; lines behind a text make it hard to read.
void place(const Frame& frame, Painter& painter, double x, double baseline, const std::string& text,
           double width) {
  const double size = frame.label_size;
  painter.fill(Ink::Background, x - 1, baseline - 0.75 * size, width + 2, 0.75 * size + 1.5, 180);
  painter.text(Ink::Label, x, baseline, frame.label_size, text);
}

// Places labels from left to right. Each extends at most to the next strong label. Where rows are
// too low for kinds below the bars, the kinds follow the names if the bar is long enough.
void place_labels(const Frame& frame, size_t track, uint32_t row, Painter& painter,
                  const std::vector<Candidate>& all) {
  const Track& t = frame.tracks[track];
  const double baseline = frame.label_baseline(track, row);
  double free_from = -1e9;
  StringId last_text = 0;
  for (size_t i = 0; i < all.size() && !painter.full(); i++) {
    const Candidate& candidate = all[i];
    if (candidate.x < free_from) continue;
    painter.show(item_of(track, candidate));
    const bool unnamed = candidate.text == 0 && candidate.collapsed == 0;
    if (unnamed && (frame.has_kinds || candidate.is_extra_label || !candidate.strong)) continue;
    // Repeated texts (a loop that does one thing) are drawn once.
    if (candidate.text == last_text && !candidate.strong && !unnamed) continue;
    double end = frame.window.width - edge_margin;
    for (size_t next = i + 1; next < all.size(); next++)
      if (all[next].strong) {
        end = std::min(end, all[next].x - between);
        break;
      }
    // Kinds take only free room: above their own bar, up to the next label.
    const double next_x = i + 1 < all.size() ? all[i + 1].x - between : 1e9;
    const double kind_end = std::min({end, candidate.end, next_x});
    const std::string kind =
        frame.has_kinds || candidate.is_extra_label ? "" : kind_of(frame, track, candidate);
    const double kind_width = text_width(kind, frame.kind_size);
    if (unnamed) {
      if (kind_width > kind_end - candidate.x) continue;
      painter.text(Ink::Kind, candidate.x, baseline, frame.kind_size, kind);
      free_from = candidate.x + kind_width + between;
      continue;
    }
    std::string text = shown_name(t, candidate);
    if (candidate.collapsed != 0)
      text.insert(0, "\u25b8 +" + std::to_string(candidate.collapsed) + (text.empty() ? "" : " "));
    text = fit_text(text, frame.label_size, static_cast<float>(end - candidate.x));
    if (text.empty()) continue;
    const double width = text_width(text, frame.label_size);
    place(frame, painter, candidate.x, baseline, text, width);
    free_from = candidate.x + width + between;
    const double kind_x = free_from + width / 16;  // fonts differ
    if (!kind.empty() && kind_x + kind_width <= kind_end) {
      painter.text(Ink::Kind, kind_x, baseline, frame.kind_size, kind);
      free_from = kind_x + kind_width + between;
    }
    last_text = candidate.text;
  }
  painter.show_nothing();
}

void place_kinds(const Frame& frame, size_t track, uint32_t row, Painter& painter,
                 const std::vector<Candidate>& all) {
  const double baseline = frame.bar_y(track, row) + frame.bar_height + frame.kind_size - 1.5;
  std::string last;  // repeated texts are drawn once
  for (const Candidate& candidate : all) {
    if (painter.full()) break;
    const std::string text = kind_of(frame, track, candidate);
    if (text == last) continue;
    const double room = std::min<double>(candidate.end, frame.window.width) - candidate.x;
    const double width = text_width(text, frame.kind_size);
    if (text.empty() || width > room) continue;
    painter.show(item_of(track, candidate));
    painter.fill(Ink::Background, candidate.x - 1, baseline - 0.75 * frame.kind_size, width + 2,
                 0.75 * frame.kind_size + 1.5, 140);
    painter.text(Ink::Kind, candidate.x, baseline, frame.kind_size, text);
    last = text;
  }
  painter.show_nothing();
}

// The names of what ran on a thread, above the stretches that are wide enough, as far as the next
// such stretch. They give way to the name of the lane and to other texts of the list from `first`
// on.
class LaneLabels {
 public:
  LaneLabels(const Frame& frame, size_t track, uint32_t row, Painter& painter, size_t first)
      : frame_(frame),
        track_(track),
        row_(row),
        painter_(painter),
        baseline_(frame.label_baseline(track, row)) {
    const DrawList& list = painter.list();
    for (size_t i = first; i < list.primitives.size(); i++) {
      const Primitive& p = list.primitives[i];
      if (p.shape == Shape::Text && p.y - p.size < baseline_ + 2 &&
          baseline_ - frame.label_size < p.y + 3)
        taken_.push_back({p.x, p.x + text_width(list.text(p), p.size)});
    }
  }

  void place_all() {
    const Track& track = frame_.tracks[track_];
    const double right = frame_.window.width - edge_margin;
    Stretch last;
    each_activation(frame_, track_, row_, [&](uint32_t position, double x, double end) {
      x = std::max(x, edge_margin);
      if (std::min(end, right) - x < narrow) return;
      place_one(last, x - between);
      last = {x, std::min(end, right),
              track.model->activations[track.rows->activations[position]].task};
    });
    place_one(last, right);
  }

 private:
  struct Range {
    double x, end;
  };
  struct Stretch {
    double x = 0;
    double end = 0;
    TaskIndex task = no_index;
  };

  void place_one(const Stretch& stretch, double limit) {
    const Track& track = frame_.tracks[track_];
    if (stretch.task >= track.model->tasks.size()) return;  // or there was none
    if (painter_.full() || frame_.mark(track_, stretch.task) == 2) return;
    Range room{stretch.x, std::max(stretch.end, limit)};
    for (const Range& other : taken_) {
      if (other.end + between <= room.x || other.x - between >= room.end) continue;
      if (other.x - room.x > room.end - other.end)  // the longer part
        room.end = other.x - between;
      else
        room.x = other.end + between;
    }
    if (room.x > stretch.end - narrow) return;
    std::string name = task_name(*track.trace, track.model->tasks[stretch.task]);
    if (name.empty()) name = task_title(*track.trace, track.model->tasks[stretch.task]);
    const std::string text =
        fit_text(safe_text(name), frame_.label_size, static_cast<float>(room.end - room.x));
    if (text.empty()) return;
    painter_.show({Item::Kind::Task, static_cast<uint32_t>(track_), stretch.task});
    place(frame_, painter_, room.x, baseline_, text, text_width(text, frame_.label_size));
    painter_.show_nothing();
  }

  const Frame& frame_;
  size_t track_;
  uint32_t row_;
  Painter& painter_;
  double baseline_;
  std::vector<Range> taken_;  // by other texts of this line
};

// Names in rows that are too low for them: placed above a bar, where the rows above have no bars
// and no text. Long bars first.
class SparseLabels {
 public:
  // `first`: the texts of the list from this index on are obstacles; other layers drew them.
  SparseLabels(const Frame& frame, Painter& painter, size_t first)
      : frame_(frame), painter_(painter) {
    const DrawList& list = painter.list();
    boxes_.resize(static_cast<size_t>(frame.window.height / line) + 2);
    for (size_t i = first; i < list.primitives.size(); i++) {
      const Primitive& p = list.primitives[i];
      if (p.shape == Shape::Text)
        occupy({p.x, p.x + text_width(list.text(p), p.size), p.y - p.size, p.y + 3.0});
    }
  }

  void place_all() {
    struct Named {  // small: there may be one per task
      double room, x, end;
      uint32_t track, row, position;
    };
    std::vector<Named> named;
    for (uint32_t track = 0; track < frame_.tracks.size(); track++) {
      const Rows& rows = *frame_.tracks[track].rows;
      const bool marked = frame_.marked(track);
      const Frame::Range range = frame_.visible_rows(track);
      for (uint32_t row = range.first; row < range.last; row++) {
        if (frame_.folded(track, row)) continue;
        double before = -1e9;
        each_bar(frame_, track, row, [&](uint32_t position, double x, double end) {
          // Of bars thinner than pixels, only some can have a name.
          if (rows.bar_styles[position] == Rows::BarStyle::Unnamed ||
              (end - x < 1 && x - before < 4))
            return;
          const uint8_t mark = marked ? frame_.mark(track, rows.tasks[position]) : 0;
          if (mark == 2) return;
          before = std::max(x, edge_margin);
          const double room = std::min(end, frame_.window.width + 0.0) - before;
          named.push_back({mark == 1 ? 1e9 : room, before, end, track, row, position});
        });
      }
    }
    // Equal lengths: the upper, then the earlier. The order is the same on every machine.
    const auto longer = [](const Named& a, const Named& b) {
      if (a.room != b.room) return a.room > b.room;
      return a.track != b.track ? a.track < b.track : a.position < b.position;
    };
    if (named.size() > most_tried) {
      std::nth_element(named.begin(), named.begin() + most_tried, named.end(), longer);
      named.resize(most_tried);
    }
    stable_sort(named, longer);
    for (const Named& n : named) {
      if (painter_.full()) return;
      const Track& track = frame_.tracks[n.track];
      const TaskIndex task = track.rows->tasks[n.position];
      const StringId name = name_of(track, track.model->tasks[task]);
      if (name != 0) try_one(n.track, n.row, {n.x, n.end, task, name});
    }
  }

 private:
  static constexpr size_t most_tried = 1'000;
  static constexpr double least = 30;  // pixels, of a shortened name
  static constexpr double line = 16;   // height of the lines that index the boxes
  struct Box {
    double x, end, top, bottom;
  };

  // The free room from an x on.
  struct Room {
    double end = 1e9;
    double after = 1e9;  // where the obstacle ends

    void limit(double begin, double obstacle_end) {
      if (begin < end) *this = {begin, obstacle_end};
    }
  };

  // Uses the first position along the bar that has room for the whole name, or else for part of it.
  void try_one(uint32_t track, uint32_t row, const Candidate& candidate) {
    const double baseline = frame_.bar_y(track, row) - 2;
    const double top = baseline - frame_.label_size + 2;
    if (top < frame_.areas.rows || baseline + 2 > frame_.areas.counters) return;
    const std::string all = shown_name(frame_.tracks[track], candidate);
    const double whole = text_width(all, frame_.label_size);
    const double last = std::min(candidate.end, frame_.window.width - edge_margin) - whole;
    double best_x = candidate.x;
    double best = 0;
    double x = candidate.x;
    for (int tries = 0; best < whole && tries < 6; tries++) {
      const Room room =
          room_at(track, row, {x, frame_.window.width - edge_margin, top, baseline + 2});
      const double free = std::min(room.end - x, whole);
      if (free > best + 1) {
        best = free;
        best_x = x;
      }
      x = room.after + between;
      if (x > last) break;
    }
    const std::string text = fit_text(all, frame_.label_size, static_cast<float>(best + 0.01));
    if (text.empty() || (best < whole && best < least)) return;
    const double width = text_width(text, frame_.label_size);
    painter_.show(item_of(track, candidate));
    place(frame_, painter_, best_x, baseline, text, width);
    painter_.show_nothing();
    occupy({best_x, best_x + width + between, top, baseline + 2});
  }

  Room room_at(uint32_t track, uint32_t row, const Box& box) const {
    Room room;
    room.limit(box.end, 1e9);
    for (size_t i = line_at(box.top); i <= line_at(box.bottom); i++)
      for (const Box& other : boxes_[i])
        if (other.top < box.bottom && box.top < other.bottom && other.end > box.x)
          room.limit(other.x - between, other.end);
    for (uint32_t above = row;;) {
      do {
        // Above is the axis, which try_one() keeps free, or a title and another trace.
        if (above == 0) return track == 0 && frame_.tracks.size() == 1 ? room : Room{box.x, 1e9};
        above--;
      } while (frame_.folded(track, above));
      if (frame_.bar_y(track, above) + frame_.bar_height <= box.top) return room;
      const Track& t = frame_.tracks[track];
      const detail::TimeScale scale(frame_, t);
      const Rows::Times* const all = t.rows->task_times.data();
      const Rows::Times* const end = all + t.rows->begin[above + 1];
      const Rows::Times* const at = std::partition_point(
          all + t.rows->begin[above], end,
          [&](const Rows::Times& bar) { return scale.end_x(bar.end) + 1 < box.x; });
      if (at != end) room.limit(scale.x(at->start) - between, scale.end_x(at->end));
    }
  }

  size_t line_at(double y) const {
    return static_cast<size_t>(std::clamp(y / line, 0.0, static_cast<double>(boxes_.size() - 1)));
  }

  void occupy(const Box& box) {
    for (size_t i = line_at(box.top); i <= line_at(box.bottom); i++) boxes_[i].push_back(box);
  }

  const Frame& frame_;
  Painter& painter_;
  std::vector<std::vector<Box>> boxes_;
};

}  // namespace

void draw_labels(const Frame& frame, Painter& painter, size_t first_text) {
  painter.allow(2 * most_labels);
  if (!frame.has_labels) {
    if (frame.row_height >= 4) SparseLabels(frame, painter, first_text).place_all();
    return;
  }
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Frame::Range rows = frame.visible_rows(track);
    if (rows.empty()) continue;
    std::vector<std::vector<Candidate>> later = extra_labels(frame, track, rows);
    for (uint32_t row = rows.first; row < rows.last; row++) {
      if (frame.folded(track, row)) continue;
      // A text cut off by the axis or the counters is not drawn.
      const double top = frame.y(track, row);
      if (top < frame.areas.rows - 2 ||
          top + frame.bar_top + frame.bar_height > frame.areas.counters)
        continue;
      if (frame.tracks[track].rows->is_lane(row)) {
        LaneLabels(frame, track, row, painter, first_text).place_all();
        continue;
      }
      std::vector<Candidate> all = candidates(frame, track, row);
      if (frame.has_kinds && top + frame.row_height <= frame.areas.counters + 2)
        place_kinds(frame, track, row, painter, all);
      std::vector<Candidate>& remarked = later[row - rows.first];
      all.insert(all.end(), remarked.begin(), remarked.end());
      stable_sort(all, [](const Candidate& a, const Candidate& b) { return a.x < b.x; });
      place_labels(frame, track, row, painter, all);
    }
  }
}

}  // namespace skein
