// Prints pictures as text, for golden files.
//
//   print_pictures            a small trace with all features, drawn at several zooms
//   print_pictures TRACE      for a trace, only totals of its lists: primitives by shape and ink,
//                             and a checksum of the lists' text
#include <cinttypes>
#include <cstdio>
#include <map>

#include "base/disk_files.h"
#include "trace/read/reader.h"
#include "view/draw/areas.h"
#include "view/draw/scene.h"

using namespace skein;

namespace {

EventRow row(uint64_t time, EventKind kind, TaskId task, TaskId other = no_task) {
  EventRow event;
  event.time = time * 1000;
  event.kind = kind;
  event.task = task;
  event.other = other;
  return event;
}

// A server: main accepts clients; a task per client waits for data, computes and answers. One task
// fails, one is stuck. The event loop sleeps, a garbage collection runs, a queue grows and shrinks.
Trace example() {
  Trace trace;
  trace.info.streams = 1;
  trace.info.utc_offset = 1'417'600'800'000'000'000;
  trace.executors.resize(1);
  trace.kinds = {trace.strings.intern("coroutine"), trace.strings.intern("operation")};
  const auto create = [&](uint64_t time, TaskId task, TaskId parent, uint64_t kind,
                          std::string_view label) {
    EventRow event = row(time, EventKind::Create, task, parent);
    event.value = kind;
    event.text = trace.strings.intern(label);
    trace.events.append(event);
  };
  const auto add = [&](const EventRow& event) { trace.events.append(event); };
  const auto text = [&](EventRow event, std::string_view what) {
    event.text = trace.strings.intern(what);
    add(event);
  };
  create(0, 1, no_task, 0, "main");
  add(row(1, EventKind::Resume, 1));
  for (TaskId client = 0; client < 4; client++) {
    const uint64_t t = 10 + client * 20;
    const TaskId task = 10 + client;
    const TaskId read = 20 + client;
    create(t, task, 1, 0, "client");
    text(row(t, EventKind::Label, task), "session " + std::to_string(client));
    add(row(t, EventKind::ShouldResolve, task));
    add(row(t + 1, EventKind::Resume, task, 1));
    create(t + 2, read, task, 1, "socket.read");
    add(row(t + 4, EventKind::Suspend, task, read));
    EventRow queue = row(t + 4, EventKind::CounterSet, task);
    queue.value = client + 1;
    text(queue, "queue#length");
    add(row(t + 5, EventKind::Resume, 1));
  }
  add(row(100, EventKind::Suspend, 1));
  add(row(100, EventKind::Idle, no_task));
  add(row(130, EventKind::Wake, no_task));
  for (TaskId client = 0; client < 3; client++) {
    const uint64_t t = 130 + client * 20;
    const TaskId task = 10 + client;
    const TaskId read = 20 + client;
    EventRow end = row(t, client == 1 ? EventKind::Fail : EventKind::Resolve, read, 1);
    text(end, client == 1 ? "connection reset" : "");
    add(row(t + 2, EventKind::Resume, task, read));
    EventRow queue = row(t + 3, EventKind::CounterSet, task);
    queue.value = 3 - client;
    text(queue, "queue#length");
    add(row(t + 8, client == 1 ? EventKind::Fail : EventKind::Resolve, task, no_task));
  }
  EventRow pause = row(195, EventKind::Pause, no_task);
  pause.value = 5000;
  text(pause, "gc");
  add(row(200, EventKind::Idle, no_task));
  add(row(300, EventKind::Wake, no_task));
  return trace;
}

struct Drawn {
  Trace trace;
  Model model = {};
  Rows rows = {};
};

DrawList picture(const Drawn& drawn, Window window, const Marks& marks) {
  const Track track{&drawn.trace, &drawn.model, &drawn.rows};
  const std::span<const Track> tracks(&track, 1);
  if (window.row_height == 0) {
    const Areas at = areas(tracks, window, marks);
    window.row_height = (at.counters - at.rows) / std::max(1.0, total_rows(tracks));
  }
  DrawList list;
  draw(tracks, window, marks, list);
  return list;
}

void print_example() {
  Drawn drawn{.trace = example()};
  drawn.model = build_model(drawn.trace);
  drawn.rows = arrange(drawn.trace, drawn.model);
  const auto end = static_cast<double>(drawn.model.end);
  Marks marks;
  marks.legend = true;
  Window window{.from = 0, .to = end, .width = 1000, .height = 400};
  printf("# whole\n%s", to_text(picture(drawn, window, marks)).c_str());
  window.from = 120'000;
  window.to = 160'000;
  marks.legend = false;
  marks.pointer_x = 300;
  marks.selected = 1;
  printf("\n# the part in which clients are answered\n%s",
         to_text(picture(drawn, window, marks)).c_str());
  window = {.from = 0, .to = end * 100, .row_height = 1, .width = 300, .height = 120};
  marks = {};
  printf("\n# from far away\n%s", to_text(picture(drawn, window, marks)).c_str());
  printf("\n# nothing\n%s", to_text(picture({}, {.width = 600, .height = 200}, {})).c_str());
}

// FNV-1a
uint64_t checksum(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

int print_sums(const char* path) {
  DiskFiles disk;
  Result<Trace> trace = read_trace(disk, path);
  if (!trace) {
    fprintf(stderr, "skein: %s\n", trace.error().message().c_str());
    return 2;
  }
  Drawn drawn{.trace = std::move(*trace)};
  drawn.model = build_model(drawn.trace);
  drawn.rows = arrange(drawn.trace, drawn.model);
  printf("%zu tasks in %u rows\n", drawn.model.tasks.size(), drawn.rows.count);
  const auto end = static_cast<double>(drawn.model.end);
  Marks marks;
  marks.legend = true;
  for (const double zoom : {1.0, 100.0, 1000.0})
    for (const double height : {0.0, 1.0, 26.0}) {
      const double from = zoom == 1 ? 0 : end * 0.012 - end / zoom / 2;
      const Window window{.from = from, .to = from + end / zoom, .row_height = height};
      const DrawList list = picture(drawn, window, marks);
      std::map<std::string, int> sums;
      for (const Primitive& primitive : list.primitives) {
        DrawList one;
        one.primitives = {primitive};
        one.primitives[0].text = 0;
        one.primitives[0].alpha = 255;
        one.primitives[0].size = 1;
        const std::string line = to_text(one);
        const size_t ink = line.rfind(' ') + 1;
        sums[line.substr(0, line.find(' ') + 1) + line.substr(ink, line.size() - ink - 1)]++;
      }
      printf("\nx%.0f, rows %s: %zu primitives, checksum %016" PRIx64 "\n", zoom,
             height == 0  ? "fit"
             : height < 2 ? "of a pixel"
                          : "of 26 pixels",
             list.primitives.size(), checksum(to_text(list)));
      for (const auto& [what, count] : sums) printf("  %5d %s\n", count, what.c_str());
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return print_sums(argv[1]);
  print_example();
}
