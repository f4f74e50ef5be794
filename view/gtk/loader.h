// Reads traces on another thread, one after the other, and repeatedly those that grow: a window
// opens at once and stays responsive.
//
//   Loader loader({"net.ctf"}, {.loaded = [&](Loader::Loaded loaded) { ... }}, post_to_main_loop);
//
// A directory that is being recorded is read as `skein info` reads it, without torn events, once a
// second, or less often if that takes long. Each reading is delivered even without new events,
// because a hanging task gets longer. A file is read again when its size or time changes. At most
// one new version waits to be taken, so a slow window needs no more memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "view/viewer/viewer.h"

namespace skein::desktop {

class Loader {
 public:
  struct Loaded {
    size_t which = 0;  // index into the paths
    LoadedTrace data;
    bool live = false;  // it is being recorded; more will follow
  };
  // Called on the thread that created the Loader, and never after its destruction.
  struct Calls {
    // Progress of the first reading, 0 to 1. At 1 the layout is computed, which takes as long
    // again.
    std::function<void(size_t which, double share)> progress = {};
    std::function<void(Loaded)> loaded = {};  // the first version, and each new one
    std::function<void(size_t which, const Error&)> failed = {};  // the first reading failed
    std::function<void(size_t which)> ended = {};                 // the recording program ended
  };
  // Runs `work` later on the thread that created the Loader. May be called on any thread.
  using Post = std::function<void(std::function<void()> work)>;

  // `clocks`: the clocks of the traces that are shown already (read_trace()).
  Loader(std::vector<std::string> paths, Calls calls, Post post,
         std::chrono::milliseconds period = std::chrono::seconds(1),
         std::vector<TickClock> clocks = {});
  // Does not wait: a running reading stops soon, and its result is discarded.
  ~Loader();
  // Skips the traces that have not been read yet, without a callback.
  void cancel();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace skein::desktop
