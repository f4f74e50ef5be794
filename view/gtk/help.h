// What keys and mouse do, over the picture: made from the tables that every shell uses.
#pragma once

#include <gtkmm.h>

#include <functional>

namespace skein::desktop {

// Keys of the desktop's window alone: files, windows.
struct WindowKey {
  const char* action;  // "win.open"; null: GTK knows this key
  const char* keys;    // as GTK writes them: "<Control>o"
  const char* shown;   // "Ctrl+o"
  const char* help;
};
extern const WindowKey window_keys[13];

// The widget to be laid over the picture, which is so wide: in as many columns as can be read.
class HelpView : public Gtk::Frame {
 public:
  HelpView(std::function<void()> close, int width);
};

}  // namespace skein::desktop
