// A picture as a list of primitives in painting order: the common input of the raster, SVG, PDF,
// browser, GTK and terminal painters. At most 50,000 entries, whatever the trace.
//
// Colours are named by meaning (Ink). A theme gives them values, so a list does not depend on the
// theme. Texts are safe to display as plain text: valid UTF-8 without control characters or
// bidirectional overrides. Writers of markup must still escape < & and quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

enum class Ink : uint8_t {
  Background,
  Sleep,  // behind everything: the executor sleeps
  Pause,  // no code of the program ran
  Grid,
  Axis,        // the time axis' text and lines
  Band,        // line and name between executors or machines
  Bar,         // a task
  BarUnnamed,  // a task without a label
  Failed,      // failed, or stuck
  Running,
  Creation,  // lines where a task is created or becomes another
  Highlight,
  Selection,
  Read,
  ReadFailure,
  Resolve,
  Notify,
  Await,
  Message,
  Unheard,  // a notification that woke no task
  Label,
  Kind,
  Counter0,  // and seven more
  Counter1,
  Counter2,
  Counter3,
  Counter4,
  Counter5,
  Counter6,
  Counter7,
  Bookmark,
  Measure,
  Panel,  // background of legend, tooltip, hints
  PanelText,
  Span,
  Path,  // the critical path
  Hue0,  // and eleven more: fills of items coloured by name (hue_of)
  Hue11 = Hue0 + 11,
};
inline constexpr size_t inks = static_cast<size_t>(Ink::Hue11) + 1;
inline constexpr size_t hues = 12;

// The same name has the same hue in every view, trace and run. Different names may share a hue.
Ink hue_of(std::string_view name);

// The object that a primitive shows: an entry in one of a model's lists. Views compare items, so
// hover, click and selection mean the same in each view.
struct Item {
  enum class Kind : uint8_t { Nothing, Task, Interaction, Counter, Sleep, Pause, Axis, Lane };
  Kind kind = Kind::Nothing;
  uint32_t track = 0;
  uint32_t index = 0;  // into the model's list of that kind; of a lane: into Trace::executors
  bool operator==(const Item&) const = default;
};

enum class Shape : uint8_t {
  Fill,   // the rectangle from (x, y), w wide, h high
  Line,   // from (x, y) to (x + w, y + h); `size` wide
  Arrow,  // like Line, with a head at its end
  Text,   // baseline begins at (x, y); cut off beyond w (0: never); `size` pixels high
};

struct Primitive {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;
  uint32_t text = 0;  // offset into DrawList::texts, for Text; a title for others, 0: none
  Shape shape = Shape::Fill;
  Ink ink = Ink::Background;
  uint8_t alpha = 255;
  uint8_t size = 1;
  Item item = {};  // Nothing: a part of the view itself, or several items merged
};
static_assert(sizeof(Primitive) == 36);  // picture.ts reads it

struct DrawList {
  float width = 0;
  float height = 0;
  std::vector<Primitive> primitives;
  std::string texts = std::string(1, '\0');  // each ends with a zero; offset 0: the empty text

  std::string_view text(const Primitive& primitive) const { return texts.c_str() + primitive.text; }
};

// Appends `above`, which is painted over `list`.
void append(DrawList& list, const DrawList& above);

// The topmost item at a point, of those shown by fills and lines; lines are hit within `reach`
// pixels. Does not find items that a view merges (crowds of thin bars).
Item item_at(const DrawList& list, float x, float y, float reach = 3);

// One line per primitive, for golden files: "fill 10 20 300x4 bar", "text 10 20 label 'hello'".
std::string to_text(const DrawList& list);

}  // namespace skein
