// Prints the draw lists of traces as text after each of several steps. page_test.mjs performs the
// same steps in the page; the output must be identical.
#include <cstdio>
#include <string>
#include <string_view>

#include "base/disk_files.h"
#include "trace/read/reader.h"
#include "view/viewer/keys.h"
#include "view/viewer/viewer.h"

using namespace skein;

int main(int, char** argv) {
  DiskFiles disk;
  Viewer viewer;
  for (; *++argv != nullptr;) {
    auto trace = read_trace(disk, *argv);
    if (!trace) return 2;
    const std::string_view path = *argv;
    viewer.add(*std::move(trace), std::string(path.substr(path.rfind('/') + 1)));
  }
  viewer.resize(1000, 600);
  viewer.alarm();  // the page has found the stuck tasks, too
  const auto print = [&](const char* what) {
    std::printf("# %s\n%s", what, to_text(viewer.picture()).c_str());
  };
  print("whole");
  for (int i = 0; i < 6; i++) {
    viewer.wheel(300, 200, 0, -240, {});
    print("zoomed");
  }
  viewer.wheel(300, 200, 200, 0, {});
  print("panned");
  viewer.pointer_down(300, 120, {});
  viewer.pointer_up(300, 120);
  viewer.pointer_move(400, 300);
  print("selected");
  viewer.search("e");
  print("searched");
  for (const char* name : {"search-next", "rows-higher", "toggle-legend", "fit-all"}) {
    viewer.run(find_command(name)->command);
    print(name);
  }
}
