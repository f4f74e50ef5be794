// The annotations (Annotations) of a session, from a comparison of two traces or the doctor of one:
// the counterparts of tasks, and markers at tasks. All views show the same ones.
//
// Entries are by index and refer to the traces as of set(). A replaced trace has no counterparts
// until the next set().
#pragma once

#include <string>
#include <vector>

#include "trace/session/session.h"
#include "view/viewer/annotations.h"

namespace skein {

class SessionAnnotations {
 public:
  struct Marker {
    uint32_t track = 0;
    TaskIndex task = no_index;
    double time = 0;  // of the trace
    std::string text = {};
  };
  struct Counterpart {
    uint32_t track = 0;
    TaskIndex task = no_index;  // no_index: unmatched
  };

  void set(const Annotations& annotations, const Session& session);
  void replaced(size_t track);

  const std::string& text() const { return text_; }  // the verdict, without a full stop
  const std::vector<Marker>& markers() const { return markers_; }
  // Returns false if the trace is not compared with another.
  bool find(const Session& session, size_t track, TaskIndex task, Counterpart& other) const;

 private:
  struct Side {
    std::vector<TaskIndex> tasks;  // one entry per task; empty: not compared
    uint32_t other = 0;
  };
  std::vector<Side> sides_;
  std::vector<Marker> markers_;
  std::string text_;
};

}  // namespace skein
