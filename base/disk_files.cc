#include "base/disk_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace skein {

namespace {

const char* name_of(const std::string& path) {
  return path == "-" ? "standard input" : path.c_str();
}

// Closes a descriptor at the end of a block, except the standard streams.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDERR_FILENO) close(number);
  }
};

Error system_error(const std::string& path, int code) {
  std::string advice;
  if (code == ENOENT) advice = "check the path";
  if (code == EACCES) advice = "check the permissions";
  return Error{.what = std::strerror(code), .file = path, .advice = advice};
}

// True if a FIFO has a writer, or gets one within 3 s. Without a writer, open without O_NONBLOCK
// and read block forever. Appends a byte read by this check to `head`.
bool has_writer(int fifo, std::vector<uint8_t>& head) {
  constexpr int moment_ms = 3000;
  pollfd waits{.fd = fifo, .events = POLLIN, .revents = 0};
  if (poll(&waits, 1, moment_ms) > 0) return true;
  uint8_t byte = 0;
  const ssize_t count = read(fifo, &byte, 1);
  if (count > 0) head.push_back(byte);
  return count != 0;  // EAGAIN: there is a writer that has written nothing yet
}

// Returns where the data of a large file ends: a sparse file may claim a terabyte and contain a few
// bytes. The hole behind the last data is not read. Holes between data are.
uint64_t end_of_data(int file, const struct stat& status) {
  constexpr off_t large = off_t{64} << 20;
  constexpr int most_holes = 100'000;
  if (status.st_size < large || status.st_blocks >= status.st_size / 512)
    return static_cast<uint64_t>(status.st_size);
  off_t end = 0;
  for (int i = 0; i < most_holes; i++) {
    const off_t data = lseek(file, end, SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
      lseek(file, 0, SEEK_SET);
      return static_cast<uint64_t>(end);
    }
    const off_t hole = data < 0 ? -1 : lseek(file, data, SEEK_HOLE);
    if (hole <= end) break;
    end = hole;
  }
  lseek(file, 0, SEEK_SET);
  return static_cast<uint64_t>(status.st_size);
}

}  // namespace

bool DiskFiles::follows_links(const std::string&) const { return true; }

bool UnlinkedFiles::follows_links(const std::string& path) const {
  return std::none_of(named_.begin(), named_.end(), [&](const std::string& name) {
    return path.size() > name.size() && path.starts_with(name) &&
           (name.ends_with('/') || path[name.size()] == '/');
  });
}

bool DiskFiles::flows(const std::string& path) {
  return path == "-" || (follows_links(path) && type(path) == FileType::Other);
}

Result<int> DiskFiles::open_file(const std::string& path, struct stat& status) {
  const bool follows = follows_links(path);
  const int flags = follows ? 0 : O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)};
  if (file.number < 0 && !follows && errno == ELOOP)
    return Error{.what = "a symbolic link", .file = path};
  if (file.number < 0) return system_error(path, errno);
  if (fstat(file.number, &status) != 0) return system_error(path, errno);
  if (!follows && !S_ISREG(status.st_mode))
    return Error{.what = "not a regular file", .file = path};
  return std::exchange(file.number, -1);
}

FileType DiskFiles::type(const std::string& path) {
  if (path == "-") return FileType::File;
  struct stat status;
  const int result =
      follows_links(path) ? stat(path.c_str(), &status) : lstat(path.c_str(), &status);
  if (result != 0) return FileType::Missing;
  if (S_ISDIR(status.st_mode)) return FileType::Directory;
  return S_ISREG(status.st_mode) ? FileType::File : FileType::Other;
}

Result<Contents> DiskFiles::open(const std::string& path, Access access) {
  if (flows(path)) {
    const auto from = flow(path);
    if (!from) return from.error();
    const Descriptor closed{(*from)->descriptor};
    auto contents = read_all(closed.number, name_of(path), std::move((*from)->head));
    flows_.erase(path);
    return contents;
  }
  struct stat status;
  const auto opened = open_file(path, status);
  if (!opened) return opened.error();
  const Descriptor file{*opened};
  if (S_ISDIR(status.st_mode)) return Error{.what = "is a directory", .file = path};
  if (!S_ISREG(status.st_mode)) return read_all(file.number, path, {});
  const auto size = static_cast<size_t>(end_of_data(file.number, status));
  const bool has_hole = size < static_cast<uint64_t>(status.st_size);
  if (has_hole && (size == 0 || (access == Access::Copy && size <= limit_))) {
    auto bytes = read_up_to(file.number, path, {}, size);
    if (!bytes) return bytes.error();
    return Contents(*std::move(bytes));
  }
  // An empty file cannot be mapped.
  if (access == Access::Copy || status.st_size == 0) return read_all(file.number, path, {});
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED) return read_all(file.number, path, {});
  madvise(address, size, MADV_SEQUENTIAL);
  return Contents::released(address, size, [](void* at, size_t count) { munmap(at, count); });
}

Result<std::vector<uint8_t>> DiskFiles::head(const std::string& path, size_t count) {
  if (flows(path)) {
    const auto from = flow(path);
    if (!from) return from.error();
    auto bytes = read_up_to((*from)->descriptor, name_of(path), std::move((*from)->head), count);
    if (bytes) (*from)->head = *bytes;
    return bytes;
  }
  struct stat status;
  const auto opened = open_file(path, status);
  if (!opened) return opened.error();
  const Descriptor file{*opened};
  return read_up_to(file.number, path, {}, count);
}

DiskFiles::~DiskFiles() {
  for (const auto& [path, from] : flows_) Descriptor closed{from.descriptor};
}

Result<DiskFiles::Flow*> DiskFiles::flow(const std::string& path) {
  if (const auto found = flows_.find(path); found != flows_.end()) return &found->second;
  Flow opened{.descriptor = STDIN_FILENO};
  struct stat status {};
  if (path != "-") {
    if (stat(path.c_str(), &status) != 0) return system_error(path, errno);
    if (S_ISSOCK(status.st_mode)) return Error{.what = "a socket, not a trace", .file = path};
    opened.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened.descriptor < 0) return system_error(path, errno);
  }
  Descriptor closed{opened.descriptor};
  if (isatty(opened.descriptor))
    return Error{.what = "a terminal, not a trace",
                 .file = name_of(path),
                 .advice = "give a path, or pipe a trace to standard input"};
  if (S_ISFIFO(status.st_mode) && !has_writer(opened.descriptor, opened.head))
    return Error{.what = "a FIFO without a writer",
                 .file = path,
                 .advice = "start the program that writes to it"};
  if (path != "-") fcntl(opened.descriptor, F_SETFL, O_RDONLY);  // later reads block
  closed.number = -1;
  return &flows_.emplace(path, std::move(opened)).first->second;
}

// Appends to `start` until it has `limit` bytes or the file ends.
Result<std::vector<uint8_t>> DiskFiles::read_up_to(int descriptor, const std::string& path,
                                                   std::vector<uint8_t> start, uint64_t limit) {
  constexpr uint64_t first_step = uint64_t{64} << 10;
  constexpr uint64_t largest_step = uint64_t{16} << 20;
  std::vector<uint8_t> bytes = std::move(start);
  size_t size = bytes.size();
  while (size < limit) {
    const uint64_t step = std::clamp<uint64_t>(size, first_step, largest_step);
    bytes.resize(size + static_cast<size_t>(std::min(step, limit - size)));
    const ssize_t count = read(descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path, errno);
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

Result<Contents> DiskFiles::read_all(int descriptor, const std::string& path,
                                     std::vector<uint8_t> start) {
  // One byte more than allowed shows that there is more.
  auto bytes = read_up_to(descriptor, path, std::move(start), limit_ + 1);
  if (!bytes) return bytes.error();
  if (bytes->size() > limit_)
    return Error{.what = "more than " + std::to_string(limit_) + " bytes",
                 .file = path,
                 .advice = "save it to a file and give its path"};
  return Contents(*std::move(bytes));
}

Result<std::vector<std::string>> DiskFiles::list(const std::string& path) {
  DIR* directory = opendir(path.c_str());
  if (!directory) return system_error(path, errno);
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace skein
