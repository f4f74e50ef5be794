// Appends primitives to a list, up to its limit.
#pragma once

#include <string_view>

#include "view/draw/draw_list.h"

namespace skein {

inline constexpr size_t most_primitives = 50'000;

class Painter {
 public:
  explicit Painter(DrawList& list) : list_(list) {}

  DrawList& list() { return list_; }
  size_t size() const { return list_.primitives.size(); }

  // Accepts at most `more` further primitives and drops the rest, so that later layers get their
  // share.
  void allow(size_t more) { limit_ = std::min(most_primitives, size() + more); }
  bool full() const { return size() >= limit_; }

  // Sets the item of the following primitives, until the next call.
  void show(const Item& item) { item_ = item; }
  void show_nothing() { item_ = {}; }

  // Anything beyond the edges of the picture is dropped.
  void fill(Ink ink, double x, double y, double w, double h, uint8_t alpha = 255,
            uint32_t title = 0);
  void line(Ink ink, double x, double y, double to_x, double to_y, uint8_t alpha = 255);
  void arrow(Ink ink, double x, double y, double to_x, double to_y, uint8_t alpha = 255);
  // `text` must be safe.
  void text(Ink ink, double x, double baseline, uint8_t size, std::string_view text,
            double within = 0);

  // Adds a text for use as a title.
  uint32_t title(std::string_view text);

 private:
  void add(Shape shape, Ink ink, double x, double y, double w, double h, uint8_t alpha,
           uint8_t size, uint32_t text);

  DrawList& list_;
  size_t limit_ = most_primitives;
  Item item_;
};

}  // namespace skein
