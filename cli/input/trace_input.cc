#include "cli/input/trace_input.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/notes_file.h"
#include "base/text.h"
#include "cli/die.h"
#include "cli/input/callback_lines.h"
#include "cli/input/core_input.h"
#include "cli/input/guest_input.h"
#include "cli/input/profile_input.h"
#include "cli/input/running.h"
#include "cli/input/stack_functions.h"
#include "cli/memory.h"
#include "cli/output/print.h"
#include "cli/output/progress.h"
#include "cli/output/terminal.h"
#include "trace/model/names.h"
#include "trace/read/reader.h"
#include "view/viewer/notes.h"

namespace skein::cli {

// "expected the id of a process, a core file, or a trace: a directory .., perf.data, or -".
void add_to_advice(AcceptedInputs inputs, Error& error) {
  constexpr std::string_view expected = "expected ", last = "or -";
  if (!error.advice.starts_with(expected) || !error.advice.ends_with(last)) return;
  std::string more;
  if (inputs.profiles && can_read_profiles()) more += "perf.data, ";
  if (inputs.folded) more += "folded stacks, ";
  error.advice.insert(error.advice.size() - last.size(), more);
  if (inputs.memory)
    error.advice.insert(expected.size(), "the id of a process, a core file, or a trace: ");
}

Trace open_trace(const std::string& path, std::span<const TickClock> clocks,
                 AcceptedInputs inputs) {
  if (path.empty()) die(2, "empty TRACE argument; give a path, or - for standard input");
  if (const std::string hint = process_hint(path); !hint.empty()) die(2, hint);
  reject_core(path);
  if (std::optional<MadeTrace> profile = open_profile_trace(path)) return std::move(profile->trace);
  std::optional<GuestTrace> guest;
  if (const auto name = guest_of(path)) guest.emplace(*name).report_note();
  ProgressBar bar(stderr, isatty(STDERR_FILENO), ProgressBar::Clock::now());
  DiskFiles disk;
  const auto show = [&](uint64_t done, uint64_t in_all) {
    bar.show(done, in_all, ProgressBar::Clock::now());
    return true;
  };
  Result<Trace> trace = guest ? read_trace(guest->files(), GuestTrace::path(), show, clocks)
                              : read_trace(disk, path, show, clocks);
  if (!trace) {
    add_to_advice(inputs, trace.error());
    die(2, trace.error().message());
  }
  require_all_events(*trace, path);
  add_callback_lines(*trace);
  add_stack_functions(*trace);
  return *std::move(trace);
}

void reject_core(const std::string& path) {
  if (is_core_file(path))
    die(2, path +
               ": a core file, not a recording; skein ps, why, show, view, serve, html, "
               "render and query read memory, the other commands need `skein record`");
}

void require_recording(const Trace& trace, const std::string& path) {
  if (trace.info.is_sampled())
    die(2, path +
               ": a profile, which has no waits and wake-ups of tasks, only samples; use a "
               "recording of "
               "skein record");
}

void require_all_events(const Trace& trace, const std::string& path) {
  const Events& events = trace.events;
  if (events.dropped() == 0) return;
  const uint64_t each = events.bytes() / std::max<size_t>(events.size(), 1) + 1;
  die(2, path + ": " + memory_message(used_memory() + events.dropped() * each));
}

void report_losses(const Trace& trace, const std::string& path) {
  constexpr size_t most = 5;
  const std::string name = trace_name(path) + ": ";
  const auto& losses = trace.losses;
  for (size_t i = 0; i < std::min(losses.size(), most); i++)
    report_message(name + "lost: " + loss_text(losses[i]));
  if (losses.size() > most)
    report_message(name + "and " + counted(losses.size() - most, "more loss", "more losses") +
                   "; see skein info");
  if (trace.events.empty()) report_message(name + std::string(no_events));
}

void reject_duplicate_stdin(std::span<const std::string> paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    die(2, "standard input can be read only once; use - for one TRACE");
}

Result<std::string> kept_notes(const std::string& trace) {
  const std::string path = notes_path(trace);
  if (path.empty()) return std::string();
  auto text = read_notes_file(path);
  if (!text || text->empty()) return text;
  if (const auto notes = read_notes(*text); !notes) {
    Error error = notes.error();
    error.file = path;
    return error;
  }
  return text;
}

std::string kept_notes_or_none(const std::string& trace) {
  auto notes = kept_notes(trace);
  if (notes) return *std::move(notes);
  report_message("notes are omitted: " + notes.error().message());
  return {};
}

std::string trace_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path == "-") return "standard input";
  if (path.starts_with(guest_prefix)) path.erase(0, guest_prefix.size());
  return path.substr(path.rfind('/') + 1);
}

}  // namespace skein::cli
