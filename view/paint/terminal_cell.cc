#include "view/paint/terminal_cell.h"

#include <algorithm>
#include <cstddef>

namespace skein::terminal {

namespace {

// Returns U+2500 to U+257F by the weights of its sides: up, down, left, right.
uint32_t box_character(const std::array<Weight, 4>& sides) {
  // Index: up * 27 + down * 9 + left * 3 + right.
  static constexpr std::array<uint16_t, 81> characters = {
      // up: none; down: none, light, heavy
      ' ', 0x2576, 0x257a, 0x2574, 0x2500, 0x257c, 0x2578, 0x257e, 0x2501,     //
      0x2577, 0x250c, 0x250d, 0x2510, 0x252c, 0x252e, 0x2511, 0x252d, 0x252f,  //
      0x257b, 0x250e, 0x250f, 0x2512, 0x2530, 0x2532, 0x2513, 0x2531, 0x2533,  //
      // up: light
      0x2575, 0x2514, 0x2515, 0x2518, 0x2534, 0x2536, 0x2519, 0x2535, 0x2537,  //
      0x2502, 0x251c, 0x251d, 0x2524, 0x253c, 0x253e, 0x2525, 0x253d, 0x253f,  //
      0x257d, 0x251f, 0x2522, 0x2527, 0x2541, 0x2546, 0x252a, 0x2545, 0x2548,  //
      // up: heavy
      0x2579, 0x2516, 0x2517, 0x251a, 0x2538, 0x253a, 0x251b, 0x2539, 0x253b,  //
      0x257f, 0x251e, 0x2521, 0x2526, 0x2540, 0x2544, 0x2529, 0x2543, 0x2547,  //
      0x2503, 0x2520, 0x2523, 0x2528, 0x2542, 0x254a, 0x252b, 0x2549, 0x254b};
  return characters[sides[Up] * 27u + sides[Down] * 9u + sides[Left] * 3u + sides[Right]];
}

int eighths(uint8_t part) { return __builtin_popcount(part); }

// Returns adjacent eighths around the busiest one, as many as the total running time fills; at
// least one if any ran.
uint8_t running_part(const Cell& cell) {
  uint32_t total = 0;
  for (const uint32_t ran : cell.ran) total += ran;
  if (total == 0) return 0;
  const size_t count = std::max<size_t>(1, (total + 127) / 255);
  size_t first = 0;
  uint32_t most = 0;
  for (size_t i = 0; i + count <= cell.ran.size(); i++) {
    uint32_t ran = 0;
    for (size_t k = i; k < i + count; k++) ran += cell.ran[k];
    if (ran > most) first = i;
    most = std::max(most, ran);
  }
  return static_cast<uint8_t>((0xffu >> (8 - count)) << first);
}

// All block characters but two begin at the left. Elsewhere the amount takes precedence over the
// position.
uint32_t running_character(uint8_t part) {
  const int count = eighths(part);
  if (count >= 7) return 0x2588;                                // full block
  if ((part & 0x0f) == 0) return count <= 2 ? 0x2595 : 0x2590;  // the right eighth, half
  return 0x2590 - static_cast<uint32_t>(count);
}

uint32_t line_character(const Cell& cell) {
  std::array<Weight, 4> lines = cell.lines;
  const int bar = cell.bar | cell.failed;
  if (bar & 0x0f) lines[Left] = Heavy;
  if (bar & 0xf0) lines[Right] = Heavy;
  if (cell.passed && bar == 0) lines[Up] = lines[Down] = std::max(lines[Up], Light);
  return box_character(lines);
}

// A failure is visible whatever else is in the cell: a cross where there is no room for a bar, a
// dashed bar without colours.
uint32_t failed_character(const Cell& cell, uint8_t running, bool plain) {
  if (cell.failed != 0xff) return 0x2717;
  if (plain) return 0x254d;
  if (cell.head != 0) return cell.head;
  return eighths(running) >= 4 ? 0x2588 : line_character(cell);
}

}  // namespace

CellText text_of(const Cell& cell, Ink running_ink, bool plain) {
  CellText out;
  const bool asleep = eighths(cell.asleep) >= 4;
  const bool paused = cell.paused != 0;
  const uint8_t running = running_part(cell);
  out.background = cell.panel         ? Ink::Panel
                   : cell.highlighted ? Ink::Highlight
                   : paused           ? Ink::Pause
                   : asleep           ? Ink::Sleep
                                      : Ink::Background;
  if (cell.text != 0) {
    out.code = cell.text;
    out.ink = cell.text_ink;
    if (cell.failed != 0 || eighths(running) >= 4) {
      out.ink = Ink::Background;
      out.background = cell.failed != 0 ? Ink::Failed : running_ink;
    }
    return out;
  }
  if (cell.failed != 0) {
    out.ink = Ink::Failed;
    out.code = failed_character(cell, running, plain);
    return out;
  }
  if (cell.head != 0) {
    out.code = cell.head;
    out.ink = cell.head_ink;
    return out;
  }
  if (running != 0) {
    out.code = running_character(running);
    out.ink = running_ink;
    return out;
  }
  out.code = line_character(cell);
  if (cell.bar != 0) {
    out.ink = cell.bar_ink;
    // Without colours, matches are double lines.
    const bool only_bar = cell.lines[Up] == None && cell.lines[Down] == None;
    if (plain && only_bar && cell.highlighted) out.code = 0x2550;
    return out;
  }
  out.ink = cell.passed && cell.lines == std::array<Weight, 4>{} ? Ink::Creation : cell.line_ink;
  // Band lines give way to counters.
  if (out.code != ' ' && (cell.dots == 0 || cell.line_ink != Ink::Band)) return out;
  if (cell.dots != 0) {
    out.code = 0x2800u + cell.dots;
    out.ink = cell.dots_ink;
  } else if (plain && paused) {
    out.code = 0x2592;
  } else if (plain && asleep) {
    out.code = 0xb7;
  } else if (cell.grid) {
    out.code = 0x250a;
    out.ink = Ink::Grid;
  }
  return out;
}

}  // namespace skein::terminal
