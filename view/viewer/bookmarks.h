// Positions on the common clock that the user saves. At most most_bookmarks, in order of time.
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
  // Texts are made valid and cut (bounded_note). False: there is no room, or no such time.
  bool insert(double time, std::string_view text);
  // False: there is none of this number.
  bool rename(size_t which, std::string_view text);
  bool remove(size_t which);

  // The nearest one that is later than `time` by more than `least`; earlier with direction < 0.
  // Null: there is none.
  const Bookmark* step(int direction, double time, double least) const;

  // As JSON (notes.h), counted from `zero` of the first trace's own clock, which has that
  // frequency.
  std::string save(uint64_t zero, uint64_t frequency) const;
  // Takes the place of all; says which zero of that clock the times count from, 0: unknown.
  Result<uint64_t> load(std::string_view json, uint64_t zero, uint64_t frequency);
  void shift(double by);

 private:
  std::vector<Bookmark> all_;
};

}  // namespace skein
