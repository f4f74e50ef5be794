// The output file of a command, which is written completely or not at all.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace skein::cli {

// Throws CommandError(2) if `path` is one of `inputs`, by any name, or inside one: an output must
// not overwrite its trace.
void check_not_an_input(const std::string& path, std::span<const std::string> inputs);

// Throws CommandError(2) if `path` is a terminal, by any name (-, /dev/stdout, /dev/tty): binary
// output could contain anything that a terminal executes.
void check_not_a_terminal(const std::string& path);

// Writes `bytes` to a temporary file beside `path` and renames it, so that a full disk leaves the
// old file unchanged. An existing file keeps its permissions. `-` is standard output. Writes
// directly to a path that is not a regular file (a pipe, a device). Throws CommandError(2) on
// failure.
void write_output(const std::string& path, std::string_view bytes);

// Like write_output, for data too large for memory: write() it in pieces, then finish(). Without
// finish() the old file is unchanged.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Returns false on failure; finish() reports the reason.
  bool write(std::string_view bytes);
  void finish();

  // The file that finish() renames, for another program to write to. Empty if the output is
  // standard output or not a regular file.
  const std::string& temporary() const { return temporary_; }

 private:
  std::string path_;
  std::string target_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
};

}  // namespace skein::cli
