// For tests: a process of which only some words are not 0.
//
//   SparseTarget target;
//   target.map(0x10000, 0x20000, "/program");
//   target.set(0x10008, 4711);
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "target/target.h"

namespace skein {

class SparseTarget : public Target {
 public:
  // Writable memory. Ascending; those that overlap an earlier one are ignored.
  void map(uint64_t begin, uint64_t end, std::string file = {}) {
    if (begin % page != 0 || end % page != 0 || begin >= end) return;
    if (!mappings_.empty() && begin < mappings_.back().end) return;
    mappings_.push_back(
        {.begin = begin, .end = end, .readable = true, .writable = true, .file = std::move(file)});
  }
  // Whether it is mapped or not.
  void set(uint64_t address, std::span<const uint8_t> bytes) {
    for (size_t done = 0; done < bytes.size();) {
      std::vector<uint8_t>& to = pages_[address / page];
      to.resize(page);
      const size_t count = std::min<size_t>(bytes.size() - done, page - address % page);
      std::memcpy(to.data() + address % page, bytes.data() + done, count);
      done += count;
      address += count;
    }
  }
  void set(uint64_t address, uint64_t word) {
    uint8_t bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    set(address, bytes);
  }
  void add_thread(const TargetThread& thread) { threads_.push_back(thread); }

  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 1; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return threads_; }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    size_t count = 0;
    while (count < to.size()) {
      const Mapping* const mapping = find_mapping(mappings_, address + count);
      if (mapping == nullptr) break;
      const uint64_t offset = (address + count) % page;
      const size_t size = std::min<size_t>(to.size() - count, page - offset);
      const auto at = pages_.find((address + count) / page);
      if (at == pages_.end())
        std::memset(to.data() + count, 0, size);
      else
        std::memcpy(to.data() + count, at->second.data() + offset, size);
      count += size;
    }
    return count;
  }
  uint64_t first_data(uint64_t begin, uint64_t end) const override {
    const auto at = pages_.lower_bound(begin / page);
    return at == pages_.end() ? end : std::min(end, std::max(begin, at->first * page));
  }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "none"}; }

 private:
  static constexpr uint64_t page = 4096;
  std::string name_ = "program";
  std::vector<Mapping> mappings_ = {};
  std::vector<TargetThread> threads_ = {};
  std::map<uint64_t, std::vector<uint8_t>> pages_ = {};
};

}  // namespace skein
