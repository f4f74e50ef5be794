#include "cli/output/memory_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/die.h"
#include "cli/output/trace_directory_writer.h"
#include "trace/export/ctf.h"

namespace skein::cli {

MemoryDirectory::MemoryDirectory(const MemoryTrace& memory) {
  std::error_code error;
  folder_ = (std::filesystem::temp_directory_path(error) / "skein-memory-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr)
    die(2, folder_ + ": " + std::strerror(errno) + "; set TMPDIR");
  std::string name = memory.title;
  for (char& c : name)
    if (c == '/') c = '_';
  path_ = folder_ + "/" + name;
  TraceDirectoryWriter to(path_);
  for (const CtfFile& file : export_ctf(memory.trace, {}).files) to.write(file.name, file.bytes);
}

MemoryDirectory::~MemoryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

}  // namespace skein::cli
