#include "symbol/symbol_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/cursor.h"
#include "base/replace_file.h"

namespace skein {

namespace {

constexpr std::string_view magic = "skeinsym";
constexpr size_t header_size = 8 + 4 + 4 + 8;  // magic, version, checksum, size
constexpr uint64_t longest = uint64_t{16} << 20;

struct Opened {
  int number = -1;
  Opened(int descriptor) : number(descriptor) {}
  ~Opened() {
    if (number >= 0) close(number);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

// Of this user, and no other user may write to it.
bool is_own(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_key(const std::string& key) {
  return !key.empty() && key.size() < 200 && key[0] != '.' &&
         std::all_of(key.begin(), key.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-';
         });
}

template <typename Number>
void append_bytes(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

uint32_t crc_of(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

}  // namespace

std::string SymbolCache::folder_of_this_user() {
  const auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text == nullptr || *text != '/' ? "" : text;
  };
  if (const std::string cache = value("XDG_CACHE_HOME"); !cache.empty()) return cache + "/skein";
  if (const std::string home = value("HOME"); !home.empty()) return home + "/.cache/skein";
  return {};
}

std::optional<std::span<const uint8_t>> SymbolCache::unpack(std::span<const uint8_t> file,
                                                            uint32_t version) {
  Cursor cursor(file);
  const std::span<const uint8_t> name = cursor.bytes(magic.size());
  const uint32_t own_version = cursor.u32();
  const uint32_t checksum = cursor.u32();
  const uint64_t size = cursor.u64();
  if (cursor.failed() || !std::equal(name.begin(), name.end(), magic.begin()) ||
      own_version != version || size != cursor.remaining())
    return {};
  const std::span<const uint8_t> bytes = cursor.bytes(cursor.remaining());
  if (crc_of(bytes) != checksum) return {};
  return bytes;
}

bool SymbolCache::is_usable(int folder) const {
  struct stat status;
  return folder >= 0 && fstat(folder, &status) == 0 && is_own(status);
}

std::optional<std::vector<uint8_t>> SymbolCache::load(const std::string& key,
                                                      uint32_t version) const {
  if (folder_.empty() || !is_key(key)) return {};
  const Opened folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!is_usable(folder.number)) return {};
  const Opened file(
      openat(folder.number, key.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_own(status) || static_cast<uint64_t>(status.st_size) > longest)
    return {};
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file.number, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    done += static_cast<size_t>(count);
  }
  const auto content = unpack(bytes, version);
  if (!content) return {};
  (void)futimens(file.number, nullptr);  // used now: remove_oldest()
  return std::vector<uint8_t>(content->begin(), content->end());
}

Result<void> SymbolCache::store(const std::string& key, uint32_t version,
                                std::span<const uint8_t> bytes) const {
  if (folder_.empty() || !is_key(key)) return {};
  if (bytes.size() > longest - header_size || bytes.size() + header_size > most_)
    return Error{.what = "too much to keep", .file = folder_};
  if (mkdir(folder_.c_str(), 0700) != 0 && errno == ENOENT) {
    // ~/.cache itself may be missing.
    mkdir(folder_.substr(0, folder_.rfind('/')).c_str(), 0700);
    mkdir(folder_.c_str(), 0700);
  }
  const Opened folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number < 0) return Error{.what = std::strerror(errno), .file = folder_};
  if (!is_usable(folder.number))
    return Error{.what = "other users may write to it, or own it", .file = folder_};
  std::string file(magic);
  append_bytes(file, version);
  append_bytes(file, crc_of(bytes));
  append_bytes(file, static_cast<uint64_t>(bytes.size()));
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<void> written = replace_file(folder_ + '/' + key, file, 0600);
  if (written) remove_oldest(folder.number);
  return written;
}

void SymbolCache::remove_oldest(int folder) const {
  struct Entry {
    timespec used = {};
    uint64_t size = 0;
    std::string name = {};
  };
  const int copy = dup(folder);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : fdopendir(copy), &closedir);
  if (list == nullptr) {
    if (copy >= 0) close(copy);
    return;
  }
  std::vector<Entry> entries;
  uint64_t sum = 0;
  while (const dirent* entry = readdir(list.get())) {
    struct stat status;
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    const auto size = static_cast<uint64_t>(status.st_size);
    entries.push_back({status.st_mtim, size, entry->d_name});
    sum += size;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& entry : entries) {
    if (sum <= most_) return;
    if (unlinkat(folder, entry.name.c_str(), 0) == 0) sum -= entry.size;
  }
}

}  // namespace skein
