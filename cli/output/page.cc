#include "cli/output/page.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/converted.h"
#include "cli/input/made_trace.h"
#include "cli/input/profile_input.h"
#include "cli/input/running.h"
#include "cli/input/stack_functions.h"
#include "cli/input/trace_input.h"
#include "cli/output/output_file.h"
#include "cli/output/print.h"
#include "trace/ask/find.h"
#include "trace/read/reader.h"
#include "view/viewer/annotations.h"
#include "view/web/document/bundle.h"
#include "view/web/document/document.h"

namespace skein::cli {

namespace {

// Keeps the bytes of standard input, which are read twice: to check the trace, and for the page.
// Replaces traces of other formats by a conversion to skein's format, which the page reads.
class Inputs : public UnlinkedFiles {
 public:
  explicit Inputs(const std::vector<std::string>& traces) : UnlinkedFiles(traces) {}

  void convert(const std::string& path, const Trace& trace) {
    add_converted(converted_, path, trace);
  }

  FileType type(const std::string& path) override {
    const FileType converted = converted_.type(path);
    return converted != FileType::Missing ? converted : DiskFiles::type(path);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return is_converted(path) ? converted_.list(path) : DiskFiles::list(path);
  }
  Result<std::vector<uint8_t>> head(const std::string& path, size_t count) override {
    return is_converted(path) ? converted_.head(path, count) : DiskFiles::head(path, count);
  }
  Result<Contents> open(const std::string& path, Access access) override {
    if (is_converted(path)) return converted_.open(path, access);
    if (path != "-") return DiskFiles::open(path, access);
    if (!read_) {
      auto contents = DiskFiles::open(path, access);
      if (!contents) return contents;
      input_ = *std::move(contents);
      read_ = true;
    }
    return Contents::borrowed(input_.bytes());
  }

 private:
  bool is_converted(const std::string& path) { return converted_.type(path) != FileType::Missing; }

  MemoryFiles converted_;
  Contents input_;
  bool read_ = false;
};

}  // namespace

void reject_stdio(std::span<const std::string> traces, const std::string& page) {
  if (std::find(traces.begin(), traces.end(), "-") != traces.end())
    die(2, "a picture reads the trace again, and standard input can be read once");
  if (page == "-") die(2, "--html needs a file: standard output has the words");
}

std::optional<TaskId> critical_task(const Trace& trace, const std::string& text) {
  const Model model = build_model(trace);
  const TaskIndex task = longest_of(model, find_tasks(trace, model, text));
  if (task == no_index) return {};
  return model.tasks[task].id;
}

void refuse_critical(const std::string& text) {
  die(1, "--critical-path: no task has id, label or name '" + text + "'");
}

void write_page(Page page) {
  constexpr uint64_t most_bytes = uint64_t{1} << 30;  // limited by the browser's memory
  if (!web::has_page())
    die(2, "this skein was built without the page (clang-19 for wasm32-wasi was not there)");
  reject_duplicate_stdin(page.traces);
  check_not_a_terminal(page.output);
  check_not_an_input(page.output, page.traces);
  const bool is_beside_files = page.made.empty();
  std::vector<std::optional<MadeTrace>> made;  // by trace; nothing: read from files
  for (std::string& path : page.traces) {
    made.push_back(make_trace(path));
    if (!made.back()) path = trace_directory(path);
  }
  for (MadeTrace& one : page.made) {
    page.traces.push_back("made-" + std::to_string(made.size()));
    made.emplace_back(std::move(one));
  }
  Inputs files(page.traces);
  std::optional<std::pair<size_t, TaskId>> critical;
  std::vector<web::TraceInput> inputs;
  std::string title = page.title;
  for (size_t i = 0; i < page.traces.size(); i++) {
    const std::string& path = page.traces[i];
    if (made[i]) {
      files.convert(path, made[i]->trace);
      if (page.annotations.empty() && !made[i]->note.empty())
        page.annotations = write_annotations(
            {.first = 0, .second = 0, .notes = {}, .text = made[i]->note});
    } else {
      report_links(path);
    }
    Result<Trace> trace = read_trace(files, path);
    if (!trace) {
      add_to_advice({}, trace.error());
      die(2, trace.error().message());
    }
    require_all_events(*trace, path);
    if (!made[i]) report_losses(*trace, path);
    // A recorded trace has the addresses of functions only, and the page cannot look them up.
    const bool has_stacks = !made[i] && trace->stacks.size() != 0;
    if (has_stacks) add_stack_functions(*trace);
    if (has_stacks || !is_read_by_page(files, path, *trace)) files.convert(path, *trace);
    if (!critical && !page.critical.empty())
      if (const auto task = critical_task(*trace, page.critical)) critical = {inputs.size(), *task};
    inputs.push_back({path, made[i] ? made[i]->title : trace_name(path)});
    if (page.title.empty()) title += (title.empty() ? "" : ", ") + inputs.back().title;
  }
  if (!page.critical.empty() && !critical) refuse_critical(page.critical);
  const auto bundle = web::make_bundle(files, inputs, most_bytes, page.annotations);
  if (!bundle) die(2, bundle.error().message());
  const std::string kept = is_beside_files ? kept_notes_or_none(page.traces[0]) : std::string();
  // The notes are part of the key, so that the browser has none of its own yet for a page with
  // other notes.
  std::string key = title + " " + std::to_string(bundle->size());
  if (!kept.empty()) key += " " + std::to_string(std::hash<std::string>()(kept));
  const std::string text = web::make_document({.title = title,
                                               .notes = key,
                                               .kept = kept,
                                               .align_by_start = page.align_by_start,
                                               .path = critical},
                                              *bundle);
  write_output(page.output, text);
  if (page.output != "-")
    std::printf("%s: %s bytes, opens in any browser\n", escaped(page.output).c_str(),
                grouped(text.size()).c_str());
}

}  // namespace skein::cli
