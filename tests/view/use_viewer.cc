// Opens each trace in a viewer and performs random user actions in it.
//
//   use_viewer TRACE...
//
// Prints a line for each, "TRACE: 1817 tasks, 1728 ended", as in the panel. Exits with 1 if a
// condition fails that holds for every trace: a valid window, at most 50,000 primitives, safe
// texts.
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/text.h"
#include "trace/read/reader.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

std::string value(const Panel& panel, std::string_view name) {
  for (const PanelLine& line : panel.lines)
    if (line.name == name) return line.value;
  return "0";
}

bool is_safe(std::string_view text) { return safe_text(text, text.size() + 1) == text; }

// Returns the problem, or an empty string.
std::string problem(Viewer& viewer) {
  const Window& window = viewer.window();
  if (!(window.to > window.from && std::isfinite(window.from) && std::isfinite(window.to) &&
        std::isfinite(window.top) && window.row_height > 0))
    return "no window";
  const DrawList& list = viewer.picture();
  if (list.primitives.size() > 50'000) return "too many primitives";
  for (const Primitive& primitive : list.primitives)
    if (primitive.text != 0 && !is_safe(list.text(primitive)))
      return "in the picture: " + escaped(list.text(primitive));
  for (const PanelLine& line : viewer.panel().lines)
    if (!is_safe(line.value)) return "in the panel: " + escaped(line.value);
  std::string tooltip = viewer.tooltip();
  for (char& c : tooltip)
    if (c == '\n') c = ' ';
  if (!is_safe(tooltip)) return "in the tooltip: " + escaped(tooltip);
  return {};
}

class RandomUser {
 public:
  RandomUser(Viewer& viewer, const char* path) : viewer_(viewer), path_(path) {}

  void act() {
    const float x = number(1000);
    const float y = number(600);
    const Modifiers modifiers{random_() % 4 == 0, random_() % 4 == 0, random_() % 4 == 0};
    switch (random_() % 14) {
      case 0:
        return viewer_.pointer_down(x, y, modifiers);
      case 1:
        return viewer_.pointer_move(x, y);
      case 2:
        return viewer_.pointer_up(x, y);
      case 3:
      case 4:
        return viewer_.wheel(x, y, number(100), number(500) - 300, modifiers);
      case 5:
        return viewer_.double_click(x, y);
      case 6:
        return viewer_.resize(number(3000), number(2000));
      case 7:
        viewer_.search(std::string_view("ring.write").substr(0, random_() % 11));
        return;
      case 8:
        return viewer_.click(static_cast<uint32_t>(random_() % 30));
      case 9:
        return viewer_.set_filter(
            {.label = random_() % 2 ? "r" : "", .only_stuck = random_() % 5 == 0});
      case 10:
        return viewer_.select(0, static_cast<TaskIndex>(random_() % 5000));
      case 11:
        return update();
      default:
        return viewer_.run(static_cast<Command>(random_() % commands));
    }
  }

 private:
  void update() {
    DiskFiles disk;
    if (Result<Trace> trace = read_trace(disk, path_)) viewer_.update(0, *std::move(trace));
  }
  float number(float most) {
    return static_cast<float>(random_() % 10'000) / 10'000 * most - most / 10;
  }

  Viewer& viewer_;
  const char* path_;
  std::mt19937 random_{7};
};

bool use(const char* path) {
  DiskFiles disk;
  Result<Trace> trace = read_trace(disk, path);
  if (!trace) {
    std::fprintf(stderr, "%s: %s\n", path, trace.error().message().c_str());
    return false;
  }
  Viewer viewer;
  viewer.resize(900, 500);
  viewer.add(*std::move(trace), path);
  const Panel whole = viewer.panel();
  std::printf("%s: %s tasks, %s ended\n", path, value(whole, "tasks").c_str(),
              value(whole, "ended").c_str());
  RandomUser user(viewer, path);
  for (int step = 0; step < 60; step++) {
    if (const std::string wrong = problem(viewer); !wrong.empty()) {
      std::fprintf(stderr, "%s, step %d: %s\n", path, step, wrong.c_str());
      return false;
    }
    user.act();
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; i++) good = use(argv[i]) && good;
  return good ? 0 : 1;
}
