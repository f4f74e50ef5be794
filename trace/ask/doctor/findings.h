// What the doctor's lints find. What is alike is one finding, and only for the worst of it is put
// together who did what, and when.
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

  // Nothing happens if its lint is not asked for.
  void add(const Candidate& candidate);

  // The worst first.
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
