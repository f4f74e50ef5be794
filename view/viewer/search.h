// Search as one types in one trace: which tasks have the text somewhere.
//
//   Search search(trace, model);
//   search.run("ring.wr", marks);    // marks[task] = 1 for each task that was found
//   search.run("ring.write", marks); // only looks at what had been found
//
// Texts are interned: the few different ones are searched, in one sweep over a copy of them in
// small letters, then tasks are marked by the numbers of their texts. A million events have some
// hundred thousand tasks and mostly fewer texts; if every label is different it takes longest.
// Rejected: an index of trigrams (memory, and building it takes longer than ten searches).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// The texts of a trace in small letters, each ends with a zero.
struct FoldedTexts {
  std::string texts;
  std::vector<size_t> begin;  // of text i; one more than there are texts; empty: not made yet
};
FoldedTexts fold_texts(const Strings& strings);

class Search {
 public:
  // Both must live as long as this. Without `texts` they are made at the first run. A copy is
  // independent, and may run on another thread.
  Search(const Trace& trace, const Model& model, FoldedTexts texts = {});

  // ASCII letters match whatever their case. A number, or # and a number, is also an id. Empty:
  // nothing is found. `marks` becomes one entry per task.
  void run(std::string_view text, std::vector<uint8_t>& marks);

 private:
  void match_texts(std::string_view text);
  bool matched(StringId id) const { return id < matched_.size() && matched_[id] != 0; }

  const Trace* trace_;
  const Model* model_;
  std::shared_ptr<const FoldedTexts> folded_;  // none: not made yet
  std::vector<uint8_t> matched_;               // by StringId
  std::vector<StringId> hits_;                 // the same as a list
  std::string last_;
};

// In small letters, and without zeros.
std::string folded(std::string_view text);
// Does `text` contain what folded() made?
bool contains_folded(std::string_view text, std::string_view part);

}  // namespace skein
