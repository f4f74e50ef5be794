// Where bytes come from: a file, standard input, or memory.
//
// Readers are handed a `Files` and never open anything themselves, so that tests and fuzz targets
// give them files that exist only in memory (`MemoryFiles`), as the browser does. `DiskFiles`
// (disk_files.h) is the real one.
//
//   Result<Contents> contents = files.open(path);
//   if (!contents) return contents.error();
//   Cursor cursor(contents->bytes());
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein {

// The bytes of one file, unchanged while this lives (a mapped file that another process truncates
// is the exception: see Access::Copy). Moved, not copied; a span taken before a move stays valid.
class Contents {
 public:
  Contents() = default;
  explicit Contents(std::vector<uint8_t> bytes) : owned_(std::move(bytes)), view_(owned_) {}
  Contents(Contents&& other) noexcept;
  Contents& operator=(Contents&& other) noexcept;
  ~Contents();

  // Of bytes that somebody else owns and keeps for longer.
  static Contents borrowed(std::span<const uint8_t> bytes);
  // Of bytes that `release` is called with at the end: a mapping.
  using Release = void (*)(void* address, size_t size);
  static Contents released(void* address, size_t size, Release release);

  std::span<const uint8_t> bytes() const { return view_; }
  size_t size() const { return view_.size(); }

 private:
  std::vector<uint8_t> owned_;
  std::span<const uint8_t> view_;
  Release release_ = nullptr;
};

// Other: a pipe, a device, a socket. It can be opened, which may wait for what is written to it:
// not for files that were only found in a directory.
enum class FileType { Missing, File, Directory, Other };

enum class Access {
  Map,   // no copy; for files nobody shortens while we read (a SIGBUS otherwise)
  Copy,  // read now; for the chunks of a running recorder, which truncates them
};

class Files {
 public:
  // More than this is not read from standard input or copied: a reader's memory has a bound.
  static constexpr uint64_t default_limit = uint64_t{8} << 30;

  virtual ~Files() = default;

  // `-` is standard input, hence a file.
  virtual FileType type(const std::string& path) = 0;

  // Everything in it. Fails when it is missing, a directory, unreadable, or too big.
  virtual Result<Contents> open(const std::string& path, Access access = Access::Map) = 0;

  // The first `count` bytes, or all when there are fewer: enough to tell what it is before reading
  // gigabytes of something else. What was taken from standard input or from a pipe is given again
  // by open().
  virtual Result<std::vector<uint8_t>> head(const std::string& path, size_t count) = 0;

  // Names of the entries of a directory without `.` and `..`, sorted; not recursive.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
};

// Files in memory, by path. A directory exists when a file is in it. What open() gives is not a
// copy: it lives as long as this, and until the file is added again.
class MemoryFiles : public Files {
 public:
  void add(std::string path, std::vector<uint8_t> bytes);
  void add(std::string path, std::string_view bytes);
  void remove(const std::string& path) { files_.erase(path); }

  FileType type(const std::string& path) override;
  Result<Contents> open(const std::string& path, Access access = Access::Map) override;
  Result<std::vector<uint8_t>> head(const std::string& path, size_t count) override;
  Result<std::vector<std::string>> list(const std::string& path) override;

 private:
  std::map<std::string, std::vector<uint8_t>> files_;
};

}  // namespace skein
