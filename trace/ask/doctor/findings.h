// Collects the findings of the lints. Merges similar candidates, and finds evidence only for the
// worst of them.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "trace/ask/doctor/candidate.h"
#include "trace/ask/doctor/lint_context.h"

namespace skein::detail {

class Findings {
 public:
  explicit Findings(const LintContext& context) : context_(context) {}

  Sources sources;

  // Ignores candidates of disabled lints.
  void add(const Candidate& candidate);

  // The worst finding first.
  std::vector<Finding> all() const;

 private:
  using Key = std::array<uint64_t, 6>;
  struct Group {
    Candidate worst;
    uint64_t count = 0;
    uint64_t total = 0;
  };

  void add_identity(uint64_t* key, TaskIndex index) const;

  const LintContext& context_;
  std::map<Key, Group> groups_;
};

}  // namespace skein::detail
