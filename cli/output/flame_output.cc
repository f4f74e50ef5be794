#include "cli/output/flame_output.h"

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/die.h"
#include "cli/input/trace_input.h"
#include "cli/output/output_file.h"
#include "cli/output/terminal.h"
#include "profile/flame/folded_text.h"
#include "profile/flame/palette.h"
#include "profile/flame/pprof.h"
#include "profile/flame/speedscope.h"
#include "profile/flame/svg.h"

namespace skein::cli {

namespace {

using Format = FlameFormat;

struct FormatName {
  std::string_view name;
  Format format;
  std::string_view suffix;
};
constexpr std::array format_names{
    FormatName{"svg", Format::Svg, ".svg"},
    FormatName{"html", Format::Html, ".html"},
    FormatName{"html", Format::Html, ".htm"},
    FormatName{"folded", Format::Folded, ".folded"},
    FormatName{"folded", Format::Folded, ".txt"},
    FormatName{"pprof", Format::Pprof, ".pb.gz"},
    FormatName{"speedscope", Format::Speedscope, ".speedscope.json"},
    FormatName{"speedscope", Format::Speedscope, ".json"},
};

// The option --minwidth: px, or a share of the width as "1%".
double least_width(const FlameOptions& options) {
  std::string_view text = options.least_width;
  const bool is_share = text.ends_with('%');
  if (is_share) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 1e5))
    die(2, "--minwidth: invalid width '" + options.least_width +
               "'; use pixels (0.5) or a share (1%)");
  return is_share ? value / 100 * (options.width - 2 * flame_margin) : value;
}

std::string default_title(const FlameOptions& options, const std::string& what) {
  std::string kind = options.chart    ? "Flame chart"
                     : options.icicle ? "Icicle graph"
                                      : "Flame graph";
  const std::string shown = what.empty() ? "" : ": " + what;
  if (options.inputs.size() != 1 || options.inputs[0] == "-") return kind + shown;
  return trace_name(options.inputs[0]) + shown + (options.before.size() == 1 && options.before[0] != "-"
                                              ? ", compared with " + trace_name(options.before[0])
                                              : "");
}

FlameLook make_look(const FlameOptions& options, bool compares, const FlameText& text) {
  FlameLook look;
  look.title = options.title.value_or(default_title(options, text.what));
  look.subtitle = options.subtitle.empty() ? text.subtitle : options.subtitle;
  look.libraries = text.libraries;
  look.notes = options.notes;
  look.unit = options.unit.empty() ? text.unit : options.unit;
  look.name_type = options.name_type;
  look.font = options.font;
  look.font_size = options.font_size;
  look.letter = options.font_width;
  look.attributes = text.attributes;
  look.random = options.random;
  if (!options.background.empty()) look.background = gradient_of(options.background);
  look.palette = palette_of(options.colours).value_or(Palette::Hot);
  look.width = options.width;
  look.row = options.row;
  look.least_width = least_width(options);
  look.icicle = options.icicle;
  look.compares = compares;
  look.negate = options.negate;
  return look;
}

// Applies --normalize, --total and --factor.
void scale(const FlameOptions& options, StackTree& tree) {
  StackTree::Node& root = tree.nodes[0];
  const double factor_before = options.normalize && root.before > 0 ? root.weight / root.before : 1;
  if (options.total != 0) {
    if (options.total < root.weight)
      die(2, "--total: the sum of the counts is greater: " +
                 grouped(static_cast<uint64_t>(root.weight)));
    root.weight = options.total;
  }
  if (factor_before == 1 && options.factor == 1) return;
  for (StackTree::Node& node : tree.nodes) {
    node.begin *= options.factor;
    node.weight *= options.factor;
    node.self *= options.factor;
    node.before *= options.factor * factor_before;
    node.self_before *= options.factor * factor_before;
  }
}

std::string write_as(Format format, const StackTree& tree, const FlameLook& look) {
  switch (format) {
    case Format::Svg:
      return flame_svg(tree, look);
    case Format::Html:
      return flame_html(tree, look);
    case Format::Folded:
      return folded_text(tree, look.compares);
    case Format::Speedscope:
      return speedscope_json(tree, profile_unit(look.unit), look.title, look.compares);
    case Format::Pprof:
      break;
  }
  if (is_rounded(tree)) report_message("counts are rounded to integers, as pprof requires");
  return pprof_gzip(tree, profile_unit(look.unit), look.title, look.compares);
}

}  // namespace

FlameFormat flame_format(const FlameOptions& options) {
  std::string end = options.output;
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const FormatName& one : format_names) {
    if (options.format.empty() ? end.ends_with(one.suffix) : options.format == one.name)
      return one.format;
  }
  if (options.output == "-" || options.output.starts_with("/dev/")) return Format::Svg;
  die(2, options.output +
             ": unknown format; use a name that ends with .svg, .html, .folded, .pb.gz or "
             ".speedscope.json, or --format");
}

void write_flame(const FlameOptions& options, FlameFormat format, const FoldedStacks& stacks,
                 const FlameText& text) {
  const FlameLook look = make_look(options, stacks.compares(), text);
  if (!stacks.compares() && (options.negate || options.normalize))
    die(2, std::string(options.negate ? "--negate" : "--normalize") + " needs --diff BEFORE");
  const bool is_picture = format == Format::Svg || format == Format::Html;
  const double whole = options.total > stacks.total() ? options.total / stacks.total() : 1;
  StackTree tree = stacks.tree({.least_share = is_picture ? least_share(look) * whole : 0,
                                .reverse = options.reverse,
                                .merge = !options.chart});
  scale(options, tree);
  const std::string bytes = write_as(format, tree, look);
  if (bytes.empty()) die(2, options.output + ": the output is too large for memory");
  write_output(options.output, bytes);
}

}  // namespace skein::cli
