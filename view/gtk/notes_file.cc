#include "view/gtk/notes_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/disk_files.h"

namespace skein::desktop {

namespace {

constexpr uint64_t most_bytes = uint64_t{64} << 20;

Error failure(const std::string& path) { return Error{.what = std::strerror(errno), .file = path}; }

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

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

Result<void> write_whole_file(const std::string& path, std::string_view text) {
  std::string temporary = path + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return failure(path);
  struct stat before;
  if (stat(path.c_str(), &before) == 0) fchmod(file, before.st_mode & 0777);
  bool good = write_all(file, text) && fsync(file) == 0;
  good = close(file) == 0 && good;
  if (good && rename(temporary.c_str(), path.c_str()) == 0) return {};
  const Error error = failure(path);
  unlink(temporary.c_str());
  return error;
}

}  // namespace skein::desktop
