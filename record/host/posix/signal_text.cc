// The names of the signals that an operation waits for.
#include <skein/skein.h>
#include <string.h>

#include "record/host/posix/session.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

const char* name_of_signal(int signal) {
#if defined(__GLIBC__)  // 2.32, older than Debian 12's
  return sigabbrev_np(signal);
#else
  return static_cast<void>(signal), nullptr;
#endif
}

}  // namespace
}  // namespace skein::record

using namespace skein::record;

// "signal_set: SIGINT or SIGTERM"
extern "C" __attribute__((noinline)) void skein_label_signals(skein_task* task, uint64_t signals) {
  if (signals == 0 || !is_on()) return;
  Text text;
  text.add("signal_set: ");
  const size_t begin = text.size;
  for (int signal = 1; signals != 0; ++signal, signals >>= 1) {
    if ((signals & 1) == 0) continue;
    if (text.size > begin) text.add(" or ");
    if (const char* name = name_of_signal(signal); name != nullptr)
      text.add("SIG").add(name);
    else
      text.add("signal ").add(static_cast<uint64_t>(signal));
  }
  if (const uint32_t label = skein_string(text.data); label != 0) skein_label(task, label);
}
