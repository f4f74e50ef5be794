// The state that all views of a session share: the traces, the selection, matches, highlights and
// notes. A view (view.h) keeps its viewport, folded rows and drags private.
//
// After changing a part, call changed(), or marked() if marks of tasks depend on it. Views and
// panels compare the versions with those of their last drawing.
#pragma once

#include "trace/ask/logical_samples.h"
#include "trace/session/session.h"
#include "view/viewer/bookmarks.h"
#include "view/viewer/finder.h"
#include "view/viewer/findings.h"
#include "view/viewer/highlights.h"
#include "view/viewer/path.h"
#include "view/viewer/selection.h"
#include "view/viewer/session_annotations.h"

namespace skein {

struct Shared {
  Session session;
  SessionFindings findings{session};
  Selection selection;
  Finder finder{session, findings};
  SessionAnnotations annotations;
  Path path;
  Highlights highlights;
  Bookmarks bookmarks;
  // The tasks of the row that is chosen in the pane, by track and task: 1 is one of them. A track
  // without them is empty.
  std::vector<std::vector<uint8_t>> chosen;
  uint32_t choice_version = 1;  // changes with them
  // The same for the tasks of the frame that is chosen in the flame graph.
  std::vector<std::vector<uint8_t>> framed;
  std::vector<std::vector<SampleAt>> framed_samples;  // by track, the samples of that frame
  uint32_t framed_version = 1;

  uint32_t text_version = 1;   // changes when panels have other texts
  uint32_t scene_version = 1;  // changes when views look different

  const Model& model(size_t track) const { return session[track].model; }

  void select(const Item& item) {
    selection.select(item);
    text_version++;
    marked();
  }
  void marked() {
    highlights.update(session, findings, finder, selection, annotations, path,
                      framed.empty() ? chosen : framed);
    scene_version++;
  }
  void redraw() { scene_version++; }
  void found() {  // the matches changed
    text_version++;
    marked();
  }
  bool show_path(uint32_t track, TaskIndex task) {
    const bool any = path.show(session, findings, track, task);
    text_version++;
    marked();
    return any;
  }
};

}  // namespace skein
