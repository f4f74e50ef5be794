// Keys that are held while another is pressed, or while the pointer moves.
#pragma once

namespace skein {

struct Modifiers {
  bool shift = false;
  bool control = false;
  bool alt = false;
};

}  // namespace skein
