// The modifier keys held during a key press or a pointer movement.
#pragma once

namespace skein {

struct Modifiers {
  bool shift = false;
  bool control = false;
  bool alt = false;
};

}  // namespace skein
