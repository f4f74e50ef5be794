#include "view/viewer/keys.h"

#include <algorithm>
#include <iterator>

namespace skein {

namespace {

using C = Command;

constexpr KeyBinding table[] = {
    {C::ZoomIn, "zoom-in", "Time", "+ = w", "Zoom in"},
    {C::ZoomOut, "zoom-out", "Time", "- _ s", "Zoom out"},
    {C::PanLeft, "pan-left", "Time", "ArrowLeft a", "Pan left"},
    {C::PanRight, "pan-right", "Time", "ArrowRight d", "Pan right"},
    {C::PanUp, "pan-up", "Rows", "ArrowUp", "Scroll up"},
    {C::PanDown, "pan-down", "Rows", "ArrowDown", "Scroll down"},
    {C::PageUp, "page-up", "Rows", "PageUp", "Scroll up one page"},
    {C::PageDown, "page-down", "Rows", "PageDown", "Scroll down one page"},
    {C::GoToStart, "go-to-start", "Time", "Home", "Go to the start"},
    {C::GoToEnd, "go-to-end", "Time", "End", "Go to the end; follow a live trace"},
    {C::RowsHigher, "rows-higher", "Rows", "Shift+ArrowUp", "Increase the row height"},
    {C::RowsLower, "rows-lower", "Rows", "Shift+ArrowDown", "Decrease the row height"},
    {C::FitAll, "fit-all", "Time", "0", "Show everything"},
    {C::FitRows, "fit-rows", "Rows", "r", "Fit the rows with visible bars"},
    {C::FitSelection, "fit-selection", "Time", "f", "Zoom to the range or the selected task"},
    {C::UndoZoom, "undo-zoom", "Time", "u Backspace Ctrl+z", "Undo zoom"},
    {C::RedoZoom, "redo-zoom", "Time", "Shift+u Ctrl+y Ctrl+Shift+z", "Redo zoom"},
    {C::Search, "search", "Find", "/ Ctrl+f", "Search: labels, names, kinds, locations, ids"},
    {C::SearchNext, "search-next", "Find", "n F3", "Next match"},
    {C::SearchPrevious, "search-previous", "Find", "Shift+n Shift+F3", "Previous match"},
    {C::ClearSearch, "clear-search", "Find", "Shift+Escape", "Clear the search"},
    {C::Filter, "filter", "Find", "Shift+f", "Filter by label, kind, executor, duration"},
    {C::FollowToSource, "follow-to-source", "Tasks", "[",
     "Follow an arrow back to the waker or the task whose result was read"},
    {C::FollowToDestination, "follow-to-destination", "Tasks", "]",
     "Follow an arrow forward to the task woken or waited for"},
    {C::SelectParent, "select-parent", "Tasks", "p", "Select the parent task"},
    {C::SelectNext, "select-next", "Tasks", ".", "Select the next task in the row"},
    {C::SelectPrevious, "select-previous", "Tasks", ",", "Select the previous task in the row"},
    {C::HighlightRelated, "highlight-related", "Tasks", "h",
     "Highlight predecessors, successors, awaited and waiting tasks"},
    {C::NextStuck, "next-stuck", "Tasks", "e", "Select the next stuck task"},
    {C::CriticalPath, "critical-path", "Tasks", "k",
     "Show or hide the critical path of the selected task"},
    {C::Collapse, "collapse", "Tasks", "c", "Hide or show the children of the selected task"},
    {C::ExpandAll, "expand-all", "Tasks", "Shift+c", "Show all hidden children"},
    {C::AddBookmark, "add-bookmark", "Notes", "b", "Add a bookmark at the pointer"},
    {C::NextBookmark, "next-bookmark", "Notes", "}", "Go to the next bookmark"},
    {C::PreviousBookmark, "previous-bookmark", "Notes", "{", "Go to the previous bookmark"},
    {C::Measure, "measure", "Notes", "m", "Measure the selected task or the visible range"},
    {C::ClearMeasure, "clear-measure", "Notes", "Shift+m", "Clear the measured range"},
    {C::ToggleCounters, "toggle-counters", "Picture", "v", "Show or hide counters"},
    {C::ToggleArrows, "toggle-arrows", "Picture", "x", "Show or hide arrows"},
    {C::ToggleLegend, "toggle-legend", "Picture", "l", "Show or hide the legend"},
    {C::ToggleTaskTable, "toggle-task-table", "Picture", "g",
     "Show or hide tasks and flame graph of the range, task, lane or search"},
    {C::NextTheme, "next-theme", "Picture", "t", "Next theme: light, dark, colour-blind-safe"},
    {C::Help, "help", "Picture", "? F1", "List keys and mouse actions"},
    {C::Escape, "escape", "Picture", "Escape",
     "Close help, or clear the search, frame, row, range, highlight or selection"},
};
static_assert(std::size(table) == commands);

constexpr bool in_order() {
  for (size_t i = 0; i < std::size(table); i++)
    if (static_cast<size_t>(table[i].command) != i) return false;
  return true;
}
static_assert(in_order());

constexpr MouseBinding mouse[] = {
    {"Wheel", "Zoom at the pointer"},
    {"Ctrl + wheel, pinch", "Zoom in finer steps"},
    {"Shift + wheel, horizontal wheel", "Pan left or right"},
    {"Alt + wheel", "Change the row height"},
    {"Drag", "Pan"},
    {"Shift + drag, drag on the time axis", "Measure a range"},
    {"Click", "Select a task or lane; on an empty area, clear the selection"},
    {"Double click", "Zoom to the task and highlight related tasks"},
};

constexpr MouseBinding touch[] = {
    {"Drag", "Pan"},
    {"Drag on the time axis", "Measure a range"},
    {"Pinch", "Zoom"},
    {"Pinch vertically", "Change the row height"},
    {"Tap", "Select a task or lane; on an empty area, clear the selection"},
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

// Calls visit(spec) for each until it returns true.
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
      "The page and the window use the same keys. `?` lists them.\n\n"
      "| key | action | command |\n|---|---|---|\n";
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
  out += "\n| mouse | action |\n|---|---|\n";
  for (const MouseBinding& entry : mouse)
    out.append("| ").append(entry.gesture).append(" | ").append(entry.help).append(" |\n");
  out += "\n| touch (page only) | action |\n|---|---|\n";
  for (const MouseBinding& entry : touch)
    out.append("| ").append(entry.gesture).append(" | ").append(entry.help).append(" |\n");
  return out;
}

}  // namespace skein
