#include "frames/joined_coroutines.h"

namespace skein {

void set_joined(SuspendedCoroutines& found) {
  for (WaitObject& one : found.awaited) one.joined.clear();
  for (uint32_t i = 0; i < found.coroutines.size(); i++) {
    const SuspendedCoroutine& one = found.coroutines[i];
    if (one.joined_by == SuspendedCoroutine::none) continue;
    const uint32_t object = found.coroutines[one.joined_by].awaited;
    if (object != SuspendedCoroutine::none) found.awaited[object].joined.push_back(i);
  }
}

}  // namespace skein
