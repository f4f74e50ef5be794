// Byte sources: files, standard input, and memory.
//
// Readers receive a `Files` object and open files only through it. Tests, fuzz targets and the page
// in the browser use files that exist only in memory (`MemoryFiles`). `DiskFiles` (disk_files.h)
// reads from disk.
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

// The bytes of one file. They do not change during its lifetime, unless another process truncates a
// mapped file (see Access::Copy). Move-only; spans stay valid after a move.
class Contents {
 public:
  Contents() = default;
  explicit Contents(std::vector<uint8_t> bytes) : owned_(std::move(bytes)), view_(owned_) {}
  Contents(Contents&& other) noexcept;
  Contents& operator=(Contents&& other) noexcept;
  ~Contents();

  // Refers to bytes that the caller owns and keeps for longer.
  static Contents borrowed(std::span<const uint8_t> bytes);
  // Owns bytes that `release` frees at the end, such as a mapping.
  using Release = void (*)(void* address, size_t size);
  static Contents released(void* address, size_t size, Release release);

  std::span<const uint8_t> bytes() const { return view_; }
  size_t size() const { return view_.size(); }

 private:
  std::vector<uint8_t> owned_;
  std::span<const uint8_t> view_;
  Release release_ = nullptr;
};

// Other: a pipe, a device, a socket. Opening one may block until data is written to it, so do not
// open entries that were merely found in a directory.
enum class FileType { Missing, File, Directory, Other };

enum class Access {
  Map,   // no copy; SIGBUS if the file is truncated during reading
  Copy,  // copied; for chunks of a running recorder, which truncates them
};

class Files {
 public:
  // The maximum size read from standard input or copied, to bound memory.
  static constexpr uint64_t default_limit = uint64_t{8} << 30;

  virtual ~Files() = default;

  // `-` (standard input) counts as a file.
  virtual FileType type(const std::string& path) = 0;

  // Returns the whole contents. Fails if the file is missing, a directory, unreadable or too big.
  virtual Result<Contents> open(const std::string& path, Access access = Access::Map) = 0;

  // Returns the first `count` bytes, or all if there are fewer, to detect the format before
  // gigabytes of another format are read. open() returns the bytes that this consumed from standard
  // input or a pipe again.
  virtual Result<std::vector<uint8_t>> head(const std::string& path, size_t count) = 0;

  // Returns the sorted names of the entries of a directory, without `.` and `..`; not recursive.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
};

// Files in memory, by path. A directory exists if it contains a file. open() does not copy: its
// result is valid until this object is destroyed or the file is added again.
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
