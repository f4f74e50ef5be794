// The program: arguments, windows, keys of menus.
#pragma once

#include <gtkmm.h>

#include <string>

#include "view/gtk/window.h"

namespace skein::desktop {

// `skein-view [OPTION...] [--] [TRACE...]`, as `skein view` and `skein diff` call it: the arguments
// were checked there. Returns the program's exit code; 2 without a display.
//
//   --new-window          of each trace
//   --theme NAME
//   --critical-path TASK
//   --annotations NUMBER  an inherited descriptor with what write_annotations() made of two traces
int run(int argc, char** argv);

Window& open_window(Gtk::Application& application, const std::string& theme);

}  // namespace skein::desktop
