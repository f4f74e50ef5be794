// A key of GDK as the DOM calls it, which is what the keyboard map is written in.
#pragma once

#include <gdkmm/enums.h>

#include <string>

#include "view/viewer/viewer.h"

namespace skein::desktop {

// "ArrowLeft", "F3", "a", "?"; empty for what has no name there.
std::string key_name(unsigned keyval);

Modifiers modifiers_of(Gdk::ModifierType state);

}  // namespace skein::desktop
