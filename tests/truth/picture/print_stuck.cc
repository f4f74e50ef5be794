// Prints which tasks the viewer shows as stuck, as a JSON object of ids.
//
//   print_stuck TRACE
//
//   alarm    its text
//   kept     by the filter for stuck tasks
//   red      tasks with a red part of their bar that is not the end of a failed task
//   painted  whether the picture has anything red, and its legend "failed or stuck"
//   cycle    the tasks that key `e` selects, until it selects one again; of each the verdict of the
//            panel ("why"), and what is highlighted with it ("marked")
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "base/disk_files.h"
#include "trace/read/reader.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

class StuckInPicture {
 public:
  explicit StuckInPicture(Viewer& viewer) : viewer_(viewer) {}

  std::string json() {
    const std::string alarm = viewer_.alarm();
    std::string out = "{\"alarm\": \"" + alarm + "\", \"red\": " + red();
    const DrawList& picture = viewer_.picture();
    const auto paints = [](const Primitive& p) { return p.ink == Ink::Failed; };
    out += std::string(", \"painted\": ") +
           (std::any_of(picture.primitives.begin(), picture.primitives.end(), paints) ? "true"
                                                                                      : "false");
    out += ", \"cycle\": [" + cycle() + "]";
    viewer_.set_filter({.only_stuck = true});
    viewer_.picture();
    std::set<TaskIndex> kept(rows().tasks.begin(), rows().tasks.end());
    return out + ", \"kept\": " + list(kept) + "}";
  }

 private:
  const Rows& rows() const { return *viewer_.tracks()[0].rows; }
  std::string id(TaskIndex task) const { return std::to_string(viewer_.model(0).tasks[task].id); }
  std::string list(const std::set<TaskIndex>& tasks) const {
    std::string out;
    for (const TaskIndex task : tasks) out += (out.empty() ? "" : ", ") + id(task);
    return "[" + out + "]";
  }

  std::string red() {
    viewer_.picture();
    std::set<TaskIndex> found;
    for (size_t i = 0; i < rows().red_positions.size(); i++) {
      const uint32_t position = rows().red_positions[i];
      const Rows::Times times = rows().red_times[i];
      const bool is_failed = std::count(rows().failed.begin(), rows().failed.end(), position) != 0;
      if (!is_failed || times.end > times.start + 1) found.insert(rows().tasks[position]);
    }
    return list(found);
  }

  std::string cycle() {
    std::string out;
    TaskIndex first = no_index;
    for (;;) {
      viewer_.run(Command::NextStuck);
      const TaskIndex task = viewer_.selected();
      if (task == no_index || task == first) return out;
      if (first == no_index) first = task;
      std::set<TaskIndex> marked;
      const std::span<const uint8_t> marks = viewer_.marks().tasks[0];
      for (TaskIndex i = 0; i < marks.size(); i++)
        if (marks[i] == 1) marked.insert(i);
      std::string verdict;
      for (const PanelLine& line : viewer_.panel().lines)
        if (line.name == "why") verdict = line.value;
      out += (out.empty() ? "" : ", ") + std::string("{\"id\": ") + id(task) + ", \"why\": \"" +
             verdict + "\", \"marked\": " + list(marked) + "}";
    }
  }

  Viewer& viewer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  DiskFiles disk;
  Result<Trace> trace = read_trace(disk, argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return 2;
  }
  Viewer viewer;
  viewer.resize(1200, 700);
  viewer.add(*std::move(trace), "trace");
  std::printf("%s\n", StuckInPicture(viewer).json().c_str());
  return 0;
}
