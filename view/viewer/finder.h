// What the user searches for in a session, and which tasks the filter lets through. All views show
// the same matches.
//
// A match passes the filter. Results are vectors of one entry per task; an empty one means: no
// match, or all pass. They are of the traces as they were at the last refresh of each, so who
// replaces or grows a trace calls refilter() and then search_again().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/session/session.h"
#include "view/draw/draw_list.h"
#include "view/viewer/search.h"

namespace skein {

struct Filter {
  std::string label = {};         // part of a label, name or location; empty: any
  std::string kind = {};          // one of kinds(); empty: any
  std::string executor = {};      // one of executors(): made there or ran there; empty: any
  uint64_t shortest = 0;          // ns
  uint64_t longest = UINT64_MAX;  // ns
  bool only_stuck = false;        // should_resolve, and has not ended
  bool operator==(const Filter&) const = default;
};

// The tasks that the filter lets through; empty: all.
std::vector<uint8_t> passing(const Trace& trace, const Model& model, Search& search,
                             const Filter& filter);

class Finder {
 public:
  struct Match {
    double time = 0;
    uint32_t track = 0;
    TaskIndex task = 0;
  };
  // Of one trace; what another thread can make (question.cc).
  struct Results {
    Search search;
    std::vector<uint8_t> passes = {};
    std::vector<uint8_t> found = {};
  };

  explicit Finder(const Session& session) : session_(session) {}

  const std::string& text() const { return text_; }
  void set_text(std::string_view text);  // and forgets where one was; search_again() follows
  // In all traces. Who went from match to match stays at `at`, if it still is one.
  void search_again(const Item& at);
  size_t count() const { return count_; }
  size_t at() const { return at_; }  // 1 to count(); 0: none yet
  const std::vector<uint8_t>& found(size_t track) const { return results_[track].found; }
  // The match after the one that was gone to last, or the first time after `edge`; before with
  // direction < 0. Null: there is none.
  const Match* step(int direction, double edge);

  const Filter& filter() const { return filter_; }
  bool filters() const { return filter_ != Filter(); }
  void set_filter(const Filter& filter) { filter_ = filter; }  // refilter() of all follows
  const std::vector<uint8_t>& passes(size_t track) const { return results_[track].passes; }

  // Number `track` is another trace, or a new one: `texts` are of its search.
  void set_trace(size_t track, FoldedTexts texts);
  void refilter(size_t track);

  // For another thread: a copy that searches; and what it found, in place of search_again().
  Search search_of(size_t track) const { return results_[track].search; }
  void take(size_t track, Results results, bool filtered);
  void settle(const Item& at);

  uint32_t version() const { return version_; }  // another one: other results

 private:
  bool is_found(size_t track, TaskIndex task) const;
  void sort_matches();

  const Session& session_;
  std::vector<Results> results_;
  std::string text_;
  Filter filter_;
  size_t count_ = 0;
  size_t at_ = 0;
  std::vector<Match> matches_;  // by time; made when they are stepped through
  uint32_t version_ = 0;
};

}  // namespace skein
