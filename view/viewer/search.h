// Incremental search in one trace: finds the tasks with a text.
//
//   Search search(trace, model);
//   search.run("ring.wr", marks);    // marks[task] = 1 for each match
//   search.run("ring.write", marks); // searches only the previous matches
//
// Texts are interned: the distinct texts are searched in one pass over a lower-case copy, then
// tasks are marked by string id. A million events have some hundred thousand tasks and usually
// fewer texts; the worst case is a different label for every task. Rejected: a trigram index
// (memory, and building it takes longer than ten searches).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// The texts of a trace in lower case, each terminated by a zero.
struct FoldedTexts {
  std::string texts;
  std::vector<size_t> begin;  // offset of text i, and the end; empty: not built yet
};
FoldedTexts fold_texts(const Strings& strings);

class Search {
 public:
  // Both arguments must outlive this. If `texts` is empty, the first run builds it. A copy is
  // independent and may run on another thread.
  Search(const Trace& trace, const Model& model, FoldedTexts texts = {});

  // ASCII letters match case-insensitively. A number, or # and a number, also matches an id. An
  // empty text matches nothing. `marks` gets one entry per task.
  void run(std::string_view text, std::vector<uint8_t>& marks);

 private:
  void match_texts(std::string_view text);
  bool matched(StringId id) const { return id < matched_.size() && matched_[id] != 0; }

  const Trace* trace_;
  const Model* model_;
  std::shared_ptr<const FoldedTexts> folded_;  // null: not built yet
  std::vector<uint8_t> matched_;               // by StringId
  std::vector<StringId> hits_;                 // the matched ids as a list
  std::string last_;
};

// Returns the text in lower case without zeros.
std::string folded(std::string_view text);
// Returns whether `text` contains `part`, which must come from folded().
bool contains_folded(std::string_view text, std::string_view part);

}  // namespace skein
