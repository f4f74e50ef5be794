// Examples with diagrams (trace/model/example.h) and their waits, for tests of analyses.
//
//   const AnalyzedExample run("0 create 1 as coroutine query\n1 resume 1");
//   diff_text(compare_runs({"good", run.subject()}, ...));
#pragma once

#include <string>

#include "trace/ask/waits.h"
#include "trace/model/example.h"

namespace skein {

struct AnalyzedExample {
  explicit AnalyzedExample(const std::string& text)
      : e(ours(text)), waits(find_waits(e.trace, e.model)) {}
  Subject subject() const { return {e.trace, e.model, waits}; }

  Example e;
  Waits waits;
};

//      0    5    10   15   20
//  1   ==--------.====]          (waits for timer 3 from 2 to 10; runs again at 13)
//  3    [------]
//  2          ========]          (runs from 8 to 13)
inline const char* const timer_and_turn = R"(
     0 create 1 as coroutine session
     0 create 2 as coroutine busy
     0 resume 1
     1 create 3 by 1 as timer
     2 suspend 1 on 3
     8 resume 2
    10 resolve 3 by 3
    13 suspend 2
    13 resume 1 by 3
    18 resolve 1 by 1
    20 executor_end -
)";

}  // namespace skein
