// The commands of the user.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skein {

// Everything that a key, a menu or a button can do. Names, keys and help are in one table (keys.h).
enum class Command : uint8_t {
  ZoomIn,
  ZoomOut,
  PanLeft,
  PanRight,
  PanUp,
  PanDown,
  PageUp,
  PageDown,
  GoToStart,
  GoToEnd,
  RowsHigher,
  RowsLower,
  FitAll,
  FitRows,  // the rows of the visible tasks fill the height
  FitSelection,
  UndoZoom,
  RedoZoom,
  Search,  // opens the front end's search field
  SearchNext,
  SearchPrevious,
  ClearSearch,
  Filter,               // opens the front end's filter
  FollowToSource,       // an arrow that ends at the selected task: its waker, the task it read
  FollowToDestination,  // one that begins there: the task it woke, its target
  SelectParent,
  SelectNext,  // in its row
  SelectPrevious,
  HighlightRelated,
  NextStuck,     // selects the next stuck task
  CriticalPath,  // of the selected task; hides it if shown
  Collapse,      // or expands the selected task's subtree
  ExpandAll,
  AddBookmark,
  NextBookmark,
  PreviousBookmark,
  Measure,  // the selected task's time, or the whole window
  ClearMeasure,
  ToggleCounters,
  ToggleArrows,
  ToggleLegend,
  ToggleTaskTable,  // the pane below the picture
  NextTheme,
  Help,
  Escape,
};
inline constexpr size_t commands = static_cast<size_t>(Command::Escape) + 1;

}  // namespace skein
