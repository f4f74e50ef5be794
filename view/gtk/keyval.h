// Converts GDK keys to DOM names, which the keyboard map uses.
#pragma once

#include <gdkmm/enums.h>

#include <string>

#include "view/viewer/viewer.h"

namespace skein::desktop {

// "ArrowLeft", "F3", "a", "?"; empty if the key has no such name.
std::string key_name(unsigned keyval);

Modifiers modifiers_of(Gdk::ModifierType state);

}  // namespace skein::desktop
