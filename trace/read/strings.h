// Interned strings. A trace has few distinct strings and refers to them often: labels, counter
// names, files. All characters are in one arena; equal strings always get the same id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

using StringId = uint32_t;  // 0: the empty string

class Strings {
 public:
  Strings();

  // Returns the id of `text`, which is copied if it is new. Any bytes are allowed.
  StringId intern(std::string_view text);

  // Returns the string; empty for an unused id. Valid until the next intern.
  std::string_view operator[](StringId id) const {
    if (id >= texts_.size()) return {};
    return std::string_view(arena_).substr(texts_[id].offset, texts_[id].size);
  }

  size_t size() const { return texts_.size(); }

 private:
  struct Text {
    uint64_t offset;
    uint32_t size;
    uint32_t hash;
  };

  void grow_slots();

  std::string arena_;
  std::vector<Text> texts_;
  std::vector<StringId> slots_;  // open addressing; 0: free (the empty string needs no slot)
};

}  // namespace skein
