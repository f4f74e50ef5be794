// What the programs that use public libraries have in common: how one that hangs ends, and how long
// its threads seem to be busy.
#pragma once
#include <chrono>
#include <cstdlib>
#include <thread>

#include "case.h"

using namespace std::chrono_literals;

// Ends the process after the operator's patience, as a thread that waits for SIGTERM does. The
// other threads may hang. If the operator kills the process, there is no such thread.
inline void let_operator_stop() {
  if (truth::patience() >= truth::until_killed) return;
  std::thread([] {
    std::this_thread::sleep_for(truth::patience());
    std::exit(0);
  }).detach();
}

// main() of a server.
inline void wait_for_operator() { std::this_thread::sleep_for(truth::until_killed); }

// A call of a library without coroutines.
inline void work(std::chrono::microseconds time = 1ms) { std::this_thread::sleep_for(time); }
