// `skein render`: writes a picture of traces to a file; needs no display.

#include <cctype>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/picture.h"
#include "cli/output/output_file.h"
#include "cli/output/print.h"
#include "view/paint/paint.h"

#ifdef SKEIN_HAS_CAIRO
#include "view/cairo/paint.h"
#endif

namespace skein::cli {

namespace {

enum class Format { Svg, Png, Pdf };

Format find_format(const std::string& path) {
  const auto ends_with = [&](std::string_view suffix) {
    if (path.size() <= suffix.size()) return false;
    std::string end = path.substr(path.size() - suffix.size());
    for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return end == suffix;
  };
  Format format = Format::Svg;
  if (ends_with(".png"))
    format = Format::Png;
  else if (ends_with(".pdf"))
    format = Format::Pdf;
  else if (!ends_with(".svg"))
    die(2, path + ": unknown image format; use a name that ends with .svg, .png or .pdf");
#ifndef SKEIN_HAS_CAIRO
  if (format != Format::Svg)
    die(2, path + ": this skein was built without cairo and pango; it can write .svg only");
#endif
  return format;
}

// The picture's note, in the line of the time axis, which has no times then.
void add_note(const std::string& note, DrawList& list) {
  if (note.empty()) return;
  DrawList above;
  above.texts += note + '\0';
  above.primitives.push_back(
      {.x = 6, .y = 27, .text = 1, .shape = Shape::Text, .ink = Ink::Axis, .size = 11});
  append(list, above);
}

std::string paint_as(Format format, Picture& picture) {
  Viewer& viewer = picture.viewer;
  DrawList list = format == Format::Svg ? viewer.titled_picture() : viewer.picture();
  add_note(picture.note, list);
#ifdef SKEIN_HAS_CAIRO
  if (format == Format::Png) return to_png(list, viewer.theme(), 1);
  if (format == Format::Pdf) return to_pdf(list, viewer.theme(), picture.title);
#endif
  return to_svg(list, viewer.theme(), picture.title);
}

}  // namespace

int run_render(const RenderOptions& options) {
  const Format format = find_format(options.output);
  if (format != Format::Svg) check_not_a_terminal(options.output);
  check_not_an_input(options.output, options.picture.traces);
  // A PNG is completely in memory, with four bytes per pixel.
  constexpr float most_pixels = 1 << 28;
  if (format == Format::Png && !(options.width * options.height <= most_pixels))
    die(2, "a PNG has at most " + grouped(static_cast<uint64_t>(most_pixels)) +
               " pixels; .svg and .pdf may be larger");
  Picture picture = open_picture(options.picture);
  Viewer& viewer = picture.viewer;
  viewer.resize(options.width, options.height);
  viewer.run(Command::ToggleLegend);
  if (!picture.whole) {
    viewer.show(picture.from, picture.to);
    viewer.run(Command::FitRows);
  }
  const std::string bytes = paint_as(format, picture);
  if (bytes.empty()) die(2, options.output + ": the picture is too large for memory");
  write_output(options.output, bytes);
  return 0;
}

}  // namespace skein::cli
