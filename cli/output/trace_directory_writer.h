// Writes the files of a trace to a new directory. Modes: directory 0700, files 0600. Never
// overwrites an existing file or follows a link.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skein::cli {

class TraceDirectoryWriter {
 public:
  // Creates the directory. Throws CommandError(2) on failure, for example if it exists.
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
