// The picture as a widget: forwards pointer, wheel and pinches to the viewer and paints its draw
// list. The window handles keys.
#pragma once

#include <gtkmm.h>

#include <functional>
#include <optional>

#include "view/viewer/viewer.h"

namespace skein::desktop {

class Picture : public Gtk::DrawingArea {
 public:
  // `acted` is called after each input.
  Picture(Viewer& viewer, std::function<void()> acted);

  // Call after changing the viewer by other means. Cheap if nothing has changed.
  void refresh();
  // Call after replacing the viewer.
  void start_anew();

 private:
  void listen();
  void paint(const Cairo::RefPtr<Cairo::Context>& cairo, int width, int height);
  bool show_tooltip(const Glib::RefPtr<Gtk::Tooltip>& tooltip);
  void after_input();

  Viewer& viewer_;
  std::function<void()> acted_;
  Cairo::RefPtr<Cairo::ImageSurface> image_;  // of the last scene
  std::optional<uint32_t> painted_;           // its version
  double x_ = 0;                              // the pointer
  double y_ = 0;
  bool dragging_ = false;
  double drag_x_ = 0;
  double drag_y_ = 0;
  bool second_click_ = false;
  double pinched_ = 1;
  std::string tooltip_;
};

}  // namespace skein::desktop
