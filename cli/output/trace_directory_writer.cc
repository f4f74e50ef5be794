#include "cli/output/trace_directory_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/die.h"

namespace skein::cli {

TraceDirectoryWriter::TraceDirectoryWriter(const std::string& path) : path_(path) {
  if (mkdir(path.c_str(), 0700) != 0) die(2, path + ": " + std::strerror(errno));
  directory_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory_ < 0) die(1, path + ": " + std::strerror(errno));
}

TraceDirectoryWriter::~TraceDirectoryWriter() { close(directory_); }

void TraceDirectoryWriter::write(const std::string& name, std::span<const uint8_t> bytes) {
  const int file =
      openat(directory_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) die(1, path_ + "/" + name + ": " + std::strerror(errno));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int code = errno;
      close(file);
      die(1, path_ + "/" + name + ": " + std::strerror(code));
    }
    at += static_cast<size_t>(count);
  }
  if (close(file) != 0) die(1, path_ + "/" + name + ": " + std::strerror(errno));
}

}  // namespace skein::cli
