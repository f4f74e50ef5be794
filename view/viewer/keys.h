// The keyboard map: one table, used by every shell, shown by `?`, printed into docs/keys.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "view/viewer/command.h"
#include "view/viewer/modifiers.h"

namespace skein {

struct KeyBinding {
  Command command;
  std::string_view name;   // "zoom-in": for menus, scripts and the web shell; never changes
  std::string_view group;  // "Time": for headings
  // As in the DOM, several separated by blanks: "+ = w", "Ctrl+z u". Letters are small, whatever
  // shift makes of them: "Shift+n". For other characters shift does not matter: "?".
  std::string_view keys;
  std::string_view help;  // "Zoom in"
};

// One per command, in the order of the enumeration.
std::span<const KeyBinding> key_bindings();
const KeyBinding& binding(Command command);

// Null: no command has this name; no command has this key.
const KeyBinding* find_command(std::string_view name);
const KeyBinding* find_key(std::string_view key, Modifiers modifiers);

// What the mouse does.
struct MouseBinding {
  std::string_view gesture;  // "Alt + wheel"
  std::string_view help;
};
std::span<const MouseBinding> mouse_bindings();
// What fingers do in the page.
std::span<const MouseBinding> touch_bindings();

// The tables in Markdown.
std::string keys_as_markdown();

}  // namespace skein
