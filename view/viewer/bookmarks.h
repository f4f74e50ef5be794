// Positions on the common clock that the user saves: at most most_bookmarks, in time order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "view/viewer/notes.h"

namespace skein {

class Bookmarks {
 public:
  std::span<const Bookmark> all() const { return all_; }
  // Makes the text valid and cuts it (bounded_note). Returns false if there is no room or the time
  // is invalid.
  bool insert(double time, std::string_view text);
  // Returns false if there is no bookmark with this index.
  bool rename(size_t which, std::string_view text);
  bool remove(size_t which);

  // Returns the nearest bookmark later than `time` by more than `least`, or earlier if direction <
  // 0. Null if there is none.
  const Bookmark* step(int direction, double time, double least) const;

  // Returns the bookmarks as JSON (notes.h), relative to `zero` of the first trace's own clock,
  // which has this frequency.
  std::string save(uint64_t zero, uint64_t frequency) const;
  // Replaces all bookmarks. Returns the zero of that clock that the times are relative to; 0:
  // unknown.
  Result<uint64_t> load(std::string_view json, uint64_t zero, uint64_t frequency);
  void shift(double by);

 private:
  std::vector<Bookmark> all_;
};

}  // namespace skein
