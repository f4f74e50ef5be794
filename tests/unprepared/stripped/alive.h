// What a program prints of its coroutines: "FRAME FUNCTION" of each that is alive, then "end".
#pragma once

#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

inline std::mutex frames_mutex;
inline std::map<void*, const char*> frames;

inline void alive(std::coroutine_handle<> handle, const char* function = "inner") {
  const std::lock_guard lock(frames_mutex);
  frames.insert_or_assign(handle.address(), function);
}

inline void destroy(std::coroutine_handle<> handle) {
  {
    const std::lock_guard lock(frames_mutex);
    frames.erase(handle.address());
  }
  handle.destroy();
}

inline void finish() {
  for (const auto& [frame, function] : frames) std::printf("%p %s\n", frame, function);
  std::puts("end");
  std::fflush(stdout);
  for (;;) pause();
}
