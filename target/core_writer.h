// Writes a core file with parts of a target's memory, which read_core() reads.
//
//   CoreWriter writer(target);
//   writer.add(frame, 4096);
//   writer.note = ...;
//   if (!writer.write([&](std::string_view bytes) { return out.write(bytes); })) ...
//
// What is not added has no bytes in the file: its mapping is named only. Layouts as in
// core_notes.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "target/target.h"

namespace skein {

class CoreWriter {
 public:
  // `target` must outlive it.
  explicit CoreWriter(const Target& target) : target_(target) {}

  // Copies the pages of [address, address + size) that the target has mapped, as they are now.
  // O(size).
  void add(uint64_t address, uint64_t size);
  // The bytes of the pages that were copied.
  uint64_t copied() const { return memory_.size(); }

  // The bytes of a note of skein's own (name "skein", type 1); empty: none.
  std::vector<uint8_t> note = {};

  // Calls `write` with the file's bytes in order, until it returns false, and returns the size of
  // the file. Registers of threads that are unknown are 0.
  uint64_t write(const std::function<bool(std::string_view)>& write) const;

 private:
  static constexpr uint64_t page = 4096;
  struct Page {
    uint64_t address = 0;
    size_t place = 0;  // in memory_
  };
  struct Segment {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t flags = 0;
    size_t first = 0;  // of sorted pages
    size_t count = 0;
  };
  std::vector<Page> sorted_pages() const;
  std::vector<Segment> segments(const std::vector<Page>& pages) const;
  std::string notes() const;

  const Target& target_;
  std::vector<Page> pages_ = {};
  std::unordered_set<uint64_t> tried_ = {};  // addresses of pages
  std::vector<uint8_t> memory_ = {};
};

}  // namespace skein
