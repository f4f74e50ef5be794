// Settings that persist between windows: ~/.config/skein/view.conf.
#pragma once

#include <string>

namespace skein::desktop {

struct Settings {
  std::string theme;  // empty: never chosen
  int width = 1400;
  int height = 860;
  bool panel = true;
  bool legend = true;
  bool pane = false;     // the table of tasks is open
  int pane_height = 220;
  bool seen = false;  // a picture was shown before: the hint is not needed
};

Settings load_settings();
void save_settings(const Settings& settings);  // ignores errors

}  // namespace skein::desktop
