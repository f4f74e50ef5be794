// The program: arguments, windows, keys of menus.
#pragma once

#include <gtkmm.h>

#include <string>

#include "view/gtk/window.h"

namespace skein::desktop {

// `skein-view [--new-window] [--theme NAME] [--] [TRACE...]`, as `skein view` calls it: the
// arguments were checked there. Returns the program's exit code; 2 without a display.
int run(int argc, char** argv);

Window& open_window(Gtk::Application& application, const std::string& theme);

}  // namespace skein::desktop
