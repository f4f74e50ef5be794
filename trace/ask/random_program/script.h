// The operations of a task of a random program, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/read/trace.h"

namespace skein::detail {

enum class Do {
  Compute,
  Sleep,
  Child,
  Lock,
  Unlock,
  Wait,
  Notify,
  NotifyWhenAwaited,
  AwaitTask,
  Keep,
  Destroy,
  Forget,  // creates a task or handler that never runs
  Yield,
  Put,
  Take,
  Level,
  Send
};
struct Op {
  Do what;
  uint64_t value = 0;  // ns, a resource or a task
  std::shared_ptr<std::vector<Op>> child = nullptr;
};
using Script = std::vector<Op>;

// Acquires two locks and releases them.
inline Script both(TaskId first, TaskId second) {
  return {{Do::Lock, first},
          {Do::Sleep, 1'000'000},
          {Do::Lock, second},
          {Do::Unlock, second},
          {Do::Unlock, first}};
}

inline Script repeated(const Script& script, size_t times) {
  Script all;
  for (size_t i = 0; i < times; i++) all.insert(all.end(), script.begin(), script.end());
  return all;
}

}  // namespace skein::detail
