// One way to draw a session. Views share selection, matches and notes (shared.h); a view's viewport
// and drags are private to it. A view implements at least:
//
//   class TaskList : public View {
//     using View::View;
//     void resize(float width, float height) override;
//     void reveal(uint32_t track, TaskIndex task, double time) override;
//     void session_changed() override;
//     void draw(DrawList& list) override;
//   };
//
// Everything else has a default that suits a view without a time axis. The front ends show
// timeline/timeline.h; view_test.cc has a list of tasks. The functions are called once per input or
// picture, not per primitive.
//
// To add a view: a folder beside timeline/, and a member of ViewerState (state.h), which notifies all
// views. CONTRIBUTING.md lists the rest.
//
// Invariant: after changing the session or its filter, callers must call one of the functions under
// "the session changed" before any other.
#pragma once

#include <optional>
#include <string>

#include "view/draw/draw_list.h"
#include "view/layout/rows.h"
#include "view/viewer/command.h"
#include "view/viewer/modifiers.h"
#include "view/viewer/shared.h"

namespace skein {

class View {
 public:
  explicit View(Shared& shared) : shared_(shared) {}
  View(const View&) = delete;
  virtual ~View() = default;

  // ---- the session changed
  virtual void session_changed() = 0;
  // A trace was added, with the rows of all its tasks if they are known (only the timeline gets
  // them); or all traces were realigned; or the filter passes other tasks.
  virtual void added(std::optional<Rows>) { session_changed(); }
  virtual void aligned() { session_changed(); }
  virtual void filtered() { session_changed(); }
  // `old` was replaced by a longer version of the same trace; or the end of a trace moved.
  // before_change() is called first.
  virtual void before_change() {}
  virtual void replaced(size_t, const SessionTrace& /*old*/, std::optional<Rows>) {
    session_changed();
  }
  virtual void grown(size_t) { session_changed(); }
  // Returns false if extending the end of a trace does not change the picture.
  virtual bool end_in_sight() const { return true; }

  // ---- the picture; valid until the next call that is not const
  virtual void resize(float width, float height) = 0;
  const DrawList& scene();
  const DrawList& readouts();  // painted over the scene; pointer movements change only these
  const DrawList& picture();   // both
  uint32_t scene_version() const {
    return scene_version_ + shared_.scene_version + shared_.findings.version();
  }
  uint32_t version() const { return version_ + scene_version(); }
  bool changed() const { return readouts_.version != version(); }  // since the readouts were drawn
  void redraw() { scene_version_++; }
  void redraw_readouts() { version_++; }

  // ---- pointer, wheel and fingers, in pixels
  virtual void pointer_move(float, float) {}
  virtual void pointer_leave() {}
  virtual void pointer_down(float, float, Modifiers) {}
  virtual void pointer_up(float x, float y) { click(x, y); }
  virtual void click(float x, float y);  // selects the item there
  virtual void wheel(float, float, float, float, Modifiers) {}
  virtual void pinch(float, float, float) {}
  virtual bool stop_dragging() { return false; }  // false: there was no drag

  // ---- commands
  virtual void command_begins(Command) {}              // called for every command; ends gestures
  virtual bool run(Command) { return false; }          // false: not a command of this view
  virtual void reveal(uint32_t track, TaskIndex task,  // with as little change as possible
                      double time) = 0;
  // reveal() with a range of time visible.
  virtual void reveal_range(uint32_t track, TaskIndex task, double from, double) {
    reveal(track, task, from);
  }
  virtual void go_to_time(double) {}
  virtual void set_focus(double) {}  // the time the user looks at; no_time: unknown

  // ---- what it shows, for commands and panels
  struct Times {
    double from = 0;
    double to = 0;
  };
  virtual Times times() const { return {shared_.session.first(), shared_.session.last()}; }
  virtual double focus_time() const { return times().from; }
  virtual double pointed_time() const { return focus_time(); }  // under the pointer, or the middle
  virtual Item pointed_item() const { return {}; }
  virtual std::string pointed_state() const {
    return {};
  }  // of the thread whose state is pointed at
  virtual uint32_t hidden(size_t, TaskIndex) const { return 0; }  // collapsed descendants

 protected:
  // Replace the contents of the list: draw() with the scene, draw_over() with the readouts.
  virtual void draw(DrawList& list) = 0;
  virtual void draw_over(DrawList&) {}

  Shared& shared_;

 private:
  // A list with the version that was drawn last.
  struct Drawn {
    DrawList list;
    uint32_t version = 0;
  };
  Drawn scene_;
  Drawn readouts_;
  Drawn picture_;
  uint32_t scene_version_ = 1;
  uint32_t version_ = 1;
};

}  // namespace skein
