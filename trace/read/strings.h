// Texts by number. A trace has few different texts and refers to them often: a label, a counter's
// name, a file. All characters are in one arena; the same text always gets the same id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

using StringId = uint32_t;  // 0: the empty text

class Strings {
 public:
  Strings();

  // The id of `text`, which is copied if it is new. Any bytes are allowed.
  StringId intern(std::string_view text);

  // The text; empty for an id that was never given. Valid until the next intern.
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
  std::vector<StringId> slots_;  // open addressing; 0: free (the empty text needs no slot)
};

}  // namespace skein
