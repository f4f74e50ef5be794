#include "target/kernel_words.h"

#include <limits.h>
#include <unistd.h>

#include <charconv>

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

std::string target_of_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size <= 0 ? std::string() : std::string(target, static_cast<size_t>(size));
}

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

std::optional<std::vector<uint64_t>> read_kernel_words(const std::string& folder) {
  std::vector<uint64_t> words;
  const auto add = [&](const std::optional<std::string>& text, std::string_view key) {
    if (!text) return false;
    const std::vector<uint64_t> more = numbers_behind(*text, key);
    words.insert(words.end(), more.begin(), more.end());
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
  for (const uint64_t descriptor : descriptors) {
    const std::string name = std::to_string(descriptor);
    const std::string link = target_of_link(folder + "/fd/" + name);
    if (link.empty() || link.find("[io_uring]") != std::string::npos) return {};
    if (link.find("[eventpoll]") == std::string::npos) continue;
    if (!add(text_of(folder + "/fdinfo/" + name), "data:")) return {};
  }
  return words;
}

}  // namespace skein
