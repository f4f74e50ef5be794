#include "base/notes_file.h"

#include <filesystem>

#include "base/disk_files.h"

namespace skein {

namespace {

constexpr uint64_t most_bytes = uint64_t{64} << 20;

}  // namespace

std::string notes_path(const std::string& trace) {
  if (trace.empty() || trace == "-") return {};
  std::error_code error;
  std::string path = std::filesystem::absolute(trace, error).lexically_normal().string();
  if (error) return {};
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path + ".skein-notes.json";
}

Result<std::string> read_notes_file(const std::string& path) {
  DiskFiles files(most_bytes);
  if (files.type(path) == FileType::Missing) return std::string();
  if (files.type(path) != FileType::File) return Error{.what = "no file", .file = path};
  const auto contents = files.open(path, Access::Copy);
  if (!contents) return contents.error();
  const auto bytes = contents->bytes();
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace skein
