// The program: arguments, windows, accelerator keys.
#pragma once

#include <gtkmm.h>

#include <string>

#include "view/gtk/window.h"

namespace skein::desktop {

// `skein-view [OPTION...] [--] [TRACE...]`, as `skein view` and `skein diff` call it after checking
// the arguments. Returns the program's exit code; 2 without a display.
//
//   --new-window          one per trace
//   --theme NAME
//   --critical-path TASK
//   --annotations NUMBER  an inherited descriptor with the output of write_annotations()
int run(int argc, char** argv);

Window& open_window(Gtk::Application& application, const std::string& theme);

}  // namespace skein::desktop
