// Which tasks are highlighted in all views, and which are faded: matches, what belongs to the
// selected task, its counterpart in another trace, and what is not on the critical path.
#pragma once

#include <cstdint>
#include <vector>

#include "view/viewer/finder.h"
#include "view/viewer/findings.h"
#include "view/viewer/linked.h"
#include "view/viewer/path.h"
#include "view/viewer/selection.h"

namespace skein {

class Highlights {
 public:
  // Follows a change of any of these. O(tasks), and with related tasks O(arrows).
  void update(const Session& session, const SessionFindings& findings, const Finder& finder,
              const Selection& selection, const Linked& linked, const Path& path);
  // One entry per task: 0 as usual, 1 highlighted, 2 faded; empty: all as usual.
  const std::vector<uint8_t>& marks(size_t track) const { return marks_[track]; }

 private:
  std::vector<uint8_t>& marks_of(const Session& session, size_t track);
  void add_related(const Session& session, uint32_t track, TaskIndex task);
  void add_stuck_chain(const SessionFindings& findings, uint32_t track, TaskIndex task);
  void fade_beside(const Session& session, const Path& path);

  std::vector<std::vector<uint8_t>> marks_;  // by track
};

}  // namespace skein
