// The frame of the programs in this folder: each is a file with several cases, of which main()
// (case.cc) runs the one that its first argument names.
//
//   // A client that ...                                            what it does, in prose
//   // truth: lost wake-up|never expires; in fetch; at reply; of deadline_timer
//   TRUTH_CASE(lost_reply) { ... co_await wait();  // @reply ... }
//
// The comment `truth:` above a case makes it a fault. It lists what truth_test.py expects of `skein
// why` and `skein doctor`: the verdicts or lints of which one must be a finding, the function, the
// places (`// @NAME` in the file), and the object. A case without this comment is a correct
// program, of which nothing may be found. No case mentions skein.
#pragma once
#include <chrono>

namespace truth {

struct Case {
  Case(const char* name, void (*run)());
  const char* name;
  void (*run)();
  Case* next;
};

// How long a program that hangs runs until its operator stops it: the second argument, in
// milliseconds.
std::chrono::milliseconds patience();
// As long as this, its operator kills it: it may wait for ever.
inline constexpr std::chrono::milliseconds until_killed{60'000};
// Runs an event loop of Asio until the operator stops the program. One that is killed waits without
// a timeout, as servers do.
template <class Loop>
void run(Loop& loop) {
  if (patience() < until_killed)
    loop.run_for(patience());
  else
    loop.run();
}
// How many handlers keep each event loop busy beside the case, so that a small ring wraps: the
// third argument.
int noise();

}  // namespace truth

#define TRUTH_CASE(name)                               \
  static void case_##name();                           \
  static truth::Case entry_##name(#name, case_##name); \
  static void case_##name()
