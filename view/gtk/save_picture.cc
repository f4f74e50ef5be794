#include "view/gtk/save_picture.h"

#include <glibmm/bytes.h>

#include <filesystem>

#include "base/replace_file.h"
#include "view/cairo/paint.h"
#include "view/paint/paint.h"

namespace skein::desktop {

Result<void> export_picture(Viewer& viewer, const std::string& path, const std::string& title,
                            int scale) {
  const DrawList& list = viewer.picture();
  const Theme& theme = viewer.theme();
  const std::string ending = std::filesystem::path(path).extension().string();
  std::string bytes;
  if (ending == ".png")
    bytes = to_png(list, theme, scale);
  else if (ending == ".svg")
    bytes = to_svg(viewer.titled_picture(), theme, title);
  else if (ending == ".pdf")
    bytes = to_pdf(list, theme, title);
  else
    return Error{.what = "unknown image format; use a name that ends with .png, .svg or .pdf",
                 .file = path};
  if (bytes.empty()) return Error{.what = "the picture is too large", .file = path};
  return replace_file(path, bytes);
}

Glib::RefPtr<Gdk::Texture> picture_texture(Viewer& viewer, int scale) {
  const std::string png = to_png(viewer.picture(), viewer.theme(), scale);
  if (png.empty()) return {};
  return Gdk::Texture::create_from_bytes(Glib::Bytes::create(png.data(), png.size()));
}

}  // namespace skein::desktop
