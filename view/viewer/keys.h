// The keyboard map: one table, used by every shell, shown by `?`, printed into the docs.
#pragma once

#include <span>
#include <string_view>

#include "view/viewer/viewer.h"

namespace skein {

struct KeyBinding {
  std::string_view keys;  // as in the DOM, several separated by blanks: "+ ="
  Modifiers modifiers;
  Command command;
  std::string_view help;  // "Zoom in"
};

std::span<const KeyBinding> key_bindings();

}  // namespace skein
