#include "cli/trace_input.h"

#include <unistd.h>

#include <algorithm>

#include "base/disk_files.h"
#include "cli/running.h"
#include "trace/read/reader.h"

namespace skein::cli {

void add_trace_argument(CLI::App& command, std::string& path) {
  command
      .add_option("TRACE", path,
                  "a directory that skein recorded, a mirage-profile or Eio trace file, or - for "
                  "standard input")
      ->required();
}

Trace open_trace(const std::string& path) {
  if (path.empty()) fail(2, "the TRACE is an empty text; give a path, or - for standard input");
  ProgressBar bar(stderr, isatty(STDERR_FILENO), ProgressBar::Clock::now());
  DiskFiles disk;
  Result<Trace> trace = read_trace(disk, path, [&](uint64_t done, uint64_t in_all) {
    bar.show(done, in_all, ProgressBar::Clock::now());
  });
  if (!trace) fail(2, trace.error().message());
  return *std::move(trace);
}

std::string trace_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path == "-") return "standard input";
  return path.substr(path.rfind('/') + 1);
}

void ProgressBar::show(uint64_t done, uint64_t in_all, Clock::time_point now) {
  if (!enabled_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  constexpr uint64_t width = 40;
  const double share =
      in_all ? std::min(1.0, static_cast<double>(done) / static_cast<double>(in_all)) : 1.0;
  const std::string bar(static_cast<size_t>(share * width), '#');
  std::fprintf(out_, "\rreading [%-*s] %3d %%", static_cast<int>(width), bar.c_str(),
               static_cast<int>(share * 100));
  std::fflush(out_);
}

ProgressBar::~ProgressBar() {
  if (shown_) std::fprintf(out_, "\r\x1b[K");
}

}  // namespace skein::cli
