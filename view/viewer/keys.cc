#include "view/viewer/keys.h"

#include <algorithm>
#include <iterator>

namespace skein {

namespace {

using C = Command;

constexpr KeyBinding table[] = {
    {C::ZoomIn, "zoom-in", "Time", "+ = w", "Zoom in"},
    {C::ZoomOut, "zoom-out", "Time", "- _ s", "Zoom out"},
    {C::PanLeft, "pan-left", "Time", "ArrowLeft a", "Earlier"},
    {C::PanRight, "pan-right", "Time", "ArrowRight d", "Later"},
    {C::PanUp, "pan-up", "Rows", "ArrowUp", "Up"},
    {C::PanDown, "pan-down", "Rows", "ArrowDown", "Down"},
    {C::PageUp, "page-up", "Rows", "PageUp", "A page up"},
    {C::PageDown, "page-down", "Rows", "PageDown", "A page down"},
    {C::GoToStart, "go-to-start", "Time", "Home", "To the beginning"},
    {C::GoToEnd, "go-to-end", "Time", "End", "To the end; a live trace is followed from there"},
    {C::RowsHigher, "rows-higher", "Rows", "Shift+ArrowUp", "Higher rows"},
    {C::RowsLower, "rows-lower", "Rows", "Shift+ArrowDown", "Lower rows"},
    {C::FitAll, "fit-all", "Time", "0", "Show everything"},
    {C::FitRows, "fit-rows", "Rows", "r", "Fit the rows that have something in sight"},
    {C::FitSelection, "fit-selection", "Time", "f", "Zoom to the range or the selected task"},
    {C::UndoZoom, "undo-zoom", "Time", "u Backspace Ctrl+z", "Back to the window before"},
    {C::RedoZoom, "redo-zoom", "Time", "Shift+u Ctrl+y Ctrl+Shift+z", "Forward again"},
    {C::Search, "search", "Find", "/ Ctrl+f", "Search: labels, names, kinds, locations, ids"},
    {C::SearchNext, "search-next", "Find", "n F3", "Next that was found"},
    {C::SearchPrevious, "search-previous", "Find", "Shift+n Shift+F3", "Previous that was found"},
    {C::ClearSearch, "clear-search", "Find", "Shift+Escape", "End the search"},
    {C::Filter, "filter", "Find", "Shift+f", "Filter: label, kind, executor, duration"},
    {C::FollowToSource, "follow-to-source", "Tasks", "[",
     "Follow an arrow back: who woke it, whose result it read"},
    {C::FollowToDestination, "follow-to-destination", "Tasks", "]",
     "Follow an arrow forward: the task it woke, its target"},
    {C::SelectParent, "select-parent", "Tasks", "p", "Select the parent"},
    {C::SelectNext, "select-next", "Tasks", ".", "Select the next in its row"},
    {C::SelectPrevious, "select-previous", "Tasks", ",", "Select the previous in its row"},
    {C::HighlightRelated, "highlight-related", "Tasks", "h",
     "Highlight what it was, becomes, waits for, and who waits for it"},
    {C::NextFault, "next-fault", "Tasks", "e", "Select the next task that does not go on"},
    {C::CriticalPath, "critical-path", "Tasks", "k", "Critical path of the selected task"},
    {C::Collapse, "collapse", "Tasks", "c", "Hide its children, or show them again"},
    {C::ExpandAll, "expand-all", "Tasks", "Shift+c", "Show all children again"},
    {C::AddBookmark, "add-bookmark", "Notes", "b", "Bookmark under the pointer"},
    {C::NextBookmark, "next-bookmark", "Notes", "}", "Next bookmark"},
    {C::PreviousBookmark, "previous-bookmark", "Notes", "{", "Previous bookmark"},
    {C::Measure, "measure", "Notes", "m", "Measure the selected task's time, or all in sight"},
    {C::ClearMeasure, "clear-measure", "Notes", "Shift+m", "End measuring"},
    {C::ToggleCounters, "toggle-counters", "Picture", "v", "Counters on and off"},
    {C::ToggleArrows, "toggle-arrows", "Picture", "x", "Arrows on and off"},
    {C::ToggleLegend, "toggle-legend", "Picture", "l", "Legend on and off"},
    {C::NextTheme, "next-theme", "Picture", "t", "Next theme: light, dark, colour-blind-safe"},
    {C::Help, "help", "Picture", "? F1", "These keys"},
    {C::Escape, "escape", "Picture", "Escape", "Close or clear what was opened last"},
};
static_assert(std::size(table) == commands);

constexpr bool in_order() {
  for (size_t i = 0; i < std::size(table); i++)
    if (static_cast<size_t>(table[i].command) != i) return false;
  return true;
}
static_assert(in_order());

constexpr MouseBinding mouse[] = {
    {"Wheel", "Zoom under the pointer"},
    {"Ctrl + wheel, pinch", "The same in finer steps"},
    {"Shift + wheel, wheel sideways", "Earlier, later"},
    {"Alt + wheel", "Higher, lower rows"},
    {"Drag", "Move the picture"},
    {"Shift + drag, drag on the time axis", "Measure a range"},
    {"Click", "Select the task; on nothing: select nothing"},
    {"Double click", "Zoom to the task and highlight related tasks"},
};

constexpr MouseBinding touch[] = {
    {"Drag", "Move the picture"},
    {"Drag on the time axis", "Measure a range"},
    {"Two fingers apart, together", "Zoom between them"},
    {"Two, one above the other", "Higher, lower rows"},
    {"Tap", "Select the task; on nothing: select nothing"},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool take(std::string_view& text, std::string_view beginning) {
  // "Ctrl+z" begins with a modifier, "+" alone is a key.
  if (!text.starts_with(beginning) || text.size() == beginning.size()) return false;
  text.remove_prefix(beginning.size());
  return true;
}

bool matches(std::string_view spec, std::string_view key, Modifiers modifiers) {
  Modifiers wanted;
  for (;;) {
    if (take(spec, "Ctrl+"))
      wanted.control = true;
    else if (take(spec, "Shift+"))
      wanted.shift = true;
    else if (take(spec, "Alt+"))
      wanted.alt = true;
    else
      break;
  }
  if (wanted.control != modifiers.control || wanted.alt != modifiers.alt) return false;
  const bool one = key.size() == 1;
  const bool shift_matters = !one || is_letter(key[0]);
  if (shift_matters && wanted.shift != modifiers.shift) return false;
  return one ? spec.size() == 1 && spec[0] == lower(key[0]) : spec == key;
}

// Calls visit(spec) for each until that says true.
template <typename Visit>
bool any_key(std::string_view keys, const Visit& visit) {
  while (!keys.empty()) {
    const size_t end = std::min(keys.find(' '), keys.size());
    if (visit(keys.substr(0, end))) return true;
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
  return false;
}

}  // namespace

std::span<const KeyBinding> key_bindings() { return table; }

const KeyBinding& binding(Command command) { return table[static_cast<size_t>(command)]; }

const KeyBinding* find_command(std::string_view name) {
  for (const KeyBinding& entry : table)
    if (entry.name == name) return &entry;
  return nullptr;
}

const KeyBinding* find_key(std::string_view key, Modifiers modifiers) {
  for (const KeyBinding& entry : table)
    if (any_key(entry.keys, [&](std::string_view spec) { return matches(spec, key, modifiers); }))
      return &entry;
  return nullptr;
}

std::span<const MouseBinding> mouse_bindings() { return mouse; }
std::span<const MouseBinding> touch_bindings() { return touch; }

std::string keys_as_markdown() {
  std::string out =
      "# Keys and mouse\n\n"
      "The same in the browser and in the desktop's window; `?` shows them there.\n\n"
      "| key | what it does | command |\n|---|---|---|\n";
  std::string_view shown[commands];
  size_t groups = 0;
  for (const KeyBinding& first : table) {
    bool seen = false;
    for (size_t i = 0; i < groups; i++) seen = seen || shown[i] == first.group;
    if (seen) continue;
    shown[groups++] = first.group;
    out.append("| **").append(first.group).append("** | | |\n");
    for (const KeyBinding& entry : table) {
      if (entry.group != first.group) continue;
      std::string keys;
      any_key(entry.keys, [&](std::string_view spec) {
        keys.append(keys.empty() ? "`" : ", `").append(spec).append("`");
        return false;
      });
      out.append("| ").append(keys).append(" | ").append(entry.help).append(" | ");
      out.append(entry.name).append(" |\n");
    }
  }
  out += "\n| mouse | what it does |\n|---|---|\n";
  for (const MouseBinding& entry : mouse)
    out.append("| ").append(entry.gesture).append(" | ").append(entry.help).append(" |\n");
  out += "\n| fingers, in the page | what they do |\n|---|---|\n";
  for (const MouseBinding& entry : touch)
    out.append("| ").append(entry.gesture).append(" | ").append(entry.help).append(" |\n");
  return out;
}

}  // namespace skein
