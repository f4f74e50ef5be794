// Reads traces on a thread of its own, one after the other, and those that grow again and again: a
// window opens at once and stays alive.
//
//   Loader loader({"net.ctf"}, {.loaded = [&](Loader::Loaded loaded) { ... }}, post_to_main_loop);
//
// A directory that is being recorded is read as `skein info` reads it, never with a torn event,
// once a second, or less often when that takes long, and given as it is then, though nothing may
// have happened: what hangs goes on doing so; a file that somebody adds to, when its size or
// time changes. At most one new version waits to be taken, so that a slow window needs no more
// memory.
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
    size_t which = 0;  // of the paths
    LoadedTrace data;
    bool live = false;  // it is being recorded; there will be more
  };
  // Called on the thread that made the Loader, and never after it is gone.
  struct Calls {
    // Of the first reading, 0 to 1; 1: the picture is being arranged, which takes as long again.
    std::function<void(size_t which, double share)> progress = {};
    std::function<void(Loaded)> loaded = {};  // the first time, and each time there is more of it
    std::function<void(size_t which, const Error&)> failed = {};  // the first reading
    std::function<void(size_t which)> ended = {};                 // the program that recorded it
  };
  // Has `work` done later on the thread that made the Loader. May be called on any thread.
  using Post = std::function<void(std::function<void()> work)>;

  // `clocks`: of the traces that are shown already (read_trace()).
  Loader(std::vector<std::string> paths, Calls calls, Post post,
         std::chrono::milliseconds period = std::chrono::seconds(1),
         std::vector<TickClock> clocks = {});
  // Does not wait: a reading that has begun stops soon, and what was read is thrown away.
  ~Loader();
  // What has not been read yet is not read any more, and nobody is called about it.
  void cancel();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace skein::desktop
