// The contents of one terminal cell, and the character that represents it best.
#pragma once

#include <array>
#include <cstdint>

#include "view/draw/draw_list.h"

namespace skein::terminal {

enum Side : uint8_t { Up, Down, Left, Right };
enum Weight : uint8_t { None, Light, Heavy };

struct Cell {
  uint32_t text = 0;                 // a character, 0: none
  uint32_t combining = 0;            // on that character
  bool covered = false;              // by a wide character to its left
  bool grid = false;                 //
  std::array<Weight, 4> lines = {};  // by Side
  bool passed = false;               // by a vertical line that a bar hides
  uint8_t bar = 0;                   // covered eighths; bit 0 is the leftmost
  uint8_t failed = 0;                // eighths with a failure
  std::array<uint8_t, 8> ran = {};   // running time in each eighth; 255: all of it
  uint8_t asleep = 0;
  uint8_t paused = 0;
  uint8_t dots = 0;   // Braille
  uint32_t head = 0;  // of an arrow: a character
  bool highlighted = false;
  bool panel = false;
  Ink text_ink = Ink::Label;
  Ink line_ink = Ink::Axis;
  Ink bar_ink = Ink::Bar;
  Ink dots_ink = Ink::Counter0;
  Ink head_ink = Ink::Read;
};

// The text of a cell.
struct CellText {
  uint32_t code = ' ';
  Ink ink = Ink::Axis;
  Ink background = Ink::Background;
};
// `running_ink`: the ink of activations. `plain`: without colours.
CellText text_of(const Cell& cell, Ink running_ink, bool plain);

}  // namespace skein::terminal
