// `skein render`: the picture as a file, without a screen.
#include <memory>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/picture.h"
#include "cli/print.h"
#include "cli/running.h"
#include "view/paint/paint.h"

#ifdef SKEIN_HAS_CAIRO
#include "view/cairo/paint.h"
#endif

namespace skein::cli {

namespace {

struct RenderArguments {
  PictureArguments picture;
  std::string output;
  float width = 1500;
  float height = 900;
};

enum class Format { Svg, Png, Pdf };

Format find_format(const std::string& path) {
  const auto ends_with = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           CLI::detail::to_lower(path.substr(path.size() - suffix.size())) == suffix;
  };
  Format format = Format::Svg;
  if (ends_with(".png"))
    format = Format::Png;
  else if (ends_with(".pdf"))
    format = Format::Pdf;
  else if (!ends_with(".svg"))
    fail(2, path + ": its name must end with .svg, .png or .pdf");
#ifndef SKEIN_HAS_CAIRO
  if (format != Format::Svg)
    fail(2, path + ": this skein was built without cairo and pango; it can write .svg only");
#endif
  return format;
}

std::string paint_as(Format format, Viewer& viewer, const std::string& title) {
#ifdef SKEIN_HAS_CAIRO
  if (format == Format::Png) return to_png(viewer.picture(), viewer.theme(), 1);
  if (format == Format::Pdf) return to_pdf(viewer.picture(), viewer.theme(), title);
#endif
  (void)format;
  return to_svg(viewer.titled_picture(), viewer.theme(), title);
}

void render(const RenderArguments& arguments) {
  const Format format = find_format(arguments.output);
  refuse_inputs(arguments.output, arguments.picture.traces);
  // A PNG is in memory as a whole, four bytes a pixel.
  constexpr float most_pixels = 1 << 28;
  if (format == Format::Png && !(arguments.width * arguments.height <= most_pixels))
    fail(2, "a PNG has at most " + grouped(static_cast<uint64_t>(most_pixels)) +
                " pixels; .svg and .pdf may be larger");
  Picture picture = open_picture(arguments.picture);
  Viewer& viewer = picture.viewer;
  viewer.resize(arguments.width, arguments.height);
  viewer.run(Command::ToggleLegend);
  if (!picture.whole) {
    viewer.show(picture.from, picture.to);
    viewer.run(Command::FitRows);
  }
  const std::string bytes = paint_as(format, viewer, picture.title);
  if (bytes.empty()) fail(2, arguments.output + ": the picture is too large for memory");
  write_output(arguments.output, bytes);
}

}  // namespace

void add_render(CLI::App& app) {
  auto* command = app.add_subcommand("render", "The picture of traces as PNG, SVG or PDF");
  auto arguments = std::make_shared<RenderArguments>();
  add_picture_arguments(*command, arguments->picture);
  command
      ->add_option("-o,--output", arguments->output,
                   "the file: its name ends with .png, .svg or .pdf")
      ->required();
  const CLI::Validator pixels(
      [](std::string& text) -> std::string {
        float number = 0;
        const bool good =
            CLI::detail::lexical_cast(text, number) && number >= 16 && number <= 32'767;
        return good ? "" : text + " is not a number of pixels between 16 and 32767";
      },
      "PIXELS");
  command->add_option("--width", arguments->width, "of the picture, in pixels")
      ->check(pixels)
      ->capture_default_str();
  command->add_option("--height", arguments->height, "the same")
      ->check(pixels)
      ->capture_default_str();
  command->callback([arguments] { render(*arguments); });
}

}  // namespace skein::cli
