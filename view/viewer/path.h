// The critical path shown in all views of a session, if any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/ask/critical.h"
#include "trace/session/session.h"
#include "view/viewer/findings.h"

namespace skein {

class Path {
 public:
  // Computes the path of this task; clears it if the task does not exist. Returns false if there is
  // none now.
  bool show(const Session& session, const SessionFindings& findings, uint32_t track,
            TaskIndex task);
  void clear() { *this = {}; }

  bool empty() const { return segments_.empty(); }
  uint32_t track() const { return track_; }
  TaskIndex task() const { return task_; }
  bool is_of(uint32_t track, TaskIndex task) const {
    return !empty() && task_ == task && track_ == track;
  }
  std::span<const Segment> segments() const { return segments_; }
  // Null if the task is not on the path at that time of its trace.
  const Segment* at(TaskIndex task, double time) const;

  // "blocked on lock (#5)"
  std::string text(const Session& session, const Segment& segment) const;
  // "critical path: blocked on lock (#5), 1.25 ms, 3.1 %"
  std::string title(const Session& session, const Segment& segment) const;

 private:
  uint32_t track_ = 0;
  TaskIndex task_ = no_index;
  std::vector<Segment> segments_;
};

// "1.25 ms, 3.1 %"
std::string share_text(uint64_t part, uint64_t whole);

}  // namespace skein
