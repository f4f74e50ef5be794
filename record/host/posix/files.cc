// Creates the files of a trace: complete, private, and never through an existing link.
//
// Blocks are allocated before the first store, because ftruncate creates holes and a store into a
// hole on a full disk raises SIGBUS. Files are opened relative to their directory, which the
// program may have moved (directory.h).
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/host/posix/open_file.h"
#include "record/host/posix/state.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace skein::record {
namespace {

constexpr size_t kPage = 4096;

// False, with errno set, if no file may be opened any more.
bool may_open(const TraceFiles& files) {
  if (files.sealed) errno = EPERM;
  return !files.sealed;
}

bool within_limit(size_t size) {
  if (size <= largest_file()) return true;
  errno = EFBIG;
  return false;
}

bool write_zeros(int fd, size_t offset, size_t size) {
  static const char zeros[kPage] = {};
  for (size_t at = 0; at < size;) {
    const size_t n = size - at < kPage ? size - at : kPage;
    const ssize_t done = pwrite(fd, zeros, n, static_cast<off_t>(offset + at));
    if (done <= 0) return false;
    at += static_cast<size_t>(done);
  }
  return true;
}

bool allocate_fd(int fd, size_t offset, size_t size) {
  if (fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0) return true;
  // The file system does not support it (NFS, some FUSE). Writing zeros also allocates; the range
  // of a new file contains no data yet.
  return errno == EOPNOTSUPP && write_zeros(fd, offset, size);
}

}  // namespace

// A file beyond the process's limit would raise SIGXFSZ, which ends the program.
uint64_t largest_file() {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

ErrnoGuard::ErrnoGuard() : saved_(errno) {}
ErrnoGuard::~ErrnoGuard() { errno = saved_; }

bool replace_by_private_memory(void* base, size_t size) {
  return mmap(base, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

bool touch(char* begin, size_t size) {
  if (madvise(begin, size, MADV_POPULATE_WRITE) == 0) return true;
  // EFAULT, ENOMEM: a store would raise SIGBUS. EINVAL: a kernel before 5.14. The others: a
  // sandbox.
  if (errno != EINVAL && errno != EPERM && errno != ENOSYS) return false;
  for (size_t at = 0; at < size; at += kPage) {
    volatile char* page = begin + at;
    *page = *page;
  }
  return true;
}

bool allocate(const TraceFiles& files, const char* name, size_t offset, size_t size) {
  if (!may_open(files) || !within_limit(offset + size)) return false;
  const DirectoryUse directory(files.handle);
  if (directory.fd() < 0) return false;
  const OpenFile file(directory.fd(), name, O_RDWR);
  const int fd = file.fd();
  return fd >= 0 && allocate_fd(fd, offset, size);
}

char* make_file(const TraceFiles& files, const char* name, size_t size, size_t allocated,
                size_t touched, void (*fill)(char*, void*), void* argument) {
  if (!may_open(files) || !within_limit(size)) return nullptr;
  const DirectoryUse directory(files.handle);
  if (directory.fd() < 0) return nullptr;
  Text hidden;
  hidden.add(name[0] == '.' ? "" : ".").add(name);
  OpenFile file(directory.fd(), hidden.data, O_RDWR | O_CREAT | O_EXCL);
  if (!file.opened()) return nullptr;
  void* memory = MAP_FAILED;
  if (ftruncate(file.fd(), static_cast<off_t>(size)) == 0 && allocate_fd(file.fd(), 0, allocated))
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  auto* bytes = static_cast<char*>(memory);
  if (memory != MAP_FAILED) set_own_mapping(bytes, size);
  bool done = memory != MAP_FAILED && touch(bytes, touched);
  int reason = errno;
  file.close_own();
  if (done) {
    fill(bytes, argument);
    done = name[0] == '.' || renameat(directory.fd(), hidden.data, directory.fd(), name) == 0;
    reason = errno;
  }
  if (!done) {
    end_own_mapping();
    if (memory != MAP_FAILED) munmap(memory, size);
    unlinkat(directory.fd(), hidden.data, 0);
    errno = reason;
    return nullptr;
  }
  __atomic_fetch_add(&state.bytes, uint64_t{allocated}, __ATOMIC_RELAXED);
  return bytes;
}

bool write_file(const TraceFiles& files, const char* name, const char* text, size_t size) {
  if (!may_open(files) || !within_limit(size)) return false;
  const DirectoryUse directory(files.handle);
  if (directory.fd() < 0) return false;
  Text hidden;
  hidden.add(".").add(name);
  OpenFile file(directory.fd(), hidden.data, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.opened()) return false;
  size_t at = 0;
  while (at < size) {
    const ssize_t done = write(file.fd(), text + at, size - at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    at += static_cast<size_t>(done);
  }
  const int reason = errno;
  file.close_own();
  if (at == size && renameat(directory.fd(), hidden.data, directory.fd(), name) == 0) return true;
  if (at < size) errno = reason;
  return false;
}

}  // namespace skein::record
