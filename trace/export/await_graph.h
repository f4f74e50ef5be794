// Where tasks spend their time waiting, or running, by logical stack: who awaits whom, down to who
// waits, and for what - a flame graph of the program, not of its event loop.
//
//    time   ----------------------------------->
//    serve  ===== awaits query =================          serve; query; socket       10
//    query     == awaits socket ======== runs ==    -->   serve; query                4
//    socket    ..........................                  serve; query; query runs ...
//
// A moment of a wait counts once: where somebody waits who waits for nobody that waits himself, at
// the end of the chain of those that await him. Of several that await one task the chain goes on
// through the one that began first, and the others' waits end at that task. What could run and did
// not is below who waited, as "(runnable)".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct AwaitGraph {
  using Stack = std::vector<uint32_t>;  // indices of names, the outermost first

  std::vector<std::string> names;
  std::map<Stack, uint64_t> weights;  // ns
};

enum class AwaitGraphOf { Suspended, Running };

AwaitGraph make_await_graph(const Trace& trace, const Model& model, const Waits& waits,
                            AwaitGraphOf of);

}  // namespace skein
