// What a comparison of two traces, or the doctor of one, says about a session (Annotations): which
// task is which in the other trace, and markers at tasks. All views show the same.
//
// Entries are by index, so they are of the traces as they were at set(): after a trace was replaced
// there are no counterparts in it until set() is called again.
#pragma once

#include <string>
#include <vector>

#include "trace/session/session.h"
#include "view/viewer/annotations.h"

namespace skein {

class Linked {
 public:
  struct Marker {
    uint32_t track = 0;
    TaskIndex task = no_index;
    double time = 0;  // of the trace
    std::string text = {};
  };
  struct Counterpart {
    uint32_t track = 0;
    TaskIndex task = no_index;  // no_index: there is none like it
  };

  void set(const Annotations& annotations, const Session& session);
  void replaced(size_t track);

  const std::string& text() const { return text_; }  // the verdict, without a full stop
  const std::vector<Marker>& markers() const { return markers_; }
  // False: the trace is compared with none.
  bool find(const Session& session, size_t track, TaskIndex task, Counterpart& other) const;

 private:
  struct Side {
    std::vector<TaskIndex> tasks;  // one entry per task; empty: it is compared with none
    uint32_t other = 0;
  };
  std::vector<Side> sides_;
  std::vector<Marker> markers_;
  std::string text_;
};

}  // namespace skein
