#include "record/host/posix/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace skein::record {

// Below FD_SETSIZE and not so high that the kernel needs much memory for its table.
int duplicate_high(int fd) {
  constexpr rlim_t kEnough = 1024;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  const rlim_t end = limit.rlim_cur < kEnough ? limit.rlim_cur : kEnough;
  return fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(end - end / 8));
}

OpenFile::OpenFile(int directory, const char* name, int flags)
    : fd_(openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  if (fd_ < 0) return;
  opened_ = true;
  if (fstatat(directory, name, &file_, AT_SYMLINK_NOFOLLOW) != 0 && fstat(fd_, &file_) != 0) {
    close(fd_);
    fd_ = -1;
    return;
  }
  const int high = is_own() ? duplicate_high(fd_) : -1;
  if (high < 0) return;
  close_own();
  fd_ = high;
  high_ = true;
}

int OpenFile::fd() const {
  if (fd_ < 0 || is_own()) return fd_;
  errno = EBADF;
  return -1;
}

void OpenFile::close_own() {
  const int saved = errno;
  if (is_own()) close(fd_);
  fd_ = -1;
  errno = saved;
}

int OpenFile::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

bool OpenFile::is_own() const {
  struct stat now;
  return fd_ >= 0 && fstat(fd_, &now) == 0 && now.st_dev == file_.st_dev &&
         now.st_ino == file_.st_ino;
}

}  // namespace skein::record
