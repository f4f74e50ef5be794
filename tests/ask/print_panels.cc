// Prints the viewer's panels of a trace and of each of its tasks.
//
//   print_panels TRACE
//
// The output begins with two lines such as "tasks 1,817" and "ended 1,728". A line follows for each
// task that is not a resource: id, state, id of the target or "-", verdict of why or "ok",
// separated by tabs.
#include <cstdio>
#include <string>

#include "base/disk_files.h"
#include "trace/read/reader.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

// Returns the value of the first line with this name, or `none`.
std::string value(const Panel& panel, std::string_view name, std::string_view none) {
  for (const PanelLine& line : panel.lines)
    if (line.name == name) return line.value;
  return std::string(none);
}

// Returns "1205" for "ring.write (#1205)".
std::string id_of(const std::string& task) {
  const size_t begin = task.rfind("(#");
  return begin == task.npos ? task : task.substr(begin + 2, task.find(')', begin) - begin - 2);
}

void print(Viewer& viewer) {
  for (const char* name : {"tasks", "ended"})
    std::printf("%s %s\n", name, value(viewer.panel(), name, "").c_str());
  const std::vector<Model::Task>& tasks = viewer.model(0).tasks;
  for (TaskIndex task = 0; task < tasks.size(); task++) {
    if (tasks[task].is_resource) continue;
    viewer.select(0, task);
    const Panel& panel = viewer.panel();
    const std::string state = value(panel, "state", "");
    std::printf("%llu\t%s\t%s\t%s\n", static_cast<unsigned long long>(tasks[task].id),
                state.substr(0, state.find_first_of(",:")).c_str(),
                id_of(value(panel, "waits for", "-")).c_str(), value(panel, "why", "ok").c_str());
  }
}

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
  viewer.resize(900, 500);
  viewer.add(*std::move(trace), argv[1]);
  print(viewer);
}
