// The file that a command writes: whole, or not at all.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace skein::cli {

// A trace is not written over by what is made of it: if `path` is one of `inputs`, by whatever
// name, or inside one, throws CommandError(2).
void refuse_inputs(const std::string& path, std::span<const std::string> inputs);

// Writes `bytes` beside `path` and then gives them its name, so that a disk that is full leaves
// what was there; an existing file keeps its permissions. `-` is standard output; to what is no
// file (a pipe, a device) it writes at once. Throws CommandError(2) on failure.
void write_output(const std::string& path, std::string_view bytes);

// The same for what is too large to be held in memory: write it piece by piece, then finish(). Not
// finished, it leaves what was there.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // False: it could not be; finish() says why.
  bool write(std::string_view bytes);
  void finish();

  // What is to get the name by finish(), for another program to write; empty: to standard output,
  // or to what is no file.
  const std::string& temporary() const { return temporary_; }

 private:
  std::string path_;
  std::string target_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
};

}  // namespace skein::cli
