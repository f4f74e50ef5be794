#include "target/kernel_words.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <map>

#include "base/disk_files.h"
#include "target/thread_ids.h"

namespace skein {

namespace {

// Nothing: it cannot be read.
std::optional<std::string> text_of(const std::string& path) {
  DiskFiles files;
  const Result<Contents> contents = files.open(path, Access::Copy);
  if (!contents) return {};
  return std::string(contents->bytes().begin(), contents->bytes().end());
}

// Empty: it is gone; nothing: it cannot be read.
std::optional<std::string> target_of_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  if (size > 0) return std::string(target, static_cast<size_t>(size));
  return errno == ENOENT ? std::optional(std::string()) : std::nullopt;
}

// The bytes stay in the pipe. Precondition: the process can read from it, so that one more reader
// changes nothing.
bool has_unread_bytes(const std::string& pipe) {
  const int descriptor = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return true;
  int count = 0;
  const bool is_known = ioctl(descriptor, FIONREAD, &count) == 0;
  close(descriptor);
  return !is_known || count != 0;
}

// Pipes that a process has both ends of, by the name of the kernel.
class OwnPipes {
 public:
  void add(const std::string& name, const std::string& descriptor, const std::string& info) {
    // "flags: 0100001", octal; the last bits are the access.
    const size_t at = info.find("flags:");
    const size_t end = info.find('\n', at);
    if (at == std::string::npos || end == std::string::npos) return;
    const char last = info[end - 1];
    Ends& ends = pipes_[name];
    if ((last & 3) != O_WRONLY) ends.reading = descriptor;
    if ((last & 3) != O_RDONLY) ends.is_written = true;
  }

  bool have_unread_bytes() const {
    for (const auto& [name, ends] : pipes_)
      if (ends.is_written && !ends.reading.empty() && has_unread_bytes(ends.reading)) return true;
    return false;
  }

 private:
  struct Ends {
    std::string reading = {};  // a path
    bool is_written = false;
  };
  std::map<std::string, Ends> pipes_ = {};
};

}  // namespace

std::vector<uint64_t> numbers_behind(std::string_view text, std::string_view key) {
  std::vector<uint64_t> found;
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at)) {
    at += key.size();
    while (at < text.size() && text[at] == ' ') at++;
    uint64_t value = 0;
    if (std::from_chars(text.data() + at, text.data() + text.size(), value, 16).ec == std::errc())
      found.push_back(value);
  }
  return found;
}

std::optional<KernelWords> read_kernel_words(const std::string& folder) {
  KernelWords found;
  const auto add = [&](const std::optional<std::string>& text, std::string_view key) {
    if (!text) return false;
    const std::vector<uint64_t> more = numbers_behind(*text, key);
    found.words.insert(found.words.end(), more.begin(), more.end());
    return true;
  };
  // "signal: 60/00007fff86e452a8"
  const std::optional<std::string> timers = text_of(folder + "/timers");
  if (!timers) return {};
  for (size_t at = timers->find("signal: "); at != std::string::npos;
       at = timers->find("signal: ", at + 1))
    if (const size_t slash = timers->find('/', at); slash != std::string::npos)
      add(timers->substr(slash, 17), "/");
  const std::vector<uint64_t> descriptors = thread_ids(folder + "/fd");
  if (descriptors.empty() && access((folder + "/fd").c_str(), R_OK | X_OK) != 0) return {};
  OwnPipes pipes;
  for (const uint64_t descriptor : descriptors) {
    const std::string name = std::to_string(descriptor);
    const std::optional<std::string> link = target_of_link(folder + "/fd/" + name);
    if (!link || link->find("[io_uring]") != std::string::npos) found.has_others = true;
    const bool is_pipe = link && link->starts_with("pipe:");
    if (!is_pipe && (!link || link->find("[eventpoll]") == std::string::npos)) continue;
    const std::optional<std::string> info = text_of(folder + "/fdinfo/" + name);
    if (!info) return {};
    if (is_pipe)
      pipes.add(*link, folder + "/fd/" + name, *info);
    else
      add(info, "data:");
  }
  found.has_others |= pipes.have_unread_bytes();
  return found;
}

}  // namespace skein
