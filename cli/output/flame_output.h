// Draws stacks as a flame graph, or writes them for other tools.
#pragma once

#include <string>

#include "cli/commands.h"
#include "profile/flame/folded.h"

namespace skein::cli {

enum class FlameFormat { Svg, Html, Folded, Pprof, Speedscope };

// By --format, or the output's suffix. Throws CommandError(2) if neither is known.
FlameFormat flame_format(const FlameOptions& options);

// `unit`: what the counts are, unless an option says otherwise. Throws CommandError(2) if options
// contradict each other, or the file cannot be written.
void write_flame(const FlameOptions& options, FlameFormat format, const FoldedStacks& stacks,
                 const std::string& unit);

}  // namespace skein::cli
