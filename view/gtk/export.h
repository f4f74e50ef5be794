// The picture as it is, in a file.
#pragma once

#include <gdkmm/texture.h>

#include <string>

#include "base/result.h"
#include "view/viewer/viewer.h"

namespace skein::desktop {

// What the name ends with says what is written: .png, .svg or .pdf. A PNG has `scale` pixels per
// unit of the picture each way.
Result<void> export_picture(Viewer& viewer, const std::string& path, const std::string& title,
                            int scale);

// For the clipboard.
Glib::RefPtr<Gdk::Texture> picture_texture(Viewer& viewer, int scale);

}  // namespace skein::desktop
