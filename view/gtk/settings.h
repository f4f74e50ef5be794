// What is remembered from one window to the next: ~/.config/skein/view.conf.
#pragma once

#include <string>

namespace skein::desktop {

struct Settings {
  std::string theme;  // empty: never chosen
  int width = 1400;
  int height = 860;
  bool panel = true;
  bool legend = true;
  bool seen = false;  // a picture was shown before: no need to explain it
};

Settings load_settings();
void save_settings(const Settings& settings);  // what cannot be saved is forgotten

}  // namespace skein::desktop
