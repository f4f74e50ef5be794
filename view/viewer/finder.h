// The search and the filter of a session. All views show the same matches.
//
// A match passes the filter. Results are vectors of one entry per task; an empty vector means no
// match, or that all tasks pass. They refer to each trace as of its last refilter(), so callers
// that replace or extend a trace must call refilter() and then search_again().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/session/session.h"
#include "view/draw/draw_list.h"
#include "view/viewer/findings.h"
#include "view/viewer/search.h"

namespace skein {

struct Filter {
  std::string label = {};         // part of a label, name or location; empty: any
  std::string kind = {};          // one of kinds(); empty: any
  std::string executor = {};      // one of executors(): created or ran there; empty: any
  uint64_t shortest = 0;          // ns
  uint64_t longest = UINT64_MAX;  // ns
  bool only_stuck = false;        // an error of `skein why`
  bool operator==(const Filter&) const = default;
};

// Returns the tasks that pass the filter; empty: all. `findings`: of this trace; they may be null
// unless the filter is for stuck tasks.
std::vector<uint8_t> passing(const Trace& trace, const Model& model, Search& search,
                             const Filter& filter, const Findings* findings);

class Finder {
 public:
  struct Match {
    double time = 0;
    uint32_t track = 0;
    TaskIndex task = 0;
  };
  // Results for one trace; another thread can compute them (question.cc).
  struct Results {
    Search search;
    std::vector<uint8_t> passes = {};
    std::vector<uint8_t> found = {};
  };

  Finder(const Session& session, const SessionFindings& findings)
      : session_(session), findings_(findings) {}

  const std::string& text() const { return text_; }
  void set_text(std::string_view text);  // resets the current match; search_again() must follow
  // Searches all traces. `at` stays the current match if it still is one.
  void search_again(const Item& at);
  size_t count() const { return count_; }
  size_t at() const { return at_; }  // 1 to count(); 0: none yet
  const std::vector<uint8_t>& found(size_t track) const { return results_[track].found; }
  // Returns the match after the current one, or else the first after `edge`; the match before if
  // direction < 0. Null if there is none.
  const Match* step(int direction, double edge);

  const Filter& filter() const { return filter_; }
  bool filters() const { return filter_ != Filter(); }
  void set_filter(const Filter& filter) { filter_ = filter; }  // refilter() of all must follow
  const std::vector<uint8_t>& passes(size_t track) const { return results_[track].passes; }

  // Replaces or adds trace number `track`; `texts` are the texts of its search.
  void set_trace(size_t track, FoldedTexts texts);
  void refilter(size_t track);

  // For another thread: a copy that searches, and its results, which replace search_again().
  Search search_of(size_t track) const { return results_[track].search; }
  void take(size_t track, Results results, bool filtered);
  void settle(const Item& at);

  uint32_t version() const { return version_; }  // changes with the results

 private:
  bool is_found(size_t track, TaskIndex task) const;
  void sort_matches();

  const Session& session_;
  const SessionFindings& findings_;
  std::vector<Results> results_;
  std::string text_;
  Filter filter_;
  size_t count_ = 0;
  size_t at_ = 0;
  std::vector<Match> matches_;  // by time; built when they are first stepped through
  uint32_t version_ = 0;
};

}  // namespace skein
