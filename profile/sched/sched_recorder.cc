#include "profile/sched/sched_recorder.h"

#include <skein/format.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "target/thread_ids.h"

namespace skein {

namespace {

std::string first_line(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

std::string process_folder(uint32_t pid) { return "/proc/" + std::to_string(pid); }

}  // namespace

SchedRecorder::SchedRecorder(uint32_t pid, SchedEvents events)
    : pid_(pid),
      events_(std::move(events)),
      tracker_(pid, thread_ids(process_folder(pid) + "/task"),
               [](uint32_t tid) { return first_line(process_folder(tid) + "/comm"); }) {}

Result<SchedRecorder> SchedRecorder::start(uint32_t pid) {
  const TickMap::Pair begin = TickMap::read();
  Result<SchedEvents> events = SchedEvents::open(pid);
  if (!events) return events.error();
  SchedRecorder recorder(pid, *std::move(events));
  recorder.ticks_.add(begin);
  return recorder;
}

void SchedRecorder::work(const std::string& directory, int milliseconds) {
  events_.wait(milliseconds);
  const TickMap::Pair now = TickMap::read();
  ticks_.add(now);
  events_.drain([&](const SchedRecord& record) { tracker_.add(record); });
  // A record is in its ring some microseconds after its time.
  constexpr uint64_t delay = 2'000'000;
  take(now.monotonic_ns - delay, directory);
  look_for_functions();
}

// In which functions of the kernel threads wait that have just blocked. Each takes some
// microseconds: not for all, if there are many.
void SchedRecorder::look_for_functions() {
  constexpr size_t most = 16;
  for (const uint32_t thread : tracker_.newly_blocked(most)) {
    const uint64_t before = TickMap::read().monotonic_ns;
    const std::string name =
        first_line(process_folder(pid_) + "/task/" + std::to_string(thread) + "/wchan");
    if (name.empty() || name == "0") continue;
    tracker_.add({.kind = SchedRecord::Kind::Function,
                  .pid = pid_,
                  .tid = thread,
                  .time = TickMap::read().monotonic_ns,
                  .since = before,
                  .name = name});
  }
}

void SchedRecorder::take(uint64_t until, const std::string& directory) {
  tracker_.take_until(until, [&](const SchedChange& change) { changes_.push_back(change); });
  write_changes(directory);
}

void SchedRecorder::write_changes(const std::string& directory) {
  if (!writer_ && !error_ && access((directory + "/metadata").c_str(), F_OK) == 0) {
    Result<SchedWriter> writer = SchedWriter::open(directory);
    if (writer)
      writer_ = std::move(*writer);
    else
      error_ = writer.error();
  }
  if (!writer_) {
    constexpr size_t most = 1'000'000;
    if (changes_.size() <= most) return;
    dropped_ += changes_.size() - most / 2;
    changes_.erase(changes_.begin(), changes_.end() - most / 2);
    return;
  }
  const bool is_counter = writer_->counts_tsc() && ticks_.has_counter();
  for (const SchedChange& change : changes_)
    writer_->put((is_counter ? ticks_.counter(change.time) : change.time) >> format::kTickShift,
                 change);
  changes_.clear();
  writer_->commit(lost());
}

Result<void> SchedRecorder::finish(const std::string& directory) {
  ticks_.add(TickMap::read());
  events_.drain([&](const SchedRecord& record) { tracker_.add(record); });
  take(UINT64_MAX, directory);
  if (error_) return *error_;
  if (!writer_) return Error{.what = "no trace", .file = directory};
  return writer_->finish();
}

}  // namespace skein
