#include "cli/output/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/die.h"

namespace skein::cli {

namespace {

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// The temporary file, which is removed if a signal ends the program.
char unfinished[PATH_MAX];
constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP};

extern "C" void remove_unfinished(int signal) {
  unlink(unfinished);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void begin_unfinished(const std::string& path) {
  if (path.size() >= sizeof unfinished) return;
  std::memcpy(unfinished, path.c_str(), path.size() + 1);
  struct sigaction action = {}, before = {};
  action.sa_handler = remove_unfinished;
  for (const int signal : ending_signals)
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signal, &action, nullptr);
}

void end_unfinished() {
  struct sigaction before = {};
  for (const int signal : ending_signals)
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == remove_unfinished)
      std::signal(signal, SIG_DFL);
  unfinished[0] = 0;
}

// Returns the permissions of new files, from the umask.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void check_not_an_input(const std::string& path, std::span<const std::string> inputs) {
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
      die(2, path + ": is the trace itself; choose another path");
    if (has_parent && S_ISDIR(read.st_mode) && is_same(parent, read))
      die(2, path + ": inside the trace directory; choose another path");
  }
}

void check_not_a_terminal(const std::string& path) {
  bool is_terminal = path == "-" && isatty(STDOUT_FILENO);
  struct stat found = {};
  if (path != "-" && stat(path.c_str(), &found) == 0 && S_ISCHR(found.st_mode)) {
    const int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    is_terminal = file >= 0 && isatty(file);
    if (file >= 0) close(file);
  }
  if (is_terminal) die(2, "binary output is not written to a terminal; use -o FILE, or a pipe");
}

void write_output(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path.empty()) die(2, "empty output path; give a path, or - for standard output");
  if (path == "-") {
    file_ = stdout;
    return;
  }
  struct stat found = {};
  const bool exists = stat(path.c_str(), &found) == 0;
  char* const real = exists ? realpath(path.c_str(), nullptr) : nullptr;
  const std::string target = real != nullptr ? real : path;
  std::free(real);
  // A link is not replaced: /dev/stdout is one, to a file that may have no name.
  struct stat itself = {};
  const bool is_link = lstat(target.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode);
  if (is_link || (exists && !S_ISREG(found.st_mode))) {
    file_ = std::fopen(path.c_str(), "wb");
  } else {
    target_ = target;
    std::string temporary = target_ + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    if (descriptor >= 0) {
      temporary_ = temporary;
      begin_unfinished(temporary);
      (void)fchmod(descriptor, exists ? found.st_mode & 07777 : usual_mode());
      file_ = fdopen(descriptor, "wb");
    }
  }
  if (file_ == nullptr) die(2, path + ": " + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  end_unfinished();
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
    die(2, (path_ == "-" ? "standard output" : path_) + ": " + std::strerror(error_));
  if (!temporary_.empty()) end_unfinished();
  temporary_.clear();
}

}  // namespace skein::cli
