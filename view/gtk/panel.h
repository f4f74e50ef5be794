// The panel beside the picture: the selection or range, with links.
#pragma once

#include <gtkmm.h>

#include <functional>

#include "view/viewer/viewer.h"

namespace skein::desktop {

class PanelView : public Gtk::ScrolledWindow {
 public:
  explicit PanelView(std::function<void(uint32_t link)> follow);

  // Does nothing if the panel is unchanged.
  void show_panel(Panel panel);

 private:
  std::function<void(uint32_t link)> follow_;
  Panel shown_;
  Gtk::Box box_{Gtk::Orientation::VERTICAL, 8};
  Gtk::Label title_;
  Gtk::Grid lines_;
};

}  // namespace skein::desktop
