// What a person does with the picture, without a screen: every shell forwards input to a Viewer and
// paints its picture().
//
//   Viewer viewer;
//   viewer.add(std::move(trace), "net.ctf");
//   viewer.resize(1500, 900);
//   paint(viewer.picture());
//   viewer.wheel(x, y, 0, -120, {});      // zooms under the pointer
//   viewer.key("ArrowRight", {});         // as the keyboard map (keys.h) says
//   viewer.search("ring.write");          // highlights as one types
//
// One thread. Units: pixels of the picture, nanoseconds on the common time line. Nothing here
// fails: a command that makes no sense now does nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "view/draw/draw_list.h"
#include "view/draw/scene.h"
#include "view/draw/theme.h"

namespace skein {

struct Modifiers {
  bool shift = false;
  bool control = false;
  bool alt = false;
};

// Everything a key, a menu or a button can ask for; names, keys and help are in one table (keys.h).
enum class Command : uint8_t {
  ZoomIn,
  ZoomOut,
  PanLeft,
  PanRight,
  PanUp,
  PanDown,
  RowsHigher,
  RowsLower,
  FitAll,
  FitRows,
  FitSelection,
  UndoZoom,
  RedoZoom,
  SearchNext,
  SearchPrevious,
  ClearSearch,
  FollowToSource,       // of the selected task: who woke it, whose result it read
  FollowToDestination,  // whom it woke
  SelectParent,
  SelectNext,  // in its row
  SelectPrevious,
  HighlightRelated,
  Collapse,  // the selected task's subtree, or opens it again
  ExpandAll,
  AddBookmark,
  NextBookmark,
  PreviousBookmark,
  ClearMeasure,
  ToggleCounters,
  ToggleArrows,
  ToggleLegend,
  NextTheme,
  Help,
  Escape,
};

struct Filter {
  std::string label;      // part of a label, name or location; empty: any
  std::string kind;       // empty: any
  std::string executor;   // its name; empty: any
  uint64_t shortest = 0;  // ns
  bool only_stuck = false;
};

// A line of the panel; `link` is what click() takes, 0: none.
struct PanelLine {
  std::string name;   // "waits for"
  std::string value;  // "ring.write (#1205)"
  uint32_t link = 0;
};
struct Panel {
  std::string title;
  std::vector<PanelLine> lines;
};

struct Bookmark {
  double time = 0;
  std::string text;
};

class Viewer {
 public:
  Viewer();
  ~Viewer();
  Viewer(Viewer&&) noexcept;
  Viewer& operator=(Viewer&&) noexcept;

  // Adds a trace below those that are there; several lie on one time line (by UTC if all know it,
  // by their beginnings else).
  void add(Trace trace, std::string title);
  // The same trace, longer by now: window, selection, search, bookmarks stay; follows the end if
  // the end was in sight.
  void update(size_t which, Trace trace);
  size_t traces() const;
  const Trace& trace(size_t which) const;
  const Model& model(size_t which) const;

  void resize(float width, float height);
  // Valid until the next call that is not const.
  const DrawList& picture();
  bool changed() const;  // since picture() was called last

  // Input. Coordinates are those of the picture; deltas of the wheel are pixels, down is positive.
  void pointer_move(float x, float y);
  void pointer_leave();
  void pointer_down(float x, float y, Modifiers);  // shift: measures; else pans
  void pointer_up(float x, float y);               // without a move: selects
  void double_click(float x, float y);             // highlights what is related, zooms to it
  void wheel(float x, float y, float dx, float dy, Modifiers);
  void pinch(float x, float y, float factor);  // > 1: larger
  // Key as in the DOM ("ArrowLeft", "+", "f"). False: it means nothing here.
  bool key(std::string_view key, Modifiers);
  void run(Command command);

  // Of the window.
  const Window& window() const;
  void show(double from, double to);  // ns; the old window can be gone back to

  struct Found {
    size_t count = 0;
    size_t at = 0;  // 1 to count; 0: none yet
  };
  Found search(std::string_view text);  // ignores case; all labels, names, kinds, locations, ids
  Found found() const;

  void set_filter(const Filter& filter);
  const Filter& filter() const;

  void select(size_t track, TaskIndex task);
  Panel panel() const;  // of what is selected or measured; of the whole trace if nothing is
  void click(uint32_t link);
  std::string tooltip() const;  // of what is under the pointer; empty: nothing is

  std::span<const Bookmark> bookmarks() const;
  void add_bookmark(double time, std::string text);
  void remove_bookmark(size_t which);
  std::string save_notes() const;  // JSON, to be kept beside the trace
  Result<void> load_notes(std::string_view json);

  struct CounterState {
    std::string name;
    bool shown = true;
  };
  std::vector<CounterState> counters() const;
  void show_counter(size_t which, bool shown);

  void set_theme(const Theme& theme);
  const Theme& theme() const;
  void set_hint(bool shown);

  bool help_shown() const;
  // What was lost and what an empty trace means, in a sentence; empty: nothing to say.
  std::string notice() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skein
