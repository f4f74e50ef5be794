// The flame graph in the pane below the picture, with the choice of its time.
#pragma once

#include <gtkmm.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "view/viewer/pane/flame_pane.h"
#include "view/viewer/viewer.h"

namespace skein::desktop {

class FlameView : public Gtk::Overlay {
 public:
  // `acted` is called after each input.
  FlameView(Viewer& viewer, std::function<void()> acted);

  // Shows the viewer's graph. Cheap if it is unchanged.
  void refresh();
  // Call after replacing the viewer.
  void start_anew();
  // Whether it has the focus and uses this key, as in the DOM.
  bool key(std::string_view key);

 private:
  void listen();
  void paint(const Cairo::RefPtr<Cairo::Context>& cairo);
  void show_times();
  void after_input();

  Viewer& viewer_;
  std::function<void()> acted_;
  Gtk::DrawingArea area_;
  Gtk::DropDown choice_;
  std::vector<FlameTime> times_;  // in the order of the choice
  const Theme* theme_ = nullptr;  // of the picture
  bool filling_ = false;          // the choice's signal is not the user's
  double x_ = 0;                  // the pointer
  double y_ = 0;
  std::string tooltip_;
};

}  // namespace skein::desktop
