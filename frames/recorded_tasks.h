// Which tasks of a trace the coroutines in memory are, if the program was built with skein's
// recorder: its frames contain their tasks' ids.
//
//   const std::vector<RecordedTask> tasks = find_recorded_tasks(target, found.coroutines);
//   if (tasks[i].id == 0) print("the recorder has never seen it");
//
// The place of the id in a frame is in a table of each module that the recorder traces, by the
// frame's destroy function (record/include/skein/coroutine/frame.h: __traced_functions).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frames/suspended.h"
#include "target/target.h"

namespace skein {

struct RecordedTask {
  uint64_t id = 0;          // 0: none; the coroutine was not recorded, or its code is not traced
  uint32_t generation = 0;  // of the recording; each start of the recorder has another one
  bool is_gone = false;     // the frame has been destroyed since it was found
};

// By coroutine. One that runs may have begun or ended since it was found: read again. O(coroutines
// + bytes of the modules' data).
std::vector<RecordedTask> find_recorded_tasks(const Target& target,
                                              std::span<const SuspendedCoroutine> coroutines);

}  // namespace skein
