#include "record/host/posix/frame_tables.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "record/host/posix/call_frames.h"
#include "record/host/posix/stack_walk.h"

// The thread sanitizer delivers signals later, at calls of its choice.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKEIN_LATE_SIGNALS
#endif
#endif
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(SKEIN_LATE_SIGNALS)

namespace skein::record {
namespace {

// What libgcc finds for the code that a signal has interrupted, in the form of walk_stack().
struct OfLibgcc {
  uint64_t from;  // the interrupted instruction
  uint64_t addresses[kMostFrames];
  uint32_t count;
};
_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
  OfLibgcc& found = *static_cast<OfLibgcc*>(to);
  int is_exact = 0;
  const uint64_t pc = _Unwind_GetIPInfo(context, &is_exact);
  if (found.count == 0 && pc != found.from) return _URC_NO_REASON;  // the handler
  if (pc == 0 || found.count == kMostFrames) return _URC_END_OF_STACK;
  found.addresses[found.count++] = is_exact != 0 ? pc : pc - 1;
  return _URC_NO_REASON;
}

struct Counts {
  int equal, shorter, longer, wrong;
  uint64_t frames;
};
volatile sig_atomic_t compares = 0;
Counts counts = {};

void compare(int, siginfo_t*, void* context) {
  if (compares == 0) return;
  OfLibgcc expected = {};
  expected.from =
      static_cast<uint64_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  _Unwind_Backtrace(add_frame, &expected);
  uint64_t found[kMostFrames];
  const uint32_t count = walk_stack(context, found);
  const uint32_t both = std::min(count, expected.count);
  counts.frames += count;
  if (memcmp(found, expected.addresses, both * sizeof *found) != 0)
    counts.wrong++;
  else if (count > expected.count)
    counts.longer++;
  else if (count < expected.count)
    counts.shorter++;
  else
    counts.equal++;
}

// Code of this file and of the C++ library, with calls back.
int work(int depth) {
  std::mt19937 random(static_cast<unsigned>(depth));
  std::vector<std::string> words;
  for (int i = 0; i < 60; i++) words.push_back(std::to_string(random()));
  std::sort(words.begin(), words.end(), [](const std::string& a, const std::string& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  int matches = 0;
  const std::regex pattern("[0-9]*7[0-9]*1");
  for (const std::string& word : words) matches += std::regex_match(word, pattern);
  if (depth > 0) matches += work(depth - 1);
  return matches + static_cast<int>(words.front().size());
}

}  // namespace

TEST_CASE("a walk by the tables finds what libgcc finds, wherever a signal comes") {
  CHECK(update_frame_tables());
  CHECK_FALSE(update_frame_tables());  // no module is new
  struct sigaction action = {};
  action.sa_sigaction = compare;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  struct sigaction before = {};
  REQUIRE(sigaction(SIGPROF, &action, &before) == 0);
  counts = {};
  compares = 1;
  const itimerval often = {{0, 1000}, {0, 1000}}, never = {};
  setitimer(ITIMER_PROF, &often, nullptr);
  int sum = 0;
  for (int i = 0; i < 10'000 && counts.equal < 100; i++) sum += work(5);
  setitimer(ITIMER_PROF, &never, nullptr);
  compares = 0;
  sigaction(SIGPROF, &before, nullptr);
  CHECK(sum > 0);
  INFO(counts.equal << " equal, " << counts.shorter << " shorter, " << counts.longer << " longer, "
                    << counts.wrong << " wrong, " << counts.frames << " frames");
  CHECK(counts.equal > 50);
  CHECK(counts.wrong == 0);
  CHECK(counts.shorter <= counts.equal / 50);  // the last instructions of an entry of .plt
  CHECK(counts.longer <=
        counts.equal / 10);  // stubs like those of .plt.got, which libgcc does not know
}

}  // namespace skein::record

#endif
