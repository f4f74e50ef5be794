// The report of `skein diff`: where two runs diverge, what follows from it, and what took longer.
//
//   const Comparison runs = compare_runs({"good", good}, {"bad", bad});
//   print(diff_text(runs, 10));
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/divergence.h"
#include "trace/ask/timing.h"

namespace skein {

struct ComparedRun {
  std::string name;  // as used in sentences: "good"
  Subject subject;

  // "query (#7)", escaped.
  std::string title(TaskIndex task) const;
};

struct Comparison {
  ComparedRun good;
  ComparedRun bad;
  Alignment aligned = {};
  std::vector<Divergence> divergences = {};
  std::vector<TimingDifference> timing = {};
  bool good_is_worse = false;
};

Comparison compare_runs(ComparedRun good, ComparedRun bad);

// `lines`: the maximum length of the timing table.
std::string diff_text(const Comparison& runs, size_t lines);
// skein.diff of docs/json.md.
Json diff_json(const Comparison& runs);

// The detail of an event in a sentence; each value includes the ones before it.
enum class Detail { Event, Actor, Location };
// Without a full stop.
std::string sentence(const ComparedRun& run, const CausalEvent& event,
                     Detail detail = Detail::Location);
// A divergence in one sentence.
std::string headline(const Comparison& runs, const Divergence& divergence);
// The task of the bad run that does not end because of it, in one sentence; empty without one.
std::string consequence(const Comparison& runs, const Divergence& divergence);

}  // namespace skein
