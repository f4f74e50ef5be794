// Paints a picture in the cells of a terminal. Each shape is recorded in the cells it touches
// (covered eighths of bars and activations, lines to the four sides, dots of a counter). At the end
// each cell shows the single most important character.
//
//     ┍━main━━━━━━━━━━━━━━━━██━━━━━━━┑     a task, running at the end; created │ and merging
//     │ ┕━read━━━━━━━━━━━━━━▲             ▲ the waker
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "view/draw/text.h"
#include "view/paint/paint.h"
#include "view/paint/terminal_cell.h"

namespace skein {

namespace {

using terminal::Cell;
using terminal::CellText;
using enum terminal::Side;
using enum terminal::Weight;
using terminal::Side;
using terminal::Weight;

constexpr double cell_width = 8;
constexpr double cell_height = 16;

class Screen {
 public:
  Screen(const DrawList& list, const Theme& theme, uint32_t columns, TerminalColours colours)
      : list_(list),
        theme_(theme),
        colours_(colours),
        columns_(std::clamp<int64_t>(columns, 1, 2'000)),
        lines_(
            std::clamp<int64_t>(cell_of(list.height + cell_height - 1, cell_height), 1, 100'000)),
        cells_(static_cast<size_t>(columns_ * lines_)) {
    // White activations are invisible on a light background: uses a dark colour there.
    const auto brightness = [&](Ink ink) {
      return theme[ink].red * 3 + theme[ink].green * 6 + theme[ink].blue;
    };
    running_ = std::abs(brightness(Ink::Running) - brightness(Ink::Background)) < 600
                   ? Ink::Label
                   : Ink::Running;
  }

  std::string paint() {
    for (const Primitive& p : list_.primitives) {
      if (!std::isfinite(p.x + p.y + p.w + p.h)) continue;
      switch (p.shape) {
        case Shape::Fill:
          fill(p);
          break;
        case Shape::Line:
        case Shape::Arrow:
          line(p);
          break;
        case Shape::Text:
          texts_.push_back(&p);
          break;
      }
    }
    place_texts();
    return written();
  }

 private:
  static int64_t cell_of(double at, double size) {
    return static_cast<int64_t>(std::floor(std::clamp(at, -1e7, 1e7) / size));
  }

  bool inside(int64_t column, int64_t row) const {
    return column >= 0 && column < columns_ && row >= 0 && row < lines_;
  }
  Cell& at(int64_t column, int64_t row) {
    return cells_[static_cast<size_t>(row * columns_ + column)];
  }

  // Calls use(cell, mask of the covered eighths) for each cell of a line.
  template <typename Use>
  void along(double x, double end, int64_t row, const Use& use) {
    if (row < 0 || row >= lines_) return;
    const int64_t from = std::max<int64_t>(cell_of(x, 1), 0);
    const int64_t to = std::min<int64_t>(std::max(cell_of(end - 0.01, 1), from), columns_ * 8 - 1);
    for (int64_t column = from / 8; column <= to / 8 && from <= to; column++) {
      const int64_t first = std::max<int64_t>(from - column * 8, 0);
      const int64_t last = std::min<int64_t>(to - column * 8, 7);
      use(at(column, row), static_cast<uint8_t>((0xffu << first) & (0xffu >> (7 - last))));
    }
  }

  // along() for each row of cells whose middle is between y and end_y.
  template <typename Use>
  void area(const Primitive& p, const Use& use) {
    const int64_t first = std::max<int64_t>(0, cell_of(p.y + cell_height / 2 - 0.01, cell_height));
    const int64_t last =
        std::min<int64_t>(lines_ - 1, cell_of(p.y + p.h - cell_height / 2 - 0.01, cell_height));
    for (int64_t row = first; row <= last; row++) along(p.x, p.x + p.w, row, use);
  }

  void fill(const Primitive& p) {
    const int64_t middle = cell_of(p.y + p.h / 2, cell_height);
    switch (p.ink >= Ink::Hue0 ? Ink::Bar : p.ink) {
      case Ink::Background:
      case Ink::Panel:
        if (p.alpha < 255) return;
        area(p, [&](Cell& cell, uint8_t part) {
          if (part != 0xff) return;
          cell = Cell();
          cell.panel = p.ink == Ink::Panel;
        });
        return;
      case Ink::Sleep:
        area(p, [](Cell& cell, uint8_t part) { cell.asleep |= part; });
        return;
      case Ink::Pause:
        area(p, [](Cell& cell, uint8_t part) { cell.paused |= part; });
        return;
      case Ink::Highlight:
        area(p, [](Cell& cell, uint8_t) { cell.highlighted = true; });
        return;
      case Ink::Unheard:
        if (const int64_t column = cell_of(p.x + p.w / 2, cell_width); inside(column, middle)) {
          at(column, middle).head = 0x25cb;
          at(column, middle).head_ink = p.ink;
        }
        return;
      case Ink::Failed:
        return fill_failed(p, middle);
      case Ink::Bar:
      case Ink::BarUnnamed:
      case Ink::Span:
      case Ink::Path:
        along(p.x, p.x + p.w, middle, [&](Cell& cell, uint8_t part) {
          cell.bar |= part;
          cell.bar_ink = p.ink;
        });
        return;
      case Ink::Running:
        along(p.x, p.x + p.w, middle, [&](Cell& cell, uint8_t part) {
          for (size_t i = 0; i < cell.ran.size(); i++)
            if (part >> i & 1)
              cell.ran[i] = static_cast<uint8_t>(std::min(255, cell.ran[i] + time_ran(p.alpha)));
        });
        return;
      case Ink::Counter0:
      case Ink::Counter1:
      case Ink::Counter2:
      case Ink::Counter3:
      case Ink::Counter4:
      case Ink::Counter5:
      case Ink::Counter6:
      case Ink::Counter7:
        dots(p);
        return;
      case Ink::Axis:
        if (p.w < 4 && p.h < 8) {  // a tick is above the line below it
          const int64_t row = cell_of(p.y + p.h, cell_height);
          const int64_t column = cell_of(p.x, cell_width);
          if (inside(column, row)) side(column, row, Up, Light, Ink::Axis);
          return;
        }
        break;
      case Ink::Grid:
        if (p.h > p.w) {
          Primitive thin = p;
          thin.x += thin.w / 2;
          thin.w = 0;
          area(thin, [](Cell& cell, uint8_t) { cell.grid = true; });
          return;
        }
        break;
      default:
        break;
    }
    // Thin shapes are lines.
    if (p.w <= 2 && p.h > p.w && p.alpha >= faintest)
      upright(p.x, p.y, p.y + p.h, p.ink);
    else if (p.h <= 2 && p.alpha >= faintest)
      level(p.x, p.x + p.w, p.y + p.h / 2, p.ink);
  }

  // A narrow failure is a mark in the cell that contains most of it.
  void fill_failed(const Primitive& p, int64_t row) {
    if (p.w >= cell_width) {
      along(p.x, p.x + p.w, row, [](Cell& cell, uint8_t part) { cell.failed |= part; });
      return;
    }
    const int64_t column = cell_of(p.x + p.w / 2, cell_width);
    if (inside(column, row)) at(column, row).failed |= 0x18;
  }

  void line(const Primitive& p) {
    if (p.alpha < faintest) return;
    const double to_x = p.x + p.w;
    const double to_y = p.y + p.h;
    if (p.h == 0) {
      level(std::min<double>(p.x, to_x), std::max<double>(p.x, to_x), p.y, p.ink);
    } else {
      level(std::min<double>(p.x, to_x), std::max<double>(p.x, to_x), p.y, p.ink);
      upright(to_x, p.y, to_y, p.ink);
    }
    if (p.shape != Shape::Arrow) return;
    const bool upwards = p.h != 0;
    const int64_t column = cell_of(upwards || p.w < 0 ? to_x : to_x - 0.01, cell_width);
    const int64_t row = cell_of(to_y - 0.5, cell_height);
    if (!inside(column, row)) return;
    Cell& cell = at(column, row);
    cell.head = upwards ? p.h < 0 ? 0x25b2u : 0x25bcu : p.w < 0 ? 0x25c4u : 0x25bau;
    cell.head_ink = p.ink;
  }

  void side(int64_t column, int64_t row, Side which, Weight weight, Ink ink) {
    Cell& cell = at(column, row);
    cell.lines[which] = std::max(cell.lines[which], weight);
    cell.line_ink = ink;
  }

  void upright(double x, double y, double to_y, Ink ink) {
    const int64_t column = cell_of(x, cell_width);
    int64_t first = cell_of(std::min(y, to_y) - 0.5, cell_height);
    int64_t last = cell_of(std::max(y, to_y) - 0.5, cell_height);
    if (column < 0 || column >= columns_ || first >= last) return;
    const int64_t top = first;
    const int64_t bottom = last;
    first = std::max<int64_t>(first, 0);
    last = std::min(last, lines_ - 1);
    for (int64_t row = first; row <= last; row++) {
      // Creation lines show only their ends; crossing every bar, they would hide everything else.
      if (ink == Ink::Creation && row != top && row != bottom) {
        at(column, row).passed = true;
        continue;
      }
      if (row != top) side(column, row, Up, Light, ink);
      if (row != bottom) side(column, row, Down, Light, ink);
    }
  }

  void level(double x, double end, double y, Ink ink) {
    const int64_t row = cell_of(y - 0.5, cell_height);
    if (end - x < cell_width) return;
    along(x, end, row, [&](Cell& cell, uint8_t part) {
      if (part & 0x0f) cell.lines[Left] = std::max(cell.lines[Left], Light);
      if (part & 0xf0) cell.lines[Right] = std::max(cell.lines[Right], Light);
      cell.line_ink = ink;
    });
  }

  // Braille: two columns of four dots per cell.
  void dots(const Primitive& p) {
    static constexpr uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const double high = p.h > 2 ? p.y + p.h : p.y + 0.5;
    const int64_t first_x = std::max<int64_t>(0, cell_of(p.x, 4));
    const int64_t last_x =
        std::min<int64_t>(columns_ * 2 - 1, cell_of(std::max<double>(p.x, p.x + p.w - 1), 4));
    const int64_t first_y = std::max<int64_t>(0, cell_of(p.y, 4));
    const int64_t last_y = std::min<int64_t>(lines_ * 4 - 1, cell_of(high - 0.5, 4));
    for (int64_t y = first_y; y <= last_y; y++)
      for (int64_t x = first_x; x <= last_x; x++) {
        Cell& cell = at(x / 2, y / 4);
        cell.dots |= bits[y % 4][x % 2];
        cell.dots_ink = p.ink;
      }
  }

  // Places texts line by line from left to right, each up to the next one: letters are wider here
  // than in the layout.
  void place_texts() {
    const auto row_of = [](const Primitive* p) {
      return cell_of(p->y - p->size * 0.35, cell_height);
    };
    std::stable_sort(texts_.begin(), texts_.end(), [&](const Primitive* a, const Primitive* b) {
      return std::pair(row_of(a), a->x) < std::pair(row_of(b), b->x);
    });
    int64_t free_from = 0;
    for (size_t i = 0; i < texts_.size(); i++) {
      const Primitive& p = *texts_[i];
      const int64_t row = row_of(&p);
      if (row < 0 || row >= lines_) continue;
      if (i == 0 || row_of(texts_[i - 1]) != row) free_from = 0;
      const bool is_label = p.ink == Ink::Label || p.ink == Ink::Kind;
      int64_t column = std::max<int64_t>(0, cell_of(p.x + (is_label ? 0 : 4), cell_width));
      if (is_label && p.x < cell_width / 2) column = 0;
      if (is_label) column++;  // keeps the start of its bar visible
      if (is_label && fails_from(column, row)) column++;
      const std::string_view text = list_.text(p);
      const int64_t wanted = cells_of(text);
      // A text that was moved to the right edge stays there.
      if (is_at_right(p)) column = std::max(free_from, columns_ - wanted - 1);
      column = std::max(column, free_from);
      int64_t end = columns_;
      size_t next = i + 1;  // a kind is shown if the name leaves room
      while (p.ink == Ink::Label && next < texts_.size() && texts_[next]->ink == Ink::Kind) next++;
      if (next < texts_.size() && row_of(texts_[next]) == row)
        end = std::min(end, cell_of(texts_[next]->x, cell_width) + (is_label ? 0 : -1));
      if (p.ink == Ink::Kind && wanted > end - column) continue;
      if (!is_label && end - column < wanted) end = std::min(columns_, column + wanted);
      if (next < texts_.size() && row_of(texts_[next]) == row && is_at_right(*texts_[next]))
        end = std::min(end, columns_ - cells_of(list_.text(*texts_[next])) - 2);
      for (int64_t after = column + 1; is_label && after < std::min(end, column + wanted); after++)
        if (fails_from(after, row)) end = after;
      if (wanted > end - column && end - column < 4) continue;
      free_from = write(text, column, end, row, p.ink) + 1;
    }
  }

  bool is_at_right(const Primitive& p) const {
    return p.ink != Ink::Label && p.ink != Ink::Kind &&
           p.x + text_width(list_.text(p), p.size) > list_.width - 30;
  }

  // No other label may cover the start of a failure.
  bool fails_from(int64_t column, int64_t row) {
    return inside(column, row) && at(column, row).failed != 0 &&
           (column == 0 || at(column - 1, row).failed == 0);
  }

  static int64_t cells_of(std::string_view text) {
    int64_t cells = 0;
    each_character(text, [&](uint32_t code) { cells += terminal_cells(code); });
    return cells;
  }

  template <typename Use>
  static void each_character(std::string_view text, const Use& use) {
    while (!text.empty()) {
      const CodePoint point = decode_utf8(text);
      use(point.size == 0 || is_hidden(point.code) ? 0xfffd : point.code);
      text.remove_prefix(std::max<size_t>(point.size, 1));
    }
  }

  // Returns the column behind the text.
  int64_t write(std::string_view text, int64_t column, int64_t end, int64_t row, Ink ink) {
    const bool whole = cells_of(text) <= end - column;
    bool full = false;
    Cell* last = nullptr;
    each_character(text, [&](uint32_t code) {
      const int cells = terminal_cells(code);
      if (full) return;
      if (cells == 0) {
        if (last != nullptr && last->combining == 0) last->combining = code;
        return;
      }
      if (!whole && column + cells > end - 1) {
        full = true;
        code = 0x2026;
      }
      last = &at(column, row);
      last->text = code;
      last->text_ink = ink;
      column++;
      if (!full && cells == 2) {
        at(column, row).covered = true;
        column++;
      }
    });
    return column;
  }

  // Running time of 255, derived from the alpha in the scene (view/draw/bars.cc): less than a
  // tenth, a third, two thirds of the time; for faded tasks, thin or not.
  static int time_ran(uint8_t alpha) {
    if (alpha < 50) return 12;
    if (alpha < 80) return 255;
    return alpha < 120 ? 12 : alpha < 170 ? 50 : alpha < 230 ? 115 : 255;
  }

  static void append_number(std::string& out, unsigned number) {
    std::array<char, 12> digits;
    out.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }

  // "38;2;58;66;86" sets the foreground; 48 sets the background.
  void append_colour(std::string& out, unsigned which, Colour colour) const {
    append_number(out, which);
    if (colours_ == TerminalColours::All) {
      out += ";2;";
      append_number(out, colour.red);
      out += ';';
      append_number(out, colour.green);
      out += ';';
      append_number(out, colour.blue);
      return;
    }
    // Of 256 colours: 24 greys, or a cube with six steps per side.
    const auto [least, most] = std::minmax({colour.red, colour.green, colour.blue});
    const unsigned mean = (colour.red + colour.green + colour.blue) / 3u;
    out += ";5;";
    if (most - least < 14 && mean >= 4 && mean < 247) {
      append_number(out, 232 + std::min(23u, (mean - 3) / 10));
      return;
    }
    const auto step = [](unsigned value) {
      return value < 48 ? 0u : value < 115 ? 1u : (value - 35) / 40;
    };
    append_number(out, 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue));
  }

  std::string written() {
    std::string out;
    for (int64_t row = 0; row < lines_; row++) {
      bool inked = false;  // a colour was set in this line
      bool backgrounded = false;
      CellText now;
      const size_t line_begin = out.size();
      for (int64_t column = 0; column < columns_; column++) {
        const Cell& cell = at(column, row);
        if (cell.covered) continue;
        const CellText next = terminal::text_of(cell, running_, colours_ == TerminalColours::None);
        const bool new_ink = next.code != ' ' && (!inked || next.ink != now.ink);
        const bool new_background = !backgrounded || next.background != now.background;
        if (colours_ != TerminalColours::None && (new_ink || new_background)) {
          out += "\x1b[";
          if (new_background) append_colour(out, 48, theme_[next.background]);
          if (new_ink) {
            if (new_background) out += ';';
            append_colour(out, 38, theme_[next.ink]);
            now.ink = next.ink;
          }
          out += 'm';
          inked = inked || new_ink;
          backgrounded = true;
          now.background = next.background;
        }
        append_utf8(out, next.code);
        if (cell.combining != 0) append_utf8(out, cell.combining);
      }
      if (colours_ == TerminalColours::None)
        while (out.size() > line_begin && out.back() == ' ') out.pop_back();
      else
        out += "\x1b[0m";
      out += '\n';
    }
    return out;
  }

  static constexpr uint8_t faintest = 70;  // fainter arrows are not drawn

  const DrawList& list_;
  const Theme& theme_;
  TerminalColours colours_;
  int64_t columns_;
  int64_t lines_;
  std::vector<Cell> cells_;
  std::vector<const Primitive*> texts_;
  Ink running_;
};

}  // namespace

std::string to_terminal(const DrawList& list, const Theme& theme, uint32_t columns,
                        TerminalColours colours) {
  return Screen(list, theme, columns, colours).paint();
}

}  // namespace skein
