#include "cli/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/running.h"

namespace skein::cli {

namespace {

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Of new files, as the shell makes them.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void refuse_inputs(const std::string& path, std::span<const std::string> inputs) {
  if (path == "-") return;
  struct stat existing = {};
  const bool is_file = stat(path.c_str(), &existing) == 0 && S_ISREG(existing.st_mode);
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat parent = {};
  const bool has_parent = stat(folder.c_str(), &parent) == 0;
  for (const std::string& input : inputs) {
    struct stat read = {};
    if ((input == "-" ? fstat(STDIN_FILENO, &read) : stat(input.c_str(), &read)) != 0) continue;
    if (is_file && is_same(existing, read))
      fail(2, path + ": that is the trace itself; give another name");
    if (has_parent && S_ISDIR(read.st_mode) && is_same(parent, read))
      fail(2, path + ": that is inside the trace; give a name elsewhere");
  }
}

void write_output(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = stdout;
    return;
  }
  struct stat found = {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) {
    file_ = std::fopen(path.c_str(), "wb");
  } else {
    char* const real = exists ? realpath(path.c_str(), nullptr) : nullptr;
    target_ = real != nullptr ? real : path;
    std::free(real);
    std::string temporary = target_ + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    if (descriptor >= 0) {
      temporary_ = temporary;
      (void)fchmod(descriptor, exists ? found.st_mode & 07777 : usual_mode());
      file_ = fdopen(descriptor, "wb");
    }
  }
  if (file_ == nullptr) fail(2, path + ": " + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

bool OutputFile::write(std::string_view bytes) {
  if (error_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    error_ = errno;
  return error_ == 0;
}

void OutputFile::finish() {
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (error_ == 0 && !temporary_.empty() && fsync(fileno(file_)) != 0) error_ = errno;
  if (file_ != stdout && std::fclose(file_) != 0 && error_ == 0) error_ = errno;
  file_ = nullptr;
  if (error_ == 0 && !temporary_.empty() && rename(temporary_.c_str(), target_.c_str()) != 0)
    error_ = errno;
  if (error_ != 0)
    fail(2, (path_ == "-" ? "standard output" : path_) + ": " + std::strerror(error_));
  temporary_.clear();
}

}  // namespace skein::cli
