// Help for keys and mouse over the picture, generated from the tables that every front end uses.
#pragma once

#include <gtkmm.h>

#include <functional>

namespace skein::desktop {

// Keys that only the desktop window has: files, windows.
struct WindowKey {
  const char* action;  // "win.open"; null: GTK handles this key
  const char* keys;    // in GTK's syntax: "<Control>o"
  const char* shown;   // "Ctrl+o"
  const char* help;
};
extern const WindowKey window_keys[13];

// The widget laid over a picture of this width: as many columns as are readable.
class HelpView : public Gtk::Frame {
 public:
  HelpView(std::function<void()> close, int width);
};

}  // namespace skein::desktop
