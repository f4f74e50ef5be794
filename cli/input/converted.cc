#include "cli/input/converted.h"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/output/terminal.h"
#include "trace/export/ctf.h"
#include "trace/read/mirage/mirage.h"

namespace skein::cli {

bool is_read_by_page(Files& files, const std::string& path, const Trace& trace) {
  if (files.type(path) == FileType::Directory) return true;
  if (!trace.info.carrier.empty()) return false;
  const auto contents = files.open(path);
  return contents && mirage::looks_like_mirage(contents->bytes());
}

void report_links(const std::string& path) {
  DiskFiles disk;
  if (disk.type(path) != FileType::Directory) return;
  const auto names = disk.list(path);
  if (!names) return;
  std::error_code error;
  for (const std::string& name : *names)
    if (std::filesystem::is_symlink(std::filesystem::path(path) / name, error))
      report_message(path + "/" + name + ": a symbolic link; not in the page");
}

void add_converted(MemoryFiles& files, const std::string& path, const Trace& trace) {
  CtfCopy copy = export_ctf(trace, {});
  if (copy.ids_are_shifted)
    std::fputs("skein: the trace contains task 0; all ids are increased by one in the page\n",
               stderr);
  for (CtfFile& file : copy.files) files.add(path + "/" + file.name, std::move(file.bytes));
}

}  // namespace skein::cli
