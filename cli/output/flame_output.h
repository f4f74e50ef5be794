// Draws stacks as a flame graph, or writes them for other tools.
#pragma once

#include <map>
#include <string>

#include "cli/commands.h"
#include "profile/flame/folded.h"
#include "profile/flame/name_attributes.h"

namespace skein::cli {

enum class FlameFormat { Svg, Html, Folded, Pprof, Speedscope };

// By --format, or the output's suffix. Throws CommandError(2) if neither is known.
FlameFormat flame_format(const FlameOptions& options);

// What the picture shows, unless options say otherwise.
struct FlameText {
  std::string unit = "samples";  // of the counts; "ns"
  std::string what = {};         // in the title, behind the name of the input; empty: nothing
  std::string subtitle = {};
  std::map<std::string, std::string, std::less<>> libraries = {};  // FlameLook
  NameAttributes attributes = {};                                  // the same
};

// Throws CommandError(2) if options contradict each other, or the file cannot be written.
void write_flame(const FlameOptions& options, FlameFormat format, const FoldedStacks& stacks,
                 const FlameText& text);

}  // namespace skein::cli
