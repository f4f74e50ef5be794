// The event mix of a mirage-profile trace (net.ctf), recorded again with skein's functions: bytes
// per event, and a trace of any size for decoding.
//
//   bench_mix SOURCE DIRECTORY            once, at the source's rate; prints bytes per event
//   bench_mix SOURCE DIRECTORY REPEATS [THREADS]    REPEATS times in each thread, at full speed, in
//                                                   log mode
//
// SOURCE is a mirage-profile trace, or "-" for a generated sequence with net.ctf's number of events
// of each kind. Mapping of mirage events: creates -> create; read by the current task -> ready, by
// another -> resume_by; fulfills -> resolve; fails -> fail; becomes -> become; label -> label;
// increase -> counter_add; switch -> resume, switch to no task -> idle; gc -> pause.
#include <dirent.h>
#include <skein/format.h>
#include <skein/skein.h>
#include <string.h>
#include <time.h>

#include <cstdio>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/disk_files.h"
#include "bench/rounds.h"
#include "trace/read/reader.h"

namespace {

using namespace skein;

struct Replay {
  const Trace& source;
  std::unordered_map<TaskId, skein_task> tasks;
  std::vector<uint32_t> strings = {};  // by string id of the source
  size_t counts[event_kinds] = {};

  skein_task* task(TaskId id) { return &tasks[id]; }
  uint64_t id(TaskId id) { return id == no_task ? 0 : tasks[id].id; }

  void event(size_t i) {
    const Events& e = source.events;
    ++counts[static_cast<size_t>(e.kind[i])];
    skein_task* subject = e.task[i] != no_task ? task(e.task[i]) : nullptr;
    const uint32_t string = e.text[i] < strings.size() ? strings[e.text[i]] : 0;
    switch (e.kind[i]) {
      case EventKind::Create:
        skein_create_child(subject, id(e.other[i]), SKEIN_KIND_promise, "mirage", nullptr);
        break;
      case EventKind::Ready:
      case EventKind::TryRead:
        if (skein_current() == subject->id)
          skein_ready(subject, id(e.other[i]), nullptr);
        else
          skein_resume_by(subject, id(e.other[i]));
        break;
      case EventKind::Resolve:
        skein_resolve(subject, 0);
        break;
      case EventKind::Fail:
        skein_fail(subject, "failed", 0);
        break;
      case EventKind::Become:
        skein_become(subject, task(e.other[i]));
        break;
      case EventKind::Label:
        skein_label(subject, string);
        break;
      case EventKind::CounterAdd:
        skein_counter_add(string, static_cast<int64_t>(e.value[i]));
        break;
      case EventKind::Resume:
      case EventKind::SwitchTo:
        skein_resume(subject);
        break;
      case EventKind::Idle:
        skein_idle(0);
        break;
      case EventKind::Pause:
        skein_pause(1, e.value[i]);
        break;
      default:
        break;
    }
  }

  void run(bool cadence) {
    strings.clear();
    for (StringId s = 0; s < source.strings.size(); ++s)
      strings.push_back(skein_string(std::string(source.strings[s]).c_str()));
    const double begin = bench::wall_ns();
    for (size_t i = 0; i < source.events.size(); ++i) {
      while (cadence && bench::wall_ns() - begin < static_cast<double>(source.events.time[i])) {
        const timespec nap = {0, 1000};
        if (static_cast<double>(source.events.time[i]) - (bench::wall_ns() - begin) > 1e5)
          nanosleep(&nap, nullptr);
      }
      event(i);
    }
  }

  // Tasks that were never resolved would fill the table in repeated runs.
  void cancel_rest() {
    for (auto& [id, task] : tasks)
      if (task.row != 0) skein_cancel(&task);
    tasks.clear();
  }
};

// Generates net.ctf's number of events of each kind, in a random order with a fixed seed; 1,800
// tasks.
Trace make_up() {
  constexpr std::pair<EventKind, int> kMix[] = {
      {EventKind::Create, 1816}, {EventKind::Ready, 2596},      {EventKind::Resolve, 1511},
      {EventKind::Fail, 2},      {EventKind::Become, 215},      {EventKind::Label, 2185},
      {EventKind::Pause, 1},     {EventKind::CounterAdd, 1394}, {EventKind::SwitchTo, 358}};
  std::mt19937 random(7);
  std::vector<EventKind> order;
  for (auto [kind, count] : kMix)
    for (int i = 0; i < count; ++i) order.push_back(kind);
  std::shuffle(order.begin(), order.end(), random);
  Trace trace;
  TaskId next = 1;
  TaskId current = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const TaskId any = 1 + random() % next;
    EventRow row = {.time = i * 585'000, .task = any, .other = current, .kind = order[i]};
    if (row.kind == EventKind::Create) row.task = next++;
    if (row.kind == EventKind::SwitchTo) current = any;
    if (row.kind == EventKind::Ready && random() % 4 != 0) row.task = current, row.other = any;
    if (row.kind == EventKind::CounterAdd) row.value = random() % 1500;
    row.text = trace.strings.intern("label " + std::to_string(random() % 300));
    trace.events.append(row);
  }
  return trace;
}

// Sums the committed bytes of the event streams, and of their packet headers.
void sum_bytes(const std::string& directory, uint64_t& events, uint64_t& headers) {
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return;
  while (const dirent* entry = readdir(dir)) {
    if (entry->d_name[0] != 's') continue;
    FILE* file = fopen((directory + "/" + entry->d_name).c_str(), "rb");
    format::PacketHeader header;
    if (file != nullptr && fread(&header, sizeof header, 1, file) == 1 &&
        header.packet_seq_num + 1 > 0) {
      events += header.content_size / 8 - sizeof header;
      headers += sizeof header;
    }
    if (file != nullptr) fclose(file);
  }
  closedir(dir);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: bench_mix SOURCE|- DIRECTORY [REPEATS [THREADS]]\n", stderr);
    return 2;
  }
  Trace source;
  if (strcmp(argv[1], "-") == 0) {
    source = make_up();
  } else {
    DiskFiles disk;
    Result<Trace> read = read_trace(disk, argv[1]);
    if (!read) {
      fprintf(stderr, "skein: %s\n", read.error().message().c_str());
      return 2;
    }
    source = std::move(*read);
  }
  skein_options options = {};
  options.directory = argv[2];
  options.log = 1;
  if (const int error = skein_start(&options); error != 0) {
    fprintf(stderr, "skein: %s: %s\n", argv[2], strerror(error));
    return 1;
  }
  Replay replay = {.source = source, .tasks = {}};
  const int repeats = argc > 3 ? atoi(argv[3]) : 0;
  if (repeats == 0) replay.run(true);
  std::vector<std::thread> threads;
  for (int thread = 0; repeats > 0 && thread < (argc > 4 ? atoi(argv[4]) : 1); ++thread)
    threads.emplace_back([&source, repeats] {
      Replay own = {.source = source, .tasks = {}};
      for (int i = 0; i < repeats; ++i) {
        own.run(false);
        own.cancel_rest();
      }
    });
  for (std::thread& thread : threads) thread.join();
  skein_stop();
  if (repeats != 0) return 0;
  uint64_t bytes = 0;
  uint64_t headers = 0;
  sum_bytes(argv[2], bytes, headers);
  const double events = static_cast<double>(source.events.size());
  printf("bytes per event\t%.3f\t%.0f events, %llu bytes, packet headers %llu\n",
         static_cast<double>(bytes) / events, events, static_cast<unsigned long long>(bytes),
         static_cast<unsigned long long>(headers));
}
