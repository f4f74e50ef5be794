// How likely a diagnosis is a fault of the program: what `skein why` puts first, and what it gives
// no more than a line.
//
//   const Suspicions suspicions(subject);
//   for (Diagnosis& d : found) d.suspicion = suspicions.of(d);
#pragma once

#include <string_view>
#include <vector>

#include "trace/ask/diagnosis.h"

namespace skein {

// Whether the last of the waits in the chain began less than 100 ms before the end.
bool waits_shortly(const Model& model, const Waits& waits, const Diagnosis& d);

class Suspicions {
 public:
  // `subject` must outlive it. O(objects).
  explicit Suspicions(const Subject& subject);
  // The diagnosis must be complete but for its suspicion. O(earlier waits of its tasks, at most
  // 1000 each, + uses of its object).
  Suspicion of(const Diagnosis& d) const;

 private:
  bool is_client(const Model::Object& socket) const;
  bool is_slow(const Diagnosis& d, const Model::Concern& timer) const;
  Suspicion of_receive(const Diagnosis& d) const;
  Suspicion of_external(const Diagnosis& d) const;

  const Subject s_;
  std::vector<std::string_view> accepting_ports_;  // of the program's acceptors
};

}  // namespace skein
