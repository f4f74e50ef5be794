#include "profile/flame/svg.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/escape.h"
#include "base/function_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "profile/flame/harmless.h"
#include "profile/flame/svg_script.h"

namespace skein {

namespace {

constexpr double header = 56;  // px above the boxes
constexpr double footer = 30;
constexpr double row_gap = 1;

void append_fixed(std::string& out, double value, int decimals) {
  std::array<char, 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::fixed, decimals);
  if (error == std::errc{}) out.append(digits.data(), end);
}

void append_count(std::string& out, double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    out += grouped(static_cast<uint64_t>(std::abs(value)));
  else
    append_fixed(out, value, 2);
}

double percent(double part, double all) { return all > 0 ? 100 * part / all : 0; }

class FlameWriter {
 public:
  FlameWriter(const StackTree& tree, const FlameLook& look) : tree_(tree), look_(look) {
    uint32_t depth = 0;
    for (const StackTree::Node& node : tree.nodes) {
      depth = std::max(depth, node.depth);
      most_change_ = std::max(most_change_, std::abs(node.self - node.self_before));
    }
    height_ = header + (depth + 1) * look.row + footer;
    letter_width_ = look.font_size * look.letter;
    baseline_ = (look.row - row_gap) / 2 + look.font_size * 0.36;
    scale_ = total() > 0 ? (look.width - 2 * flame_margin) / total() : 0;
  }

  std::string svg() {
    out_.reserve(2048 + svg_script.size() + tree_.nodes.size() * 200);
    begin();
    out_ += "<g id=\"frames\">\n";
    for (const StackTree::Node& node : tree_.nodes) add(node);
    out_ += "</g>\n";
    append_controls();
    out_ += "<script><![CDATA[\n";
    out_ += svg_script;
    out_ += "]]></script>\n</svg>\n";
    return std::move(out_);
  }

 private:
  double total() const { return tree_.nodes.empty() ? 0 : tree_.nodes[0].weight; }

  void attribute(std::string_view name, double value, int decimals = 0) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    append_fixed(out_, value, decimals);
    out_ += '"';
  }

  void begin() {
    out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"";
    attribute("width", look_.width);
    attribute("height", height_);
    out_ += " viewBox=\"0 0 ";
    append_fixed(out_, look_.width, 0);
    out_ += ' ';
    append_fixed(out_, height_, 0);
    out_ += "\" font-family=\"";
    append_xml(out_, look_.font.empty()
                         ? R"(DejaVu Sans Mono, Menlo, Consolas, monospace)"
                         : std::string_view(look_.font));
    out_ += '"';
    attribute("font-size", look_.font_size, 1);
    attribute("data-baseline", baseline_, 2);
    attribute("data-letter", letter_width_, 2);
    if (look_.icicle) out_ += " data-icicle=\"1\"";
    if (!look_.name_type.empty()) {
      out_ += " data-name=\"";
      append_xml(out_, look_.name_type);
      out_ += '"';
    }
    out_ += ">\n";
    append_description();
    out_ += R"(<style>
svg{background:#fff}
text{fill:#1a1a1a}
#frames rect{rx:1.5px}
#frames text{pointer-events:none;white-space:pre}
#frames rect:hover{stroke:#1a1a1a;stroke-width:.8}
.parent{opacity:.45}
.hit rect{fill:#c81ee6}
.gone{display:none}
.title{font:600 17px system-ui,sans-serif}
.subtitle{font:13px system-ui,sans-serif;fill:#666}
.button{font:13px system-ui,sans-serif;fill:#2456a6;cursor:pointer}
.button:hover{text-decoration:underline}
</style>
)";
    append_background();
    text(look_.width / 2, 24, "title", "middle", look_.title);
    if (!look_.subtitle.empty()) text(look_.width / 2, 43, "subtitle", "middle", look_.subtitle);
  }

  void append_description() {
    if (look_.notes.empty()) return;
    out_ += "<desc>";
    append_xml(out_, look_.notes);
    out_ += "</desc>\n";
  }

  void append_hex(Rgb colour) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const uint8_t part : {colour.red, colour.green, colour.blue}) {
      out_ += digits[part >> 4];
      out_ += digits[part & 15];
    }
  }

  void append_background() {
    if (!look_.background) return;
    out_ += "<linearGradient id=\"background\" x2=\"0\" y2=\"1\"><stop stop-color=\"#";
    append_hex(look_.background->top);
    out_ += "\"/><stop offset=\"1\" stop-color=\"#";
    append_hex(look_.background->bottom);
    out_ += "\"/></linearGradient>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n";
  }

  void text(double x, double y, std::string_view style, std::string_view anchor,
            std::string_view content, std::string_view id = {}) {
    out_ += "<text";
    attribute("x", x, 1);
    attribute("y", y);
    out_ += " class=\"";
    out_ += style;
    out_ += "\" text-anchor=\"";
    out_ += anchor;
    if (!id.empty()) {
      out_ += "\" id=\"";
      out_ += id;
    }
    out_ += "\">";
    append_xml(out_, content);
    out_ += "</text>\n";
  }

  void append_controls() {
    text(flame_margin, 43, "button gone", "start", "Reset zoom", "reset");
    text(look_.width - flame_margin, 43, "button gone", "end", "Search", "search");
    text(look_.width - flame_margin - 90, 43, "button gone", "end", "Ignore case", "case");
    text(flame_margin, height_ - 10, "detail", "start", "", "detail");
    text(look_.width - flame_margin, height_ - 10, "detail", "end", "", "matched");
  }

  void append_colour(const StackTree::Node& node, std::string_view name) {
    Rgb colour;
    if (look_.compares) {
      const double change = node.self - node.self_before;
      const double share = most_change_ > 0 ? change / most_change_ : 0;
      colour = colour_of_change(look_.negate ? -share : share);
    } else if (node.depth == 0) {
      colour = colour_of(Palette::Grey, {});
    } else {
      const auto library = look_.libraries.find(name);
      colour = colour_of(look_.palette, name,
                         library == look_.libraries.end() ? "" : std::string_view(library->second),
                         look_.random ? static_cast<uint64_t>(&node - tree_.nodes.data()) : 0);
    }
    append_hex(colour);
  }

  // "12 samples", "1.25 ms"
  void append_weight(double weight) {
    if (look_.unit == "ns") {
      out_ += duration_text(weight);
      return;
    }
    append_count(out_, weight);
    out_ += ' ';
    append_xml(out_, look_.unit);
  }

  void append_title(const StackTree::Node& node, std::string_view name) {
    append_xml(out_, name);
    out_ += " (";
    append_weight(node.weight);
    out_ += ", ";
    append_fixed(out_, percent(node.weight, total()), 2);
    out_ += '%';
    if (look_.compares) {
      const double all_before = tree_.nodes[0].before;
      const double change = percent(node.weight, total()) - percent(node.before, all_before);
      out_ += change < 0 ? "; " : "; +";
      append_fixed(out_, change, 2);
      out_ += " points, itself ";
      out_ += node.self < node.self_before ? "-" : "+";
      append_weight(std::abs(node.self - node.self_before));
    }
    out_ += ')';
  }

  void add(const StackTree::Node& node) {
    const double width = node.weight * scale_;
    if (node.depth != 0 && width < look_.least_width) return;
    // XML may contain characters that change the order of others.
    const std::string name =
        node.depth == 0 ? "all" : harmless(without_annotation(tree_.names[node.name]));
    const double x = flame_margin + node.begin * scale_;
    const double y = look_.icicle ? header + node.depth * look_.row
                                  : height_ - footer - (node.depth + 1) * look_.row;
    const BoxAttributes* attributes =
        node.depth == 0 ? nullptr : attributes_of(look_.attributes, tree_.names[node.name]);
    const bool is_link = attributes != nullptr && !attributes->href.empty();
    out_ += is_link ? "<a" : "<g";
    if (attributes != nullptr) append_attributes(*attributes, name);
    out_ += "><title>";
    if (attributes != nullptr && !attributes->title.empty())
      append_xml(out_, attributes->title);
    else
      append_title(node, name);
    out_ += "</title><rect";
    attribute("x", x, 2);
    attribute("y", y);
    attribute("width", width, 2);
    attribute("height", look_.row - row_gap);
    out_ += " fill=\"#";
    append_colour(node, tree_.names[node.name]);
    out_ += "\"/>";
    append_label(name, x + 3, y + baseline_, width);
    out_ += is_link ? "</a>\n" : "</g>\n";
  }

  void append_attributes(const BoxAttributes& of, std::string_view name) {
    const auto append = [&](std::string_view attribute_name, std::string_view value) {
      if (value.empty()) return;
      out_ += ' ';
      out_ += attribute_name;
      out_ += "=\"";
      append_xml(out_, value);
      out_ += '"';
    };
    append("id", of.id);
    append("class", of.style);
    if (!of.title.empty()) append("data-name", name);  // which the title does not have
    if (of.href.empty()) return;
    append("href", of.href);
    // Otherwise the link would open inside an <object> that shows the picture.
    append("target", of.target.empty() ? "_top" : std::string_view(of.target));
  }

  // As many characters as fit, with two dots for the rest; none if there is space for less than
  // three.
  void append_label(std::string_view name, double x, double y, double width) {
    const auto fits = static_cast<size_t>(std::max(0.0, (width - 6) / letter_width_));
    if (fits < 3) return;
    out_ += "<text";
    attribute("x", x, 2);
    attribute("y", y);
    out_ += '>';
    if (terminal_cells(name) <= fits) {
      append_xml(out_, name);
    } else {
      append_xml(out_, first_cells(name, fits - 2));
      out_ += "..";
    }
    out_ += "</text>";
  }

  const StackTree& tree_;
  const FlameLook& look_;
  std::string out_;
  double height_ = 0;
  double letter_width_ = 0;
  double baseline_ = 0;  // px below the upper edge of a row
  double scale_ = 0;
  double most_change_ = 0;
};

}  // namespace

std::string flame_svg(const StackTree& tree, const FlameLook& look) {
  return FlameWriter(tree, look).svg();
}

std::string flame_html(const StackTree& tree, const FlameLook& look) {
  std::string svg = flame_svg(tree, look);
  svg.erase(0, svg.find("<svg"));
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>";
  append_xml(out, look.title);
  out += "</title>\n<style>body{margin:0;background:#fff}svg{display:block;margin:auto}</style>\n";
  return out + svg + "</html>\n";
}

}  // namespace skein
