// `skein core`: a small core file of a process, or of a bigger core (cli/output/core_snapshot.h).
#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/byte_size.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/output/output_file.h"

#ifdef SKEIN_HAS_SYMBOLS
#include "cli/input/unprepared.h"
#include "cli/output/core_snapshot.h"
#include "frames/chains.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

int run_core(const CoreOptions& options) {
  check_not_an_input(options.output, std::vector{options.target});
  check_not_a_terminal(options.output);
  CoreSnapshot snapshot;
  const ReadTarget all =
      read_any(options.target,
               {.pause = options.stop,
                .variables = true,
                .references = true,
                .program = options.program,
                .most_bytes = parse_search_limit(options.search_limit)},
               snapshot.copier());
  const Unprepared& read = all.read;
  OutputFile out(options.output);
  // It has what the process had in memory.
  if (!out.temporary().empty()) chmod(out.temporary().c_str(), S_IRUSR | S_IWUSR);
  const uint64_t size =
      snapshot.write(read, [&](std::string_view bytes) { return out.write(bytes); });
  out.finish();
  if (options.output == "-") return 0;
  const std::string text = "Wrote " + escaped(options.output) + " (" + size_text(size) +
                           "): " + counted(own_coroutines(read.found), "coroutine") + " of " +
                           escaped(read.title) + ".\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}

#else

int run_core(const CoreOptions&) { die(2, "this skein was built without elfutils"); }

#endif

}  // namespace skein::cli
