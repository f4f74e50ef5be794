#include "view/cairo/paint.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "base/text.h"
#include "view/draw/text.h"
#include "view/paint/geometry.h"
#include "view/paint/paint.h"

namespace skein {

namespace {

template <auto release>
struct Release {
  template <typename T>
  void operator()(T* object) const {
    release(object);
  }
};
using Context = std::unique_ptr<cairo_t, Release<cairo_destroy>>;
using Surface = std::unique_ptr<cairo_surface_t, Release<cairo_surface_destroy>>;

void set_colour(cairo_t* context, const Theme& theme, const Primitive& p) {
  const Colour colour = theme[p.ink];
  cairo_set_source_rgba(context, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
                        p.alpha / 255.0);
}

// One layout for all texts of a picture: creating one costs as much as using it.
class Texts {
 public:
  explicit Texts(cairo_t* context)
      : context_(context), layout_(pango_cairo_create_layout(context)) {
    pango_layout_set_single_paragraph_mode(layout_.get(), TRUE);
    pango_layout_set_auto_dir(layout_.get(), FALSE);  // begins where it was placed
    pango_font_description_set_family_static(font_.get(), "sans-serif");
  }

  void paint(const DrawList& list, const Theme& theme, const Primitive& p) {
    const std::string_view whole = list.text(p);
    const std::string text = p.w > 0 ? fit_text(whole, p.size, p.w) : std::string(whole);
    if (text.empty() || p.size == 0 || !std::isfinite(p.x + p.y)) return;
    if (p.size != size_) {
      size_ = p.size;
      pango_font_description_set_absolute_size(font_.get(), size_ * double{PANGO_SCALE});
      pango_layout_set_font_description(layout_.get(), font_.get());
    }
    pango_layout_set_text(layout_.get(), text.data(), static_cast<int>(text.size()));
    set_colour(context_, theme, p);
    cairo_move_to(context_, p.x, p.y);
    pango_cairo_show_layout_line(context_, pango_layout_get_line_readonly(layout_.get(), 0));
  }

 private:
  cairo_t* context_;
  std::unique_ptr<PangoLayout, Release<g_object_unref>> layout_;
  std::unique_ptr<PangoFontDescription, Release<pango_font_description_free>> font_{
      pango_font_description_new()};
  uint8_t size_ = 0;
};

void paint_shape(const Theme& theme, const Primitive& p, cairo_t* context) {
  if (!std::isfinite(p.x + p.y + p.w + p.h)) return;
  set_colour(context, theme, p);
  if (p.shape == Shape::Fill) {
    cairo_rectangle(context, p.x, p.y, p.w, p.h);
    cairo_fill(context);
    return;
  }
  const std::optional<Stroke> stroke = find_stroke(p, 1);
  if (!stroke) return;
  cairo_set_line_width(context, stroke->width);
  cairo_move_to(context, stroke->from.x, stroke->from.y);
  cairo_line_to(context, stroke->to.x, stroke->to.y);
  cairo_stroke(context);
  if (!stroke->has_head) return;
  for (const Point& corner : stroke->head) cairo_line_to(context, corner.x, corner.y);
  cairo_fill(context);
}

std::string failed_or(std::string bytes, cairo_surface_t* surface) {
  return cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS ? std::move(bytes) : std::string();
}

cairo_status_t append(void* to, const unsigned char* bytes, unsigned size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void paint(const DrawList& list, const Theme& theme, cairo_t* context) {
  cairo_save(context);
  Texts texts(context);
  for (const Primitive& p : list.primitives)
    if (p.shape == Shape::Text)
      texts.paint(list, theme, p);
    else
      paint_shape(theme, p, context);
  cairo_restore(context);
}

void paint_image(const DrawList& list, const Theme& theme, double scale, cairo_surface_t* image) {
  if (cairo_surface_get_type(image) != CAIRO_SURFACE_TYPE_IMAGE) return;
  cairo_surface_flush(image);
  unsigned char* const data = cairo_image_surface_get_data(image);
  const cairo_format_t format = cairo_image_surface_get_format(image);
  const auto width = static_cast<uint32_t>(cairo_image_surface_get_width(image));
  const auto height = static_cast<uint32_t>(cairo_image_surface_get_height(image));
  const auto stride = static_cast<uint32_t>(cairo_image_surface_get_stride(image));
  if (data == nullptr || stride != width * 4 ||
      (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24))
    return;
  const std::span pixels(reinterpret_cast<uint32_t*>(data), size_t{width} * height);

  const Context context(cairo_create(image));
  cairo_scale(context.get(), scale, scale);
  Texts texts(context.get());
  // Shapes and texts alternate; cairo is notified of direct changes of pixels.
  for (size_t i = 0; i < list.primitives.size();) {
    if (list.primitives[i].shape == Shape::Text) {
      texts.paint(list, theme, list.primitives[i++]);
      continue;
    }
    size_t end = i;
    while (end < list.primitives.size() && list.primitives[end].shape != Shape::Text) end++;
    cairo_surface_flush(image);
    paint_pixels(list, i, end, theme, PixelOrder::Bgra, static_cast<float>(scale), width, height,
                 pixels);
    cairo_surface_mark_dirty(image);
    i = end;
  }
}

std::string to_png(const DrawList& list, const Theme& theme, double scale) {
  const auto pixels = [&](float units) {
    return static_cast<int>(std::clamp(std::ceil(units * scale), 1.0, 1e6));
  };
  const Surface image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(list.width), pixels(list.height)));
  std::string bytes;
  paint_image(list, theme, scale, image.get());
  if (cairo_surface_write_to_png_stream(image.get(), append, &bytes) != CAIRO_STATUS_SUCCESS)
    return {};
  return failed_or(std::move(bytes), image.get());
}

std::string to_pdf(const DrawList& list, const Theme& theme, std::string_view title) {
  std::string bytes;
  const Surface pdf(cairo_pdf_surface_create_for_stream(append, &bytes, list.width, list.height));
  cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_TITLE, safe_text(title).c_str());
  const Context context(cairo_create(pdf.get()));
  paint(list, theme, context.get());
  cairo_surface_finish(pdf.get());
  return failed_or(std::move(bytes), pdf.get());
}

}  // namespace skein
