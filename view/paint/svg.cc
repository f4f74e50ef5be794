// Writes shapes and texts as one SVG document. Every shape is a filled path with the class of its
// colour. Consecutive opaque shapes of one colour share a path, so that a picture of thousands of
// bars is tens of kilobytes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "view/draw/text.h"
#include "view/paint/geometry.h"
#include "view/paint/paint.h"

namespace skein {

namespace {

void append_integer(std::string& out, int64_t number) {
  std::array<char, 24> digits;
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// With at most two decimals.
void append_decimal(std::string& out, double number) {
  if (!std::isfinite(number)) number = 0;
  int64_t hundredths = std::llround(std::clamp(number, -1e9, 1e9) * 100);
  if (hundredths < 0) {
    out += '-';
    hundredths = -hundredths;
  }
  append_integer(out, hundredths / 100);
  if (hundredths % 100 == 0) return;
  out += '.';
  out += static_cast<char>('0' + hundredths / 10 % 10);
  if (hundredths % 10 != 0) out += static_cast<char>('0' + hundredths % 10);
}

// Escapes all markup, and replaces characters that XML forbids.
void append_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const size_t size = std::max<size_t>(point.size, 1);
    if (point.size == 0 || is_hidden(point.code))
      out += "\xef\xbf\xbd";
    else if (point.code == '<')
      out += "&lt;";
    else if (point.code == '>')
      out += "&gt;";
    else if (point.code == '&')
      out += "&amp;";
    else if (point.code == '"')
      out += "&quot;";
    else
      out += text.substr(0, size);
    text.remove_prefix(size);
  }
}

void append_colour(std::string& out, Colour colour) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += '#';
  for (const uint8_t part : {colour.red, colour.green, colour.blue}) {
    out += digits[part >> 4];
    out += digits[part & 15];
  }
}

class Writer {
 public:
  explicit Writer(const DrawList& list) : list_(list) {}

  std::string document(const Theme& theme, std::string_view title) {
    for (const Primitive& primitive : list_.primitives) add(primitive);
    end_path();
    std::string out = R"(<svg xmlns="http://www.w3.org/2000/svg")";
    attribute(out, "width", list_.width);
    attribute(out, "height", list_.height);
    out += R"( viewBox="0 0 )";
    append_decimal(out, list_.width);
    out += ' ';
    append_decimal(out, list_.height);
    out += "\" font-family=\"sans-serif\">\n<title>";
    append_text(out, safe_text(title));
    out += "</title>\n<style>\n";
    for (size_t i = 0; i < styles_.size(); i++) {
      out += ".s";
      append_integer(out, static_cast<int64_t>(i));
      out += "{fill:";
      append_colour(out, theme[styles_[i].ink]);
      if (styles_[i].alpha != 255) {
        out += ";fill-opacity:";
        append_decimal(out, styles_[i].alpha / 255.0);
      }
      if (styles_[i].font_size != 0) {
        out += ";font-size:";
        append_integer(out, styles_[i].font_size);
        out += "px";
      }
      out += "}\n";
    }
    out += "text{pointer-events:none}\n</style>\n";  // the title belongs to the shape below
    out += body_;
    out += "</svg>\n";
    return out;
  }

 private:
  struct Style {
    Ink ink;
    uint8_t alpha;
    uint8_t font_size;  // 0: a style of shapes
    bool operator==(const Style&) const = default;
  };

  static void attribute(std::string& out, std::string_view name, double value) {
    ((out += ' ') += name) += "=\"";
    append_decimal(out, value);
    out += '"';
  }

  size_t find_style(const Style& style) {
    const auto at = std::find(styles_.begin(), styles_.end(), style);
    if (at != styles_.end()) return static_cast<size_t>(at - styles_.begin());
    styles_.push_back(style);
    return styles_.size() - 1;
  }

  void begin(std::string_view element, size_t style) {
    ((body_ += '<') += element) += " class=\"s";
    append_integer(body_, static_cast<int64_t>(style));
    body_ += '"';
  }

  void add(const Primitive& p) {
    if (p.shape == Shape::Text) {
      add_text(p);
      return;
    }
    const size_t style = find_style({p.ink, p.alpha, 0});
    const bool alone = p.alpha != 255 || p.text != 0;
    if (alone || !in_path_ || style != path_style_) {
      end_path();
      begin("path", style);
      body_ += " d=\"";
      in_path_ = true;
      path_style_ = style;
    }
    if (p.shape == Shape::Fill)
      add_rectangle(p.x, p.y, p.w, p.h);
    else if (const std::optional<Stroke> stroke = find_stroke(p, 1))
      add_stroke(*stroke);
    if (!alone) return;
    body_ += '"';
    if (p.text != 0) {
      body_ += "><title>";
      append_text(body_, list_.text(p));
      body_ += "</title></path>\n";
    } else {
      body_ += "/>\n";
    }
    in_path_ = false;
  }

  void add_text(const Primitive& p) {
    const std::string_view whole = list_.text(p);
    const std::string text = p.w > 0 ? fit_text(whole, p.size, p.w) : std::string(whole);
    if (text.empty()) return;
    end_path();
    begin("text", find_style({p.ink, p.alpha, p.size}));
    attribute(body_, "x", p.x);
    attribute(body_, "y", p.y);
    body_ += '>';
    append_text(body_, text);
    body_ += "</text>\n";
  }

  void end_path() {
    if (in_path_) body_ += "\"/>\n";
    in_path_ = false;
  }

  void add_rectangle(double x, double y, double w, double h) {
    point('M', {x, y});
    body_ += 'h';
    append_decimal(body_, w);
    body_ += 'v';
    append_decimal(body_, h);
    body_ += 'h';
    append_decimal(body_, -w);
    body_ += 'z';
  }

  // All have the same orientation, so that no two in a path cancel out where they cross.
  void add_stroke(const Stroke& stroke) {
    const Point a = stroke.from;
    const Point b = stroke.to;
    const double half = stroke.width / 2;
    if (a.x == b.x) {
      add_rectangle(a.x - half, std::min(a.y, b.y), stroke.width, std::abs(b.y - a.y));
    } else if (a.y == b.y) {
      add_rectangle(std::min(a.x, b.x), a.y - half, std::abs(b.x - a.x), stroke.width);
    } else {
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      const double dx = -(b.y - a.y) / length * half;
      const double dy = (b.x - a.x) / length * half;
      point('M', {a.x - dx, a.y - dy});
      point('L', {b.x - dx, b.y - dy});
      point('L', {b.x + dx, b.y + dy});
      point('L', {a.x + dx, a.y + dy});
      body_ += 'z';
    }
    if (!stroke.has_head) return;
    point('M', stroke.head[0]);
    point('L', stroke.head[1]);
    point('L', stroke.head[2]);
    body_ += 'z';
  }

  void point(char command, Point at) {
    body_ += command;
    append_decimal(body_, at.x);
    body_ += ' ';
    append_decimal(body_, at.y);
  }

  const DrawList& list_;
  std::vector<Style> styles_;
  std::string body_;
  bool in_path_ = false;
  size_t path_style_ = 0;
};

}  // namespace

std::string to_svg(const DrawList& list, const Theme& theme, std::string_view title) {
  return Writer(list).document(theme, title);
}

}  // namespace skein
