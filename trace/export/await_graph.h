// Where tasks spend their waiting or running time, by logical stack: from the outermost waiter to
// the innermost waiter and its target. A flame graph of the program, not of its event loop.
//
//    time   ----------------------------------->
//    serve  ===== awaits query =================          serve; query; socket       10
//    query     == awaits socket ======== runs ==    -->   serve; query                4
//    socket    ..........................                  serve; query; query runs ...
//
// Each moment of a wait counts once, in the stack of the innermost waiter: the one whose target
// does not itself wait. Its callers in the stack are the tasks that await it. If several tasks
// await one, the chain continues through the one whose wait began first; the waits of the others
// end at that task. Runnable time is below the waiter, as "(runnable)".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct AwaitGraph {
  using Stack = std::vector<uint32_t>;  // indices into names, the outermost first

  std::vector<std::string> names;
  std::map<Stack, uint64_t> weights;  // ns
};

enum class AwaitGraphOf { Suspended, Running };

AwaitGraph make_await_graph(const Trace& trace, const Model& model, const Waits& waits,
                            AwaitGraphOf of);

}  // namespace skein
