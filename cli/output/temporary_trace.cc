#include "cli/output/temporary_trace.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/die.h"
#include "cli/output/trace_directory_writer.h"
#include "trace/export/ctf.h"

namespace skein::cli {

TemporaryTrace::TemporaryTrace(const Trace& trace, std::string title) {
  std::error_code error;
  folder_ = (std::filesystem::temp_directory_path(error) / "skein-view-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr)
    die(2, folder_ + ": " + std::strerror(errno) + "; set TMPDIR");
  for (char& c : title)
    if (c == '/') c = '_';
  path_ = folder_ + "/" + title;
  TraceDirectoryWriter to(path_);
  for (const CtfFile& file : export_ctf(trace, {}).files) to.write(file.name, file.bytes);
}

TemporaryTrace::~TemporaryTrace() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

}  // namespace skein::cli
