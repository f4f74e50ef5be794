#include "cli/input/stacks_input.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/duration.h"
#include "base/text.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/terminal.h"
#include "profile/flame/folded_text.h"
#include "trace/ask/logical_samples.h"
#include "trace/ask/selected_times.h"
#include "trace/model/names.h"
#include "trace/read/readers.h"

#ifdef SKEIN_HAS_SYMBOLS
#include "profile/perf/perf_file.h"
#include "profile/perf/perf_stacks.h"
#include "symbol/functions.h"
#endif

namespace skein::cli {

namespace {

// Names other kinds of files. Empty: it may be text.
std::string_view other_kind(std::span<const uint8_t> bytes) {
  const auto begins = [&](std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (begins("\x7f"
             "ELF"))
    return "a program, not a profile";
  if (begins("<?xml") || begins("<svg") || begins("<!doctype")) return "a picture, not a profile";
  const auto head = bytes.first(std::min<size_t>(bytes.size(), 4096));
  if (std::find(head.begin(), head.end(), 0) != head.end()) return "not a profile that skein reads";
  return {};
}

#ifdef SKEIN_HAS_SYMBOLS
constexpr std::string_view advice =
    "expected perf.data, a trace, or folded stacks: lines as 'main;parse 12', which "
    "stackcollapse-perf.pl prints";
#else
constexpr std::string_view advice =
    "expected a trace, or folded stacks: lines as 'main;parse 12', which stackcollapse-perf.pl "
    "prints";
#endif

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The option --from or --to.
uint64_t time_of(const std::string& option, const std::string& text) {
  const std::optional<double> time = parse_duration(text);
  if (!time || !(*time >= 0) || *time > 1.8e19)
    die(2, option + ": '" + text + "' is no time; use 1.5s, 20ms or 300us");
  return static_cast<uint64_t>(*time);
}

LogicalSelection selection_of(const FlameOptions& options) {
  LogicalSelection selection;
  const std::string_view time = options.time;
  const bool all = time == "all";
  selection.states = {.running = all || time == "running",
                      .ready = all || time == "ready",
                      .suspended = all || time.empty() || time == "suspended"};
  selection.by = options.by == "task"       ? StacksBy::Task
                 : options.by == "executor" ? StacksBy::Executor
                 : options.by == "thread"   ? StacksBy::Thread
                 : options.by == "label"    ? StacksBy::Label
                                            : StacksBy::None;
  if (!options.from.empty()) selection.from = time_of("--from", options.from);
  if (!options.to.empty()) selection.to = time_of("--to", options.to);
  if (selection.from >= selection.to)
    die(2, "--from " + options.from + " is not before --to " + options.to);
  return selection;
}

// Null: it is no trace.
const FileFormat* trace_format(std::span<const uint8_t> bytes) {
  const auto formats = file_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const FileFormat& format) {
    return format.probe(bytes.first(std::min(bytes.size(), format.head)));
  });
  return found == formats.end() ? nullptr : &*found;
}

// Of standard input, which can be read once. Precondition: trace_format(bytes).
Analysis analysis_of(std::span<const uint8_t> bytes) {
  Result<Trace> trace = trace_format(bytes)->read(bytes, {});
  if (!trace) die(2, trace.error().message());
  require_all_events(*trace, "standard input");
  report_losses(*trace, "-");
  Analysis analysis{.trace = std::move(*trace), .model = {}, .waits = {}};
  analysis.model = build_model(analysis.trace, {.simplify = false});
  analysis.waits = find_waits(analysis.trace, analysis.model);
  return analysis;
}

std::string time_text(std::string_view time) {
  if (time == "all") return "time of tasks by logical stack";
  return std::string(time) + " time by logical stack";
}

std::string why_empty(const Trace& trace, const LogicalTimes& stacks, std::string_view time) {
  if (trace.events.empty()) return std::string(no_events);
  if (stacks.intervals.empty()) return "no task ran or waited";
  std::string others;
  for (const LogicalTimes::State state :
       {LogicalTimes::State::Suspended, LogicalTimes::State::Running, LogicalTimes::State::Ready})
    if (std::any_of(stacks.intervals.begin(), stacks.intervals.end(),
                    [&](const auto& one) { return one.state == state; }))
      others = state == LogicalTimes::State::Suspended ? "suspended"
               : state == LogicalTimes::State::Running ? "running"
                                                       : "ready";
  return "no " + std::string(time == "all" ? "" : time) + " time in this range; try --time " +
         others;
}

// What makes the picture incomplete.
std::string remarks(const Analysis& a, uint64_t unfinished, const LogicalSelection& selection) {
  std::string text;
  const auto add = [&](const std::string& remark) {
    text += text.empty() ? remark : "; " + remark;
  };
  if (selection.from != 0 || selection.to != UINT64_MAX)
    add("from " + duration_text(selection.from) + " to " +
        duration_text(std::min(selection.to, a.model.end)));
  if (unfinished != 0 && selection.states.suspended)
    add(counted(unfinished, "wait has not ended and counts", "waits have not ended and count") +
        " up to the end of the trace");
  if (a.trace.info.complete_from > selection.from)
    add("the ring has overwritten events before " + duration_text(a.trace.info.complete_from));
  uint64_t missing = 0;
  for (const Loss& loss : a.trace.losses) missing += loss.events.value_or(0);
  if (missing != 0)
    add(counted(missing, "event is missing", "events are missing"));
  else if (!a.trace.losses.empty())
    add("events are missing");
  return text;
}

}  // namespace

StacksInput::StacksInput(Files& files, const FlameOptions& options)
    : files_(files), options_(options), selection_(selection_of(options)) {
  for (const std::string& path : options.maps) {
    const Result<Contents> contents = files.open(path);
    if (!contents) die(2, contents.error().message());
#ifdef SKEIN_HAS_SYMBOLS
    const size_t functions = map_.add(text_of(contents->bytes()), demangled);
#else
    const size_t functions = map_.add(text_of(contents->bytes()));
#endif
    if (functions == 0)
      die(2, path + ": no functions; a line of nm, objdump -t or System.map is '401136 T main'");
  }
  map_.finish();
}

std::span<const uint8_t> StacksInput::fold_perf(const std::string& path,
                                                std::span<const uint8_t> bytes) {
#ifdef SKEIN_HAS_SYMBOLS
  if (PerfFile::is_perf_file(bytes)) {
    reject_trace_options(path, "perf.data");
    Result<PerfStacks> stacks = fold_perf_data(bytes, path, files_,
                                               {.map = map_.empty() ? nullptr : &map_,
                                                .event = options_.event,
                                                .physical = options_.stacks == "physical",
                                                .by_thread = options_.by == "thread",
                                                .inlined = !options_.no_inline});
    if (!stacks) die(2, stacks.error().message());
    for (const std::string& remark : stacks->remarks) report_message(path + ": " + remark);
    text_.unit = stacks->unit;
    text_.libraries.merge(stacks->libraries);
    texts_.push_back(std::move(stacks->folded));
    return bytes_of(texts_.back());
  }
#else
  if (text_of(bytes).starts_with("PERFILE2"))
    die(2, path + ": this skein was built without elfutils; it reads folded stacks only");
#endif
  return {};
}

std::span<const uint8_t> StacksInput::fold_trace(const std::string& path,
                                                 std::span<const uint8_t> bytes) {
  const Analysis a = path == "-" ? analysis_of(bytes) : open_analysis(path, {}, {.folded = true});
  const Subject subject{a.trace, a.model, a.waits};
  if (selection_.from >= a.model.end && !options_.from.empty())
    die(2, "--from " + options_.from + ": the trace ends at " + duration_text(a.model.end));
  if (options_.time == "cpu") return fold_samples(path, a, find_logical_times(subject));
  if (options_.time == "off-cpu") return fold_waits(path, a, find_logical_times(subject));
  const SelectedTimes times = find_selected_times(subject, selection_);
  const std::string time = options_.time.empty() ? "suspended" : options_.time;
  if (times.tree.nodes[0].weight <= 0)
    die(2, path + ": " + why_empty(a.trace, find_logical_times(subject), time));
  text_ = {
      .unit = "ns", .what = time_text(time), .subtitle = remarks(a, times.unfinished, selection_)};
  texts_.push_back(folded_text(times.tree, false));
  return bytes_of(texts_.back());
}

std::span<const uint8_t> StacksInput::fold_samples(const std::string& path, const Analysis& a,
                                                   const LogicalTimes& times) {
  const Subject subject{a.trace, a.model, a.waits};
  const LogicalSamples samples = find_logical_samples(subject, times, selection_);
  if (samples.in_tasks + samples.outside == 0)
    die(2, path + ": no samples in this range; record them with skein record --sample");
  if (samples.other_tasks != 0)
    report_message(path + ": " + counted(samples.other_tasks, "sample names", "samples name") +
                   " another task than the one that was current");
  text_ = {.unit = "samples",
           .what = "samples by logical stack",
           .subtitle = remarks(a, times.unfinished, selection_)};
  if (const uint64_t missed = a.trace.info.missed_samples; missed != 0)
    text_.subtitle += (text_.subtitle.empty() ? "" : "; ") + counted(missed, "period") +
                      " of CPU time without a sample, such as those in the kernel";
  std::string text = folded_text(samples.tree, false);
  texts_.push_back(std::move(text));
  return map_.empty() ? bytes_of(texts_.back()) : name_addresses(path, bytes_of(texts_.back()));
}

std::span<const uint8_t> StacksInput::fold_waits(const std::string& path, const Analysis& a,
                                                 const LogicalTimes& times) {
  const Subject subject{a.trace, a.model, a.waits};
  const LogicalSamples waits =
      find_logical_waits(subject, times, ThreadIntervals(a.trace), selection_);
  if (waits.in_tasks + waits.outside == 0)
    die(2,
        path + ": no stacks of waits of threads in this range; skein profile --off-cpu has them");
  text_ = {.unit = "ns",
           .what = "time of threads without a CPU, by logical stack",
           .subtitle = remarks(a, times.unfinished, selection_)};
  texts_.push_back(folded_text(waits.tree, false));
  return bytes_of(texts_.back());
}

void StacksInput::reject_trace_options(const std::string& path, std::string_view input) const {
  const bool is_perf = input == "perf.data";
  const std::string_view option = !options_.time.empty()   ? "--time"
                                  : !options_.from.empty() ? "--from"
                                  : !options_.to.empty()   ? "--to"
                                                           : "";
  if (!option.empty())
    die(2, path + ": " + std::string(option) + " needs a trace; " + std::string(input) +
               " has no times of tasks");
  if (options_.by.empty() || (is_perf && options_.by == "thread")) return;
  die(2, path + ": --by " + options_.by + " needs a trace" +
             (is_perf ? "; of perf.data, --by thread" : ", or perf.data for --by thread"));
}

std::span<const uint8_t> StacksInput::name_addresses(const std::string& name,
                                                     std::span<const uint8_t> text) {
  NamedAddresses named = with_names(text_of(text), map_);
  if (named.named == 0 && named.unknown != 0)
    report_message(name + ": --map has no name for " + named.first_unknown + " and " +
                   counted(named.unknown - 1, "other address", "other addresses") +
                   "; is it of another program, or was the program moved?");
  texts_.push_back(std::move(named.folded));
  return bytes_of(texts_.back());
}

void StacksInput::read(const std::string& given, FoldedStacks::Side side) {
  if (files_.type(trace_directory(given)) == FileType::Directory) {
    check_counts(given, stacks_.add(fold_trace(given, {}), side), SIZE_MAX);
    return;
  }
  const std::string& path = given;
  Result<Contents> opened = files_.open(path);
  if (!opened) die(2, opened.error().message());
  contents_.push_back(std::move(*opened));
  std::span<const uint8_t> bytes = contents_.back().bytes();
  const std::string name = path == "-" ? "standard input" : path;
  if (const auto folded = fold_perf(name, bytes); !folded.empty())
    bytes = folded;
  else if (trace_format(bytes) != nullptr)
    bytes = fold_trace(path, bytes);
  else if (text_of(bytes).starts_with("\x1f\x8b"))
    die(2, name + ": compressed; use zcat FILE | skein flame -");
  else if (const std::string_view other = other_kind(bytes); !other.empty())
    die(2, name + ": " + std::string(other) + "; " + std::string(advice));
  else if (!map_.empty())
    bytes = name_addresses(name, bytes);
  if (contents_.back().bytes().data() == bytes.data()) reject_trace_options(name, "folded stacks");
  const size_t lines_before = stacks_.lines();
  const FoldedStacks::Report report = stacks_.add(bytes, side);
  const size_t added = stacks_.lines() - lines_before;
  const std::string where = name + ":" + std::to_string(report.first_ignored) + ": ";
  if (added == 0) {
    if (report.ignored == 0) die(2, name + ": no stacks; the input is empty");
    die(2, where + std::string(report.why) + "; " + std::string(advice));
  }
  if (report.ignored != 0)
    report_message(where + std::string(report.why) + "; " +
                   counted(report.ignored, "such line is", "such lines are") + " left out");
  check_counts(name, report, added);
}

void StacksInput::check_counts(const std::string& name, const FoldedStacks::Report& report,
                               size_t lines) {
  const bool all_have_two = report.with_two == lines;
  const std::string where = name + ":" + std::to_string(report.first_with_two) + ": ";
  if (all_have_two && !options_.before.empty())
    die(2, where + "two counts, a comparison already; --diff needs one count in each line");
  // A name may end with a number, but not those of most stacks.
  if (!all_have_two && report.with_two * 2 >= lines)
    die(2, where + "two counts, but " +
               counted(lines - report.with_two, "line has one", "lines have one") +
               "; a comparison has two in all lines");
  if (!all_have_two && report.with_two != 0)
    report_message(where +
                   "two counts, but most lines have one; the first is read as a part of the " +
                   "name, in " + counted(report.with_two, "line", "lines"));
  (all_have_two ? with_two_ : with_one_).assign(name);
  if (!with_two_.empty() && !with_one_.empty())
    die(2, with_two_ + ": two counts in each line, but " + with_one_ +
               " has one; a comparison has two in all files");
}

}  // namespace skein::cli
