// `skein core`: a small core file of a process, or of a bigger core: the coroutines that are in its
// memory, their frames and the stacks of its threads. Every command that reads memory accepts it,
// on any machine.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <optional>
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
#include "frames/saved_frames.h"
#include "target/core_writer.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

namespace {

// What a debugger or skein may want to read of the stacks: from the stack pointer on.
void add_stacks(const Target& target, CoreWriter& to) {
  constexpr uint64_t most = 1 << 20;
  constexpr uint64_t red_zone = 128;
  for (const TargetThread& thread : target.threads()) {
    const auto sp = thread.registers.get(Registers::sp_of(target.architecture()));
    const Mapping* stack = sp ? find_mapping(target.mappings(), *sp) : nullptr;
    if (stack == nullptr) continue;
    const uint64_t begin = std::max(stack->begin, *sp - std::min(*sp, red_zone));
    to.add(begin, std::min(most, stack->end - begin));
  }
}

// The first page of each file has its build id.
void add_build_ids(const Target& target, CoreWriter& to) {
  for (const Mapping& mapping : target.mappings())
    if (mapping.has_file() && mapping.offset == 0) to.add(mapping.begin, 1);
}

}  // namespace

int run_core(const CoreOptions& options) {
  check_not_an_input(options.output, std::vector{options.target});
  check_not_a_terminal(options.output);
  std::optional<CoreWriter> writer;
  const auto copy = [&](const Target& target, const SuspendedCoroutines& found) {
    writer.emplace(target);
    add_build_ids(target, *writer);
    add_stacks(target, *writer);
    for (const SuspendedCoroutine& one : found.coroutines) writer->add(one.frame, one.size);
  };
  const ReadTarget all =
      read_any(options.target, {.pause = options.stop, .variables = true}, copy);
  const Unprepared& read = all.read;
  writer->note = save_frames({.found = read.found, .around = read.around, .paused = read.paused});
  OutputFile out(options.output);
  // It has what the process had in memory.
  if (!out.temporary().empty()) chmod(out.temporary().c_str(), S_IRUSR | S_IWUSR);
  const uint64_t size = writer->write([&](std::string_view bytes) { return out.write(bytes); });
  out.finish();
  if (options.output == "-") return 0;
  const std::string text = "Wrote " + escaped(options.output) + " (" + size_text(size) +
                           "): " + counted(read.found.coroutines.size(), "coroutine") + " of " +
                           escaped(read.title) + ".\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}

#else

int run_core(const CoreOptions&) { die(2, "this skein was built without elfutils"); }

#endif

}  // namespace skein::cli
