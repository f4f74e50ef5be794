// The directory of a trace, which the program may move, remove or hide while it is recorded: mv of
// the trace or of a parent, rm -r, chroot, umount -l, another working directory.
//
//   DirectoryUse directory(handle);
//   if (directory.fd() < 0) return false;             // unreachable; errno is set
//   openat(directory.fd(), name, ...);
//
// The recorder keeps one descriptor for each trace that it writes to, with a high number, so that
// the program gets the numbers it would get without the recorder. The program may close it (a
// daemon closes all descriptors) and reuse its number. Each use therefore compares device and inode
// first. If they differ, the directory is opened by its path, if that still leads to the same
// inode. Only a number that the program closes and reuses between that comparison and the next
// system call is not detected.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace skein::record {

struct DirectoryHandle {
  const char* path = nullptr;  // of the owner, who may change the text before the first use
  dev_t device = 0;
  ino_t inode = 0;
  int fd = -1;         // -1: none is kept
  uint32_t users = 0;  // the trace, until close_directory, and each DirectoryUse
};

// Opens handle.path for the first time. Returns 0 or an errno value.
int open_directory(DirectoryHandle& handle);
// Closes the kept descriptor, at the end of its last use. Later uses open the path each time.
void close_directory(DirectoryHandle& handle);
// Closes the kept descriptor in a forked child, where the trace is not written to.
void close_directory_in_child(DirectoryHandle& handle);

// Copies the directory's present path to `path`: that of /proc, or the path at start if /proc is
// not mounted, the directory has been removed or is outside the program's root, or no descriptor is
// kept.
void copy_path(DirectoryHandle& handle, char* path, size_t size);

class DirectoryUse {
 public:
  explicit DirectoryUse(DirectoryHandle& handle);
  ~DirectoryUse();
  DirectoryUse(const DirectoryUse&) = delete;
  DirectoryUse& operator=(const DirectoryUse&) = delete;
  // The descriptor, or -1 with errno set: ENOENT if the path leads to another directory.
  int fd() const { return fd_; }

 private:
  void open_path(bool keep);

  DirectoryHandle& handle_;
  bool entered_ = false;  // counted in handle_.users
  bool borrowed_ = false;
  int fd_ = -1;
};

}  // namespace skein::record
