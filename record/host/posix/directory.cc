#include "record/host/posix/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/host/posix/open_file.h"

namespace skein::record {
namespace {

int load(const int& fd) { return __atomic_load_n(&fd, __ATOMIC_ACQUIRE); }

bool is_directory_of(const DirectoryHandle& handle, int fd) {
  struct stat info;
  return fd >= 0 && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_dev == handle.device && info.st_ino == handle.inode;
}

// Closes a descriptor of the directory, unless the program has closed it and reused its number.
void close_own(const DirectoryHandle& handle, int fd) {
  if (is_directory_of(handle, fd)) close(fd);
}

// Reads the path of an open directory from /proc. Returns false if that is not possible.
bool read_path_of(int fd, char* path, size_t size) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  size_t count = 0;
  for (int rest = fd; rest > 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  for (size_t at = strlen(link); count > 0; ++at) link[at] = digits[--count];
  const ssize_t length = readlink(link, path, size);
  if (length <= 0 || static_cast<size_t>(length) >= size) return false;
  path[length] = 0;
  return true;
}

// False if the directory was removed: /proc appends " (deleted)" to its path.
bool leads_to(const char* path, const DirectoryHandle& handle) {
  struct stat info;
  return stat(path, &info) == 0 && info.st_dev == handle.device && info.st_ino == handle.inode;
}

// Counts a use. Returns false if the trace has closed its directory.
bool enter(DirectoryHandle& handle) {
  uint32_t users = __atomic_load_n(&handle.users, __ATOMIC_ACQUIRE);
  while (users != 0)
    if (__atomic_compare_exchange_n(&handle.users, &users, users + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return true;
  return false;
}

void close_kept(DirectoryHandle& handle) {
  close_own(handle, __atomic_exchange_n(&handle.fd, -1, __ATOMIC_ACQ_REL));
}

void leave(DirectoryHandle& handle) {
  if (__atomic_sub_fetch(&handle.users, 1, __ATOMIC_ACQ_REL) == 0) close_kept(handle);
}

}  // namespace

int open_directory(DirectoryHandle& handle) {
  OpenFile directory(AT_FDCWD, handle.path, O_RDONLY | O_DIRECTORY);
  if (directory.fd() < 0) return errno;
  handle.device = directory.identity().st_dev;
  handle.inode = directory.identity().st_ino;
  handle.fd = directory.is_high() ? directory.release() : -1;  // -1: each use opens the path
  __atomic_store_n(&handle.users, 1u, __ATOMIC_RELEASE);
  return 0;
}

void close_directory(DirectoryHandle& handle) {
  const int saved = errno;
  if (__atomic_load_n(&handle.users, __ATOMIC_ACQUIRE) != 0) leave(handle);
  errno = saved;
}

void close_directory_in_child(DirectoryHandle& handle) {
  const int saved = errno;
  close_kept(handle);
  errno = saved;
}

void copy_path(DirectoryHandle& handle, char* path, size_t size) {
  const int saved = errno;
  bool found = false;
  if (enter(handle)) {
    const int kept = load(handle.fd);
    found =
        is_directory_of(handle, kept) && read_path_of(kept, path, size) && leads_to(path, handle);
    leave(handle);
  }
  if (!found) {
    const size_t length = strnlen(handle.path, size - 1);
    memcpy(path, handle.path, length);
    path[length] = 0;
  }
  errno = saved;
}

DirectoryUse::DirectoryUse(DirectoryHandle& handle) : handle_(handle), entered_(enter(handle)) {
  const int kept = entered_ ? load(handle_.fd) : -1;
  borrowed_ = is_directory_of(handle_, kept);
  if (borrowed_)
    fd_ = kept;
  else
    open_path(entered_);
}

// `keep`: for later uses as well. A number that was kept and is no longer the directory's belongs
// to the program, so it is forgotten, not closed.
void DirectoryUse::open_path(bool keep) {
  int old = load(handle_.fd);
  OpenFile directory(AT_FDCWD, handle_.path, O_RDONLY | O_DIRECTORY);
  if (directory.fd() < 0) return;
  if (!is_directory_of(handle_, directory.fd())) {
    errno = ENOENT;
    return;
  }
  fd_ = directory.release();
  if (!keep || !directory.is_high()) return;
  // If another thread was faster, this one is closed after the use.
  borrowed_ = __atomic_compare_exchange_n(&handle_.fd, &old, fd_, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE);
}

DirectoryUse::~DirectoryUse() {
  const int saved = errno;
  if (!borrowed_) close_own(handle_, fd_);
  if (entered_) leave(handle_);
  errno = saved;
}

}  // namespace skein::record
