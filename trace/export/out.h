// Shared by all exporters: the output, written in pieces, and the data that a format cannot
// represent.
//
//   Out out([&](std::string_view piece) { return file.write(piece); });
//   const Omissions omissions = export_chrome(trace, out);
//   if (!out.finish()) ...
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skein {

class Out {
 public:
  // Returns false if the write failed; it is not called again.
  using Sink = std::function<bool(std::string_view)>;

  explicit Out(Sink sink) : sink_(std::move(sink)) {}

  // Append to this, then call flush_if_full().
  std::string& text() { return text_; }
  void flush_if_full() {
    if (text_.size() >= flush_size) flush();
  }
  bool finish() {
    flush();
    return good_;
  }

 private:
  static constexpr size_t flush_size = size_t{256} << 10;

  void flush() {
    if (good_ && !text_.empty()) good_ = sink_(text_);
    text_.clear();
  }

  Sink sink_;
  std::string text_;
  bool good_ = true;
};

// Counts by name, in the order of their first occurrence: "modules", 3.
class Omissions {
 public:
  void add(std::string_view what, uint64_t count = 1) {
    if (count == 0) return;
    for (auto& [name, number] : all_)
      if (name == what) {
        number += count;
        return;
      }
    all_.emplace_back(what, count);
  }
  const std::vector<std::pair<std::string, uint64_t>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, uint64_t>> all_;
};

}  // namespace skein
