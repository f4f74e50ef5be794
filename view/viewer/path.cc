#include "view/viewer/path.h"

#include "base/percent.h"
#include "base/text.h"
#include "report/critical.h"
#include "trace/ask/find.h"

namespace skein {

std::string share_text(uint64_t part, uint64_t whole) {
  const auto duration = static_cast<double>(part);
  return duration_text(duration) + ", " + percent_text(duration, static_cast<double>(whole));
}

bool Path::show(const Session& session, const SessionFindings& findings, uint32_t track,
                TaskIndex task) {
  clear();
  if (!session.has_task(track, task)) return false;
  const Subject subject = findings.subject(track);
  track_ = track;
  task_ = task;
  segments_ = critical_path(session[track].trace, subject.model, subject.waits, task,
                            subject.model.tasks[task].start, end_of(subject.model, task));
  return !segments_.empty();
}

const Segment* Path::at(TaskIndex task, double time) const {
  const auto found = std::partition_point(
      segments_.begin(), segments_.end(),
      [&](const Segment& segment) { return static_cast<double>(segment.end) < time; });
  return found != segments_.end() && found->task == task ? &*found : nullptr;
}

std::string Path::text(const Session& session, const Segment& segment) const {
  const SessionTrace& of = session[track_];
  return safe_text(segment_text(of.trace, of.model, segment));
}

std::string Path::title(const Session& session, const Segment& segment) const {
  const uint64_t whole = segments_.back().end - segments_.front().begin;
  return "critical path: " + text(session, segment) + ", " +
         share_text(segment.end - segment.begin, whole);
}

}  // namespace skein
