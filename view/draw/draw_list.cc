#include "view/draw/draw_list.h"

#include <algorithm>
#include <array>

namespace skein {

namespace {

constexpr std::array<std::string_view, inks - hues> ink_names = {
    "background", "sleep",    "pause",    "grid",       "axis",     "band",
    "bar",        "unnamed",  "failed",   "running",    "creation", "highlight",
    "selection",  "read",     "failure",  "resolve",    "notify",   "await",
    "message",    "unheard",  "label",    "kind",       "counter0", "counter1",
    "counter2",   "counter3", "counter4", "counter5",   "counter6", "counter7",
    "bookmark",   "measure",  "panel",    "panel-text", "span",     "path"};
static_assert(!ink_names.back().empty());

constexpr std::array<std::string_view, 4> shape_names = {"fill", "line", "arrow", "text"};

// With at most two decimals.
void append_number(std::string& out, float number) {
  auto hundredths =
      static_cast<int64_t>(static_cast<double>(number) * 100 + (number < 0 ? -0.5 : 0.5));
  if (hundredths < 0) {
    out += '-';
    hundredths = -hundredths;
  }
  out += std::to_string(hundredths / 100);
  if (hundredths % 100 == 0) return;
  out += '.';
  out += static_cast<char>('0' + hundredths / 10 % 10);
  if (hundredths % 10 != 0) out += static_cast<char>('0' + hundredths % 10);
}

}  // namespace

void append(DrawList& list, const DrawList& above) {
  const auto before = static_cast<uint32_t>(list.texts.size() - 1);  // they share the empty text
  list.texts.append(above.texts, 1);
  for (Primitive primitive : above.primitives) {
    if (primitive.text != 0) primitive.text += before;
    list.primitives.push_back(primitive);
  }
}

Ink hue_of(std::string_view name) {
  uint32_t hash = 0x811c9dc5;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x01000193;
  return static_cast<Ink>(static_cast<size_t>(Ink::Hue0) + (hash ^ hash >> 16) % hues);
}

Item item_at(const DrawList& list, float x, float y, float reach) {
  for (auto p = list.primitives.rbegin(); p != list.primitives.rend(); ++p) {
    if (p->item.kind == Item::Kind::Nothing || p->shape == Shape::Text) continue;
    const float left = std::min(p->x, p->x + p->w);
    const float right = std::max(p->x, p->x + p->w);
    const float top = std::min(p->y, p->y + p->h);
    const float bottom = std::max(p->y, p->y + p->h);
    const float near = p->item.kind == Item::Kind::Interaction ? reach : 0;
    if (x < left - near || x >= right + near || y < top - near || y >= bottom + near) continue;
    if (p->shape != Shape::Fill) {
      const float across = (x - p->x) * p->h - (y - p->y) * p->w;  // twice the triangle's area
      if (across * across > reach * reach * (p->w * p->w + p->h * p->h)) continue;
    }
    return p->item;
  }
  return {};
}

std::string to_text(const DrawList& list) {
  std::string out;
  for (const Primitive& primitive : list.primitives) {
    out += shape_names[static_cast<size_t>(primitive.shape)];
    const auto pair = [&](char before, float a, char between, float b) {
      out += before;
      append_number(out, a);
      out += between;
      append_number(out, b);
    };
    pair(' ', primitive.x, ' ', primitive.y);
    switch (primitive.shape) {
      case Shape::Fill:
        pair(' ', primitive.w, 'x', primitive.h);
        break;
      case Shape::Line:
      case Shape::Arrow:
        out += " to";
        pair(' ', primitive.x + primitive.w, ' ', primitive.y + primitive.h);
        break;
      case Shape::Text:
        if (primitive.w > 0) {
          out += " within ";
          append_number(out, primitive.w);
        }
        break;
    }
    out += ' ';
    if (const auto ink = static_cast<size_t>(primitive.ink); ink < ink_names.size())
      out += ink_names[ink];
    else
      (out += "hue") += std::to_string(ink - ink_names.size());
    if (primitive.alpha != 255) (out += " alpha ") += std::to_string(primitive.alpha);
    if (primitive.shape != Shape::Fill && primitive.size != 1)
      (out += " size ") += std::to_string(primitive.size);
    if (primitive.text != 0) ((out += " '") += list.text(primitive)) += '\'';
    out += '\n';
  }
  return out;
}

}  // namespace skein
