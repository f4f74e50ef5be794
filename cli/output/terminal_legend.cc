#include "cli/output/terminal_legend.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace skein::cli {

namespace {

constexpr float cell_width = 8;
constexpr float cell_height = 16;
constexpr uint32_t sample_cells = 2;
constexpr uint32_t between = 2;

struct Entry {
  Ink ink;
  std::string text;
  uint32_t cells = 0;  // including the sample
};

Entry entry(Ink ink, std::string text) {
  const auto letters = static_cast<uint32_t>(text.size());
  return {ink, std::move(text), sample_cells + 1 + letters};
}

// Without colours all arrows share one entry, because their heads look the same.
std::vector<Entry> entries(const std::array<bool, inks>& occurs, bool coloured) {
  const auto has = [&](Ink ink) { return occurs[static_cast<size_t>(ink)]; };
  std::vector<Entry> all;
  if (has(Ink::Bar) || has(Ink::BarUnnamed)) all.push_back(entry(Ink::Bar, "task, waiting"));
  if (has(Ink::Running)) all.push_back(entry(Ink::Running, "running"));
  if (has(Ink::Failed)) all.push_back(entry(Ink::Failed, "failed or stuck"));
  if (has(Ink::Highlight)) all.push_back(entry(Ink::Highlight, "match"));
  if (has(Ink::Span) && coloured) all.push_back(entry(Ink::Span, "span"));
  if (has(Ink::Path) && coloured) all.push_back(entry(Ink::Path, "critical path"));
  if (has(Ink::Creation)) all.push_back(entry(Ink::Creation, "creation, merge"));
  struct Arrow {
    Ink ink;
    std::string_view text;
  };
  std::string arrows;
  for (const Arrow& arrow : {Arrow{Ink::Read, "result read"},
                             {Ink::ReadFailure, "failure read"},
                             {Ink::Resolve, "ended by another"},
                             {Ink::Notify, "wake-up"},
                             {Ink::Await, "wait"},
                             {Ink::Message, "message"}}) {
    if (!has(arrow.ink)) continue;
    if (coloured)
      all.push_back(entry(arrow.ink, std::string(arrow.text)));
    else
      arrows.append(arrows.empty() ? "" : ", ").append(arrow.text);
  }
  if (!arrows.empty()) all.push_back(entry(Ink::Read, arrows));
  if (has(Ink::Unheard)) all.push_back(entry(Ink::Unheard, "woke no task"));
  if (has(Ink::Sleep)) all.push_back(entry(Ink::Sleep, "asleep"));
  if (has(Ink::Pause)) all.push_back(entry(Ink::Pause, "paused"));
  return all;
}

// Calls use(entry, column, line) for each entry. Returns the number of lines.
template <typename Use>
uint32_t lay_out(const std::vector<Entry>& all, uint32_t columns, const Use& use) {
  uint32_t column = 0;
  uint32_t line = 0;
  for (const Entry& e : all) {
    if (column > 0 && column + e.cells > columns) {
      column = 0;
      line++;
    }
    use(e, column, line);
    column += e.cells + between;
  }
  return line + 1;
}

class Samples {
 public:
  explicit Samples(uint32_t columns, uint32_t lines) {
    list.width = 1e6f;  // no text is moved away from the right edge
    list.height = static_cast<float>(lines) * cell_height;
    fill(Ink::Background, 0, 0, static_cast<float>(columns) * cell_width, list.height);
  }

  void add(const Entry& e, uint32_t column, uint32_t line) {
    const float x = static_cast<float>(column) * cell_width;
    const float y = static_cast<float>(line) * cell_height;
    const float wide = sample_cells * cell_width;
    const float middle = y + cell_height / 2;
    switch (e.ink) {
      case Ink::Sleep:
      case Ink::Pause:
        fill(e.ink, x, y, wide, cell_height);
        break;
      case Ink::Unheard:
        fill(e.ink, x, middle - 4, cell_width, 8);
        break;
      case Ink::Highlight:
        fill(e.ink, x, y, wide, cell_height);
        fill(Ink::Bar, x, middle - 1, wide, 3);
        break;
      case Ink::Failed:  // a narrow bar and a wide one
        fill(e.ink, x + 3, middle - 1, 2, 3);
        fill(e.ink, x + cell_width, middle - 1, cell_width, 3);
        break;
      case Ink::Creation:
        text(e.ink, x, y, " \u2502");
        break;
      case Ink::Bar:
      case Ink::Running:
      case Ink::Span:
      case Ink::Path:
        fill(e.ink, x, middle - 1, wide, 3);
        break;
      default:  // arrows, up and down
        list.primitives.push_back({x, y + 14, 0, -8, 0, Shape::Arrow, e.ink});
        list.primitives.push_back({x + cell_width, y + 2, 0, 8, 0, Shape::Arrow, e.ink});
        break;
    }
    text(Ink::Axis, x + wide + cell_width, y, e.text);
  }

  DrawList list;

 private:
  void fill(Ink ink, float x, float y, float w, float h) {
    list.primitives.push_back({x, y, w, h, 0, Shape::Fill, ink});
  }
  void text(Ink ink, float x, float y, std::string_view text) {
    const auto offset = static_cast<uint32_t>(list.texts.size());
    (list.texts += text) += '\0';
    list.primitives.push_back({x, y + 12, 0, 0, offset, Shape::Text, ink, 255, 9});
  }
};

}  // namespace

void TerminalLegend::add(const DrawList& list) {
  constexpr uint8_t faintest = 70;  // fainter lines are invisible; fills are always visible
  for (const Primitive& p : list.primitives)
    if (p.shape != Shape::Text && (p.shape == Shape::Fill || p.alpha >= faintest))
      occurs_[static_cast<size_t>(p.ink)] = true;
}

std::string TerminalLegend::text(const Theme& theme, uint32_t columns,
                                 TerminalColours colours) const {
  const std::vector<Entry> all = entries(occurs_, colours != TerminalColours::None);
  if (all.empty()) return "";
  const uint32_t lines = lay_out(all, columns, [](const Entry&, uint32_t, uint32_t) {});
  Samples samples(columns, lines);
  lay_out(all, columns,
          [&](const Entry& e, uint32_t column, uint32_t line) { samples.add(e, column, line); });
  return to_terminal(samples.list, theme, columns, colours);
}

uint32_t TerminalLegend::most_lines(uint32_t columns, TerminalColours colours) {
  std::array<bool, inks> every;
  every.fill(true);
  return lay_out(entries(every, colours != TerminalColours::None), columns,
                 [](const Entry&, uint32_t, uint32_t) {});
}

}  // namespace skein::cli
