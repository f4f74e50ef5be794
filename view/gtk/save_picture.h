// Writes the current picture to a file.
#pragma once

#include <gdkmm/texture.h>

#include <string>

#include "base/result.h"
#include "view/viewer/viewer.h"

namespace skein::desktop {

// The suffix of the name selects the format: .png, .svg or .pdf. A PNG has `scale` pixels per unit
// of the picture in each direction.
Result<void> export_picture(Viewer& viewer, const std::string& path, const std::string& title,
                            int scale);

// For the clipboard.
Glib::RefPtr<Gdk::Texture> picture_texture(Viewer& viewer, int scale);

}  // namespace skein::desktop
