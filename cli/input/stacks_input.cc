#include "cli/input/stacks_input.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/terminal.h"
#include "trace/export/stacks.h"

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
  if (begins("\x1f\x8b")) return "compressed; use zcat FILE | skein flame -";
  if (begins("\x7f"
             "ELF"))
    return "a program, not a profile; folded stacks are text";
  if (begins("<?xml") || begins("<svg") || begins("<!doctype"))
    return "a picture, not a profile; folded stacks are text";
  const auto head = bytes.first(std::min<size_t>(bytes.size(), 4096));
  if (std::find(head.begin(), head.end(), 0) != head.end())
    return "not a profile that skein reads; folded stacks are text";
  return {};
}

constexpr std::string_view advice =
    "a line of folded stacks is 'main;parse 12', as stackcollapse-perf.pl prints it";

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

StacksInput::StacksInput(Files& files, std::span<const std::string> maps, std::string event,
                         bool running, bool physical)
    : files_(files), event_(std::move(event)), running_(running), physical_(physical) {
  for (const std::string& path : maps) {
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
    Result<PerfStacks> stacks = fold_perf_data(
        bytes, path, files_,
        {.map = map_.empty() ? nullptr : &map_, .event = event_, .physical = physical_});
    if (!stacks) die(2, stacks.error().message());
    for (const std::string& remark : stacks->remarks) report_message(path + ": " + remark);
    unit_ = stacks->unit;
    texts_.push_back(std::move(stacks->folded));
    return bytes_of(texts_.back());
  }
#else
  if (text_of(bytes).starts_with("PERFILE2"))
    die(2, path + ": this skein was built without elfutils; it reads folded stacks only");
#endif
  return {};
}

std::span<const uint8_t> StacksInput::fold_trace(const std::string& path) {
  const Trace trace = open_trace(path);
  report_losses(trace, path);
  std::string folded;
  Out out([&](std::string_view piece) {
    folded += piece;
    return true;
  });
  export_folded(trace, running_ ? AwaitGraphOf::Running : AwaitGraphOf::Suspended, out);
  (void)out.finish();
  if (folded.empty())
    die(2, path + (running_ ? ": no task ran; the trace has no steps"
                            : ": no task waited; --running shows where tasks ran"));
  unit_ = "ns";
  texts_.push_back(std::move(folded));
  return bytes_of(texts_.back());
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
  const std::string path = trace_directory(given);
  if (files_.type(path) == FileType::Directory) {
    stacks_.add(fold_trace(path), side);
    return;
  }
  Result<Contents> opened = files_.open(path);
  if (!opened) die(2, opened.error().message());
  contents_.push_back(std::move(*opened));
  std::span<const uint8_t> bytes = contents_.back().bytes();
  const std::string name = path == "-" ? "standard input" : path;
  if (const auto folded = fold_perf(name, bytes); !folded.empty())
    bytes = folded;
  else if (const std::string_view other = other_kind(bytes); !other.empty())
    die(2, name + ": " + std::string(other));
  else if (!map_.empty())
    bytes = name_addresses(name, bytes);
  const size_t lines_before = stacks_.lines();
  const FoldedStacks::Ignored ignored = stacks_.add(bytes, side);
  const std::string where = name + ":" + std::to_string(ignored.first) + ": ";
  if (stacks_.lines() == lines_before) {
    if (ignored.lines == 0) die(2, name + ": no stacks; the input is empty");
    die(2, where + std::string(ignored.why) + "; " + std::string(advice));
  }
  if (ignored.lines != 0)
    report_message(where + std::string(ignored.why) + "; " +
                   counted(ignored.lines, "such line is", "such lines are") + " left out");
}

}  // namespace skein::cli
