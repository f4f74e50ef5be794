#include "base/replace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

Error failure(const std::string& path) { return Error{.what = std::strerror(errno), .file = path}; }

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  std::string temporary = path + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return failure(path);
  (void)fchmod(file, static_cast<mode_t>(mode));
  Error error;
  bool good = write_all(file, bytes) && fsync(file) == 0;
  if (!good) error = failure(path);
  if (close(file) != 0 && good) {
    good = false;
    error = failure(path);
  }
  if (good && rename(temporary.c_str(), path.c_str()) == 0) return {};
  if (good) error = failure(path);
  unlink(temporary.c_str());
  return error;
}

Result<void> replace_file(const std::string& path, std::string_view bytes) {
  struct stat before;
  const bool exists = stat(path.c_str(), &before) == 0;
  return replace_file(path, bytes, exists ? before.st_mode & 0777 : 0600);
}

}  // namespace skein
