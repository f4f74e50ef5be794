// A file that is open during one function. While it is open, other threads of the program may close
// all descriptors, as daemons do, and get the same number for a file of their own, which must be
// neither changed nor closed. The descriptor therefore has a high number, and each use compares it
// with the file that was opened. Only a number that is reused between the comparison and the next
// system call is not detected.
#pragma once
#include <sys/stat.h>

namespace skein::record {

// Duplicates a descriptor to a high number, which the program hardly gets if it closes and reuses
// numbers. Returns -1 if there is none.
int duplicate_high(int fd);

class OpenFile {
 public:
  // As openat(directory, name, flags, 0600); never follows a link.
  OpenFile(int directory, const char* name, int flags);
  ~OpenFile() { close_own(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // True if the file was opened, or created, even if the descriptor is lost since.
  bool opened() const { return opened_; }
  // The descriptor, or -1 with errno set, which system calls reject with EBADF.
  int fd() const;
  // Closes the file before the end of its scope. Keeps errno.
  void close_own();
  // Returns the descriptor, which the caller must close, or -1.
  int release();
  // False if there was no high number: the descriptor should not be kept.
  bool is_high() const { return high_; }
  // Device and inode of the file. Precondition: opened().
  const struct stat& identity() const { return file_; }

 private:
  bool is_own() const;

  int fd_;
  bool opened_ = false;
  bool high_ = false;
  struct stat file_ = {};
};

}  // namespace skein::record
