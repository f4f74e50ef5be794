// What a person can ask a view for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skein {

// Everything a key, a menu or a button can ask for; names, keys and help are in one table (keys.h).
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
  FitRows,  // what is in this stretch of time fills the height
  FitSelection,
  UndoZoom,
  RedoZoom,
  Search,  // opens the shell's search field
  SearchNext,
  SearchPrevious,
  ClearSearch,
  Filter,               // opens the shell's filter
  FollowToSource,       // an arrow that ends at the selected task: who woke it, what it read
  FollowToDestination,  // one that begins there: whom it woke, what it waits for
  SelectParent,
  SelectNext,  // in its row
  SelectPrevious,
  HighlightRelated,
  NextStuck,     // selects the next stuck task
  CriticalPath,  // of the selected task, or no more
  Collapse,      // the selected task's subtree, or opens it again
  ExpandAll,
  AddBookmark,
  NextBookmark,
  PreviousBookmark,
  Measure,  // the selected task's time, or the whole window
  ClearMeasure,
  ToggleCounters,
  ToggleArrows,
  ToggleLegend,
  NextTheme,
  Help,
  Escape,
};
inline constexpr size_t commands = static_cast<size_t>(Command::Escape) + 1;

}  // namespace skein
