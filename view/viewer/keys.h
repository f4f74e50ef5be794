// The keyboard map: one table, used by every front end, shown by `?`, printed into docs/keys.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "view/viewer/command.h"
#include "view/viewer/modifiers.h"

namespace skein {

struct KeyBinding {
  Command command;
  std::string_view name;   // "zoom-in": for menus, scripts and the web page; never changes
  std::string_view group;  // "Time": for headings
  // As in the DOM, separated by blanks: "+ = w", "Ctrl+z u". Letters are lower case, even with
  // shift: "Shift+n". For other characters shift is ignored: "?".
  std::string_view keys;
  std::string_view help;  // "Zoom in"
};

// One per command, in the order of the enumeration.
std::span<const KeyBinding> key_bindings();
const KeyBinding& binding(Command command);

// Null if no command has this name or this key.
const KeyBinding* find_command(std::string_view name);
const KeyBinding* find_key(std::string_view key, Modifiers modifiers);

// Mouse gestures.
struct MouseBinding {
  std::string_view gesture;  // "Alt + wheel"
  std::string_view help;
};
std::span<const MouseBinding> mouse_bindings();
// Touch gestures in the page.
std::span<const MouseBinding> touch_bindings();

// The tables in Markdown.
std::string keys_as_markdown();

}  // namespace skein
