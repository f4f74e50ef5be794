#include "view/draw/arrows.h"

#include <array>

#include "base/stable_sort.h"
#include "view/draw/each_bar.h"

namespace skein {

namespace {

constexpr size_t most_creations = 3'500;
constexpr size_t most_arrows = 7'000;
constexpr size_t most_slanted = 1'500;
constexpr double along_from = 2;  // pixels: a narrower arrow is vertical
constexpr double farthest = 3;    // windows: a wider arrow has faded away

// Vertical lines of one track, grouped by pixel column. Where there are many, they are merged into
// a few longer ones that count how many they stand for. A gap between two lines is closed only if a
// pixel has too many to distinguish; the smallest gap is closed first.
class Columns {
 public:
  // `index`: the index of the interaction, if the line is one.
  void add(const Frame& frame, double x, double y, double to_y, uint32_t count, uint8_t alpha,
           uint32_t index = no_index) {
    if (heads_.empty()) heads_.resize(static_cast<size_t>(frame.window.width) + 1);
    if (!(x >= 0) || x >= static_cast<double>(heads_.size())) return;
    Head& head = heads_[static_cast<size_t>(x)];
    const Span added{static_cast<float>(x),
                     static_cast<float>(y),
                     static_cast<float>(to_y),
                     head.first,
                     index,
                     bounded(count),
                     alpha};
    Span* nearest = nullptr;
    float smallest = 1e9f;
    for (uint32_t i = head.first; i != 0; i = spans_[i].next) {
      const float gap = spans_[i].gap_to(added);
      if (gap >= smallest) continue;
      smallest = gap;
      nearest = &spans_[i];
      if (gap <= 0) break;
    }
    if (nearest && (smallest <= 0 || head.count == most_in_one)) {
      nearest->merge(added);
      return;
    }
    head.first = static_cast<uint32_t>(spans_.size());
    head.count++;
    spans_.push_back(added);
  }

  // Draws heads only where there is room for them.
  void paint(Painter& painter, Ink ink, bool heads, uint32_t track) const {
    size_t beside = 0;  // number of columns with lines, up to `reach` away
    const auto used = [&](size_t c) -> size_t { return heads_[c].count != 0; };
    for (size_t c = 0; c < std::min(reach, heads_.size()); c++) beside += used(c);
    for (size_t c = 0; c < heads_.size(); c++) {
      if (c + reach < heads_.size()) beside += used(c + reach);
      if (c > reach) beside -= used(c - reach - 1);
      // The more columns, the fainter each: together they must not bury the bars.
      const double crowd = static_cast<double>(beside - used(c)) / (2 * reach);
      const double strength = 0.9 / (1 + 3.5 * crowd + 2.5 * crowd * crowd * crowd * crowd);
      for (uint32_t i = heads_[c].first; i != 0; i = spans_[i].next) {
        const Span& span = spans_[i];
        const double more = span.count >= 64 ? 1.5 : span.count >= 8 ? 1.2 : 1;
        const auto alpha =
            static_cast<uint8_t>(std::min(255.0, span.alpha * strength * more) / 8) * 8;
        const float height = span.bottom() - span.top();
        const bool alone = span.count == 1 && span.index != no_index;
        painter.show(alone ? Item{Item::Kind::Interaction, track, span.index} : Item{});
        if (heads && span.count == 1 && height >= 7 && crowd < 0.5)
          painter.arrow(ink, span.x, span.y, span.x, span.to_y, static_cast<uint8_t>(alpha));
        else
          painter.fill(ink, span.count == 1 ? span.x : static_cast<float>(c), span.top(), 1,
                       std::max(height, 1.0f), static_cast<uint8_t>(alpha));
      }
    }
    painter.show_nothing();
  }

 private:
  static constexpr size_t reach = 8;  // columns on each side
  static constexpr uint32_t most_in_one = 12;
  static uint16_t bounded(uint32_t count) {
    return static_cast<uint16_t>(std::min<uint32_t>(count, UINT16_MAX));
  }
  struct Span {
    float x = 0;
    float y = 0;
    float to_y = 0;
    uint32_t next = 0;  // next in the same pixel; 0: none
    uint32_t index = no_index;
    uint16_t count = 0;  // or more
    uint8_t alpha = 0;

    float top() const { return std::min(y, to_y); }
    float bottom() const { return std::max(y, to_y); }
    float gap_to(const Span& other) const {
      return std::max(other.top() - bottom(), top() - other.bottom());
    }
    void merge(const Span& other) {
      const float above = std::min(top(), other.top());
      to_y = std::max(bottom(), other.bottom());
      y = above;
      count = bounded(uint32_t{count} + other.count);
      alpha = std::max(alpha, other.alpha);
    }
  };
  static_assert(sizeof(Span) == 24);  // there may be one for each visible arrow
  struct Head {
    uint32_t first = 0;  // the newest; 0: none
    uint32_t count = 0;
  };
  std::vector<Head> heads_;
  std::vector<Span> spans_ = std::vector<Span>(1);  // index 0 is not used
};

// The horizontal part of an arrow, along a row. Where several overlap, one is drawn.
struct Along {
  Ink ink;
  uint8_t alpha;
  double y;
  double x;
  double to_x;
  Item item;
};

void paint_along(Painter& painter, std::vector<Along>& all) {
  stable_sort(all, [](const Along& a, const Along& b) {
    if (a.y != b.y) return a.y < b.y;
    if (a.ink != b.ink) return a.ink < b.ink;
    if (a.x != b.x) return a.x < b.x;
    return a.to_x < b.to_x;
  });
  for (size_t i = 0; i < all.size();) {
    Along merged = all[i];
    for (i++; i < all.size() && all[i].y == merged.y && all[i].ink == merged.ink &&
              all[i].x <= merged.to_x + 1;
         i++) {
      merged.to_x = std::max(merged.to_x, all[i].to_x);
      merged.alpha = std::max(merged.alpha, all[i].alpha);
      merged.item = {};
    }
    painter.show(merged.item);
    painter.fill(merged.ink, merged.x, merged.y - 0.5, merged.to_x - merged.x, 1, merged.alpha);
  }
  painter.show_nothing();
}

struct Slanted {
  ArrowPath path;
  Ink ink;
  Item item;
};

// The more arrows, the fainter each.
void paint_slanted(Painter& painter, const std::vector<Slanted>& all) {
  std::vector<double> widths;
  for (const Slanted& slanted : all) widths.push_back(slanted.path.to_x - slanted.path.x);
  const double widest = widest_slanted(widths);
  const double strength = 0.8 / (1 + static_cast<double>(std::min(all.size(), most_slanted)) / 500);
  painter.allow(most_slanted);
  for (const auto& [path, ink, item] : all) {
    if (path.to_x - path.x >= widest) continue;
    painter.show(item);
    painter.arrow(ink, path.x, path.y, path.to_x, path.to_y,
                  static_cast<uint8_t>(path.alpha * strength));
  }
  painter.show_nothing();
}

// Returns whether another bar begins in the row of an arrow's source before the arrow ends.
bool is_blocked(const Track& track, uint32_t row, const Model::Interaction& arrow) {
  const Rows& rows = *track.rows;
  const auto first = rows.task_times.begin();
  const auto last = first + rows.begin[row + 1];
  const auto units = [&](uint64_t time) {
    return std::min(time >> rows.time_shift, uint64_t{UINT32_MAX});
  };
  const uint64_t from = units(arrow.from_time);
  const uint64_t to = units(arrow.to_time);
  // Times are rounded outwards: a bar that ends at or before `from` is the source or an earlier
  // bar.
  auto at = std::partition_point(first + rows.begin[row], last,
                                 [&](const Rows::Times& t) { return t.end <= from; });
  for (; at != last && at->start < to; ++at)
    if (rows.tasks[static_cast<size_t>(at - first)] != arrow.from) return true;
  return false;
}

}  // namespace

Ink ink_of(Model::Link link) {
  switch (link) {
    case Model::Link::Read:
      return Ink::Read;
    case Model::Link::ReadFailure:
      return Ink::ReadFailure;
    case Model::Link::Resolve:
      return Ink::Resolve;
    case Model::Link::Notify:
      return Ink::Notify;
    case Model::Link::Await:
      return Ink::Await;
    case Model::Link::Message:
      return Ink::Message;
  }
  return Ink::Read;
}

bool find_path(const Frame& frame, size_t track_index, const Model::Interaction& arrow,
               ArrowPath& path) {
  const Track& track = frame.tracks[track_index];
  const std::vector<uint32_t>& row = track.rows->row;
  if (arrow.from >= row.size() || arrow.to >= row.size()) return false;
  const uint32_t from = row[arrow.from];
  const uint32_t to = row[arrow.to];
  if (from == Rows::no_row || to == Rows::no_row) return false;
  path.x = frame.x(track, arrow.from_time);
  path.to_x = frame.x(track, arrow.to_time);
  const double width = frame.window.width;
  if (std::max(path.x, path.to_x) < 0 || std::min(path.x, path.to_x) > width) return false;
  const double windows = std::max(0.0, path.to_x - path.x) / width;
  if (windows > farthest) return false;
  path.alpha = static_cast<uint8_t>(windows < 0.05 ? 255 : 200 / (1 + 2 * windows));
  path.y = frame.middle_y(track_index, from);
  path.to_y = frame.middle_y(track_index, to);
  if (std::max(path.y, path.to_y) < frame.areas.rows) return false;
  if (std::min(path.y, path.to_y) > frame.areas.counters) return false;
  path.slanted = from != to && path.to_x - path.x >= along_from && is_blocked(track, from, arrow);
  // The arrow ends at the edge of the target's bar. It begins at the edge of the source's bar if it
  // is vertical.
  if (from != to) {
    const double down = to > from ? 1 : -1;
    const double middle = frame.bar_height / 2;
    if (path.to_x - path.x < along_from && !frame.folded(track_index, from))
      path.y += down * middle;
    if (!frame.folded(track_index, to)) path.to_y -= down * middle;
  }
  return true;
}

void each_arrow(const Frame& frame, size_t track_index, const std::function<void(uint32_t)>& visit,
                const std::function<void(size_t, double)>& block) {
  const Track& track = frame.tracks[track_index];
  const std::vector<Model::Interaction>& arrows = track.model->interactions;
  const std::vector<Rows::ArrowBlock>& blocks = track.rows->arrow_blocks;
  const double span = frame.window.to - frame.window.from;
  const double first_time = frame.window.from - track.offset;
  const double last_time = frame.window.to - track.offset;
  const auto first =
      std::partition_point(arrows.begin(), arrows.end(), [&](const Model::Interaction& arrow) {
        return static_cast<double>(arrow.to_time) < first_time;
      });
  constexpr size_t per_block = Rows::arrows_per_block;
  for (size_t b = static_cast<size_t>(first - arrows.begin()) / per_block; b < blocks.size(); b++) {
    const size_t begin = b * per_block;
    const size_t end = std::min(begin + per_block, arrows.size());
    if (static_cast<double>(arrows[begin].to_time) > last_time + farthest * span) break;
    if (static_cast<double>(blocks[b].earliest) > last_time) continue;
    const double x = frame.x(track, arrows[begin].to_time);
    if (end - begin == per_block && frame.x(track, arrows[end - 1].to_time) - x < 1) {
      block(b, x);
      continue;
    }
    for (size_t i = begin; i < end; i++) visit(static_cast<uint32_t>(i));
  }
}

double widest_slanted(std::vector<double>& widths) {
  if (widths.size() <= most_slanted) return 1e300;
  const auto middle = widths.begin() + most_slanted;
  std::nth_element(widths.begin(), middle, widths.end());
  return *middle;
}

void draw_arrows(const Frame& frame, Painter& painter) {
  constexpr size_t links = 6;
  // Rarer links are drawn later, on top.
  constexpr Model::Link order[] = {Model::Link::Await,   Model::Link::Read,
                                   Model::Link::Resolve, Model::Link::Notify,
                                   Model::Link::Message, Model::Link::ReadFailure};
  std::vector<std::array<Columns, links>> columns(frame.tracks.size());
  std::vector<Along> along;
  std::vector<Slanted> slanted;
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Track& t = frame.tracks[track];
    const auto visit = [&](uint32_t index) {
      const Model::Interaction& arrow = t.model->interactions[index];
      ArrowPath path;
      if (!find_path(frame, track, arrow, path)) return;
      if (frame.mark(track, arrow.from) == 2 || frame.mark(track, arrow.to) == 2)
        path.alpha = std::min<uint8_t>(path.alpha, 60);
      const Item item = {Item::Kind::Interaction, static_cast<uint32_t>(track), index};
      if (path.slanted) {
        slanted.push_back({path, ink_of(arrow.link), item});
        return;
      }
      if (path.to_x - path.x >= along_from)
        along.push_back({ink_of(arrow.link), static_cast<uint8_t>(path.alpha * 5 / 8), path.y,
                         path.x, path.to_x, item});
      if (path.y != path.to_y)
        columns[track][static_cast<size_t>(arrow.link)].add(frame, path.to_x, path.y, path.to_y, 1,
                                                            path.alpha, index);
    };
    const auto block = [&](size_t b, double x) {
      for (size_t link = 0; link < links; link++) {
        const Rows::ArrowBlock::Kind& kind = t.rows->arrow_blocks[b].kinds[link];
        if (kind.count == 0 || kind.first_row == kind.last_row) continue;
        const double y = frame.middle_y(track, kind.first_row);
        const double to_y = frame.middle_y(track, kind.last_row);
        if (to_y < frame.areas.rows || y > frame.areas.counters) continue;
        columns[track][link].add(frame, x, y, to_y, kind.count, 160);
      }
    };
    each_arrow(frame, track, visit, block);
  }
  painter.allow(most_arrows);
  paint_along(painter, along);
  paint_slanted(painter, slanted);
  painter.allow(most_arrows);
  for (const Model::Link link : order)
    for (uint32_t track = 0; track < columns.size(); track++)
      columns[track][static_cast<size_t>(link)].paint(painter, ink_of(link), frame.row_height >= 6,
                                                      track);
}

void draw_creations(const Frame& frame, Painter& painter) {
  if (frame.row_height < 4) return;
  std::vector<Columns> all(frame.tracks.size());
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Track& t = frame.tracks[track];
    const Rows& rows = *t.rows;
    Columns& columns = all[track];
    const Frame::Range range = frame.visible_rows(track);
    for (uint32_t row = range.first; row < range.last; row++) {
      if (frame.folded(track, row)) continue;
      const double y = frame.middle_y(track, row);
      int64_t before = INT64_MIN;  // one line per pixel and row is enough
      each_bar(frame, track, row, [&](uint32_t position, double x, double end) {
        const uint32_t parent_row = rows.parent_rows[position];
        if (parent_row == Rows::no_row) return;
        const auto pixel = static_cast<int64_t>(std::max(x, -1.0));
        if (end - x < 1 && pixel == before) return;
        before = pixel;
        columns.add(frame, x, frame.middle_y(track, parent_row), y, 1, 255);
      });
      const auto task_of = [&](uint32_t position) -> const Model::Task& {
        return t.model->tasks[rows.tasks[position]];
      };
      const auto last = std::lower_bound(rows.moves.begin(), rows.moves.end(), rows.begin[row + 1]);
      auto move = std::lower_bound(rows.moves.begin(), last, rows.begin[row]);
      move = std::partition_point(
          move, last, [&](uint32_t position) { return frame.x(t, task_of(position).end) < 0; });
      for (; move != last; ++move) {
        const Model::Task& task = task_of(*move);
        const double x = frame.x(t, task.end);
        if (x > frame.window.width) break;
        columns.add(frame, x, y, frame.middle_y(track, rows.row[task.becomes]), 1, 255);
      }
    }
  }
  painter.allow(most_creations);
  for (const Columns& columns : all) columns.paint(painter, Ink::Creation, false, 0);
}

}  // namespace skein
