// Takes a snapshot of the running trace from inside the process, for users who cannot see its files
// (a container, another mount namespace). `skein snapshot` does the same from outside.
//
// Each packet is copied and then checked: if its lock has changed, the packet was recycled during
// the copy, contains the newest events, and is copied again.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "record/host/posix/control.h"
#include "record/host/posix/open_file.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr unsigned kTries = 64;

// Writes `size` bytes; the rest of the file, up to `whole`, is a hole and needs no disk space.
bool write_all(int fd, const char* bytes, size_t size, size_t whole) {
  for (size_t at = 0; at < size;) {
    const ssize_t n = pwrite(fd, bytes + at, size - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return ftruncate(fd, static_cast<off_t>(whole)) == 0;
}

// Copies the packet in `shared` consistently into `copy`. Returns its size, or 0 if the writer
// recycled it during every attempt.
size_t copy_packet(const char* shared, char* copy, size_t size, unsigned& retries) {
  const auto* header = reinterpret_cast<const format::PacketHeader*>(shared);
  for (unsigned attempt = 0; attempt < kTries; ++attempt, ++retries) {
    const uint64_t before = __atomic_load_n(&header->lock, __ATOMIC_ACQUIRE);
    if ((before & 1) != 0) continue;
    const uint64_t bits = __atomic_load_n(&header->content_size, __ATOMIC_ACQUIRE);
    const size_t content = bits / 8;
    if (content < sizeof *header || content > size) continue;
    memcpy(copy, shared, content);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&header->lock, __ATOMIC_RELAXED) != before) continue;
    // The commit word may have grown during the copy; the value read before the copy is valid.
    auto* taken = reinterpret_cast<format::PacketHeader*>(copy);
    taken->content_size = bits;
    return content;
  }
  return 0;
}

// Returns the number of bytes to copy: rows of the live task table that were never used are a hole.
size_t size_to_copy(const char* shared, size_t size, const char* name) {
  if (strcmp(name, ".tasks") != 0 || size < format::kTableHeaderSize) return size;
  const auto* header = reinterpret_cast<const format::TaskTableHeader*>(shared);
  const uint64_t rows = __atomic_load_n(&header->rows_used, __ATOMIC_ACQUIRE);
  const uint64_t most = (size - format::kTableHeaderSize) / sizeof(TaskRow);
  return format::kTableHeaderSize +
         static_cast<size_t>(rows < most ? rows : most) * sizeof(TaskRow);
}

bool copy_file(int from, int to, const char* name, SnapshotResult& result) {
  const OpenFile source(from, name, O_RDONLY);
  struct stat facts;
  if (source.fd() < 0 || fstat(source.fd(), &facts) != 0 || !S_ISREG(facts.st_mode)) return true;
  const auto size = static_cast<size_t>(facts.st_size);
  if (size == 0) return true;
  void* shared = mmap(nullptr, size, PROT_READ, MAP_SHARED, source.fd(), 0);
  if (shared == MAP_FAILED) return false;
  void* copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool done = copy != MAP_FAILED;
  set_own_mapping(static_cast<char*>(shared), size);  // the file may be truncated during the copy
  if (done) {
    const bool is_packet = strcmp(name, "metadata") != 0 && name[0] != '.';
    size_t taken = size;
    if (is_packet)
      taken =
          copy_packet(static_cast<char*>(shared), static_cast<char*>(copy), size, result.retries);
    else
      memcpy(copy, shared, taken = size_to_copy(static_cast<char*>(shared), size, name));
    if (taken == 0) {
      ++result.missed;
    } else {
      const OpenFile target(to, name, O_WRONLY | O_CREAT | O_EXCL);
      done = target.fd() >= 0 && write_all(target.fd(), static_cast<char*>(copy), taken, size);
      ++result.files;
    }
    munmap(copy, size);
  }
  const int reason = errno;
  end_own_mapping();
  munmap(shared, size);
  errno = reason;
  return done;
}

}  // namespace

int take_snapshot(const char* directory, SnapshotResult& result) {
  const TraceFiles* shown = now_of(state.shown);
  if (shown == nullptr || state.pid != getpid()) return ENOENT;
  const TraceFiles& files = *shown;
  const DirectoryUse use(files.handle);
  if (use.fd() < 0) return errno;
  const int entries = openat(use.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* source = entries >= 0 ? fdopendir(entries) : nullptr;
  if (source == nullptr) {
    const int error = errno;
    if (entries >= 0) close(entries);
    return error;
  }
  int error = mkdir(directory, 0700) == 0 ? 0 : errno;
  const OpenFile target(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY);
  if (error == 0 && target.fd() < 0) error = errno;
  // Events first, definitions last: each definition is written before the first event that uses it.
  for (const bool names : {false, true}) {
    rewinddir(source);
    while (error == 0) {
      const dirent* entry = readdir(source);
      if (entry == nullptr) break;
      const char* name = entry->d_name;
      if (name[0] == '.' && strcmp(name, ".tasks") != 0) continue;
      if ((strncmp(name, "names-", 6) == 0) != names) continue;
      if (!copy_file(use.fd(), target.fd(), name, result)) error = errno;
    }
  }
  closedir(source);
  return error;
}

}  // namespace skein::record
