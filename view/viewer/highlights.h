// The tasks that are highlighted or faded in all views: matches, tasks related to the selected one,
// its counterpart in another trace, those of the row chosen in the pane, and tasks that are not on
// the critical path.
#pragma once

#include <cstdint>
#include <vector>

#include "view/viewer/finder.h"
#include "view/viewer/findings.h"
#include "view/viewer/path.h"
#include "view/viewer/selection.h"
#include "view/viewer/session_annotations.h"

namespace skein {

class Highlights {
 public:
  // Updates the marks after a change of any argument. O(tasks); O(arrows) with related tasks.
  void update(const Session& session, const SessionFindings& findings, const Finder& finder,
              const Selection& selection, const SessionAnnotations& annotations, const Path& path,
              const std::vector<std::vector<uint8_t>>& chosen);
  // One entry per task: 0 normal, 1 highlighted, 2 faded; empty: all normal.
  const std::vector<uint8_t>& marks(size_t track) const { return marks_[track]; }

 private:
  std::vector<uint8_t>& marks_of(const Session& session, size_t track);
  void add_related(const Session& session, uint32_t track, TaskIndex task);
  void add_stuck_chain(const SessionFindings& findings, uint32_t track, TaskIndex task);
  void fade_beside(const Session& session, const Path& path);

  std::vector<std::vector<uint8_t>> marks_;  // by track
};

}  // namespace skein
