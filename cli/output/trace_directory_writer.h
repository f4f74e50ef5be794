// A directory that is made for a trace: 0700, its files 0600; nothing that is there already is
// written to or followed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skein::cli {

class TraceDirectoryWriter {
 public:
  // Makes the directory; throws CommandError(2) on failure.
  explicit TraceDirectoryWriter(const std::string& path);
  ~TraceDirectoryWriter();
  TraceDirectoryWriter(const TraceDirectoryWriter&) = delete;
  TraceDirectoryWriter& operator=(const TraceDirectoryWriter&) = delete;

  // Throws CommandError(1) on failure, such as a full disk.
  void write(const std::string& name, std::span<const uint8_t> bytes);

 private:
  std::string path_;
  int directory_;
};

}  // namespace skein::cli
