// A fake recorder that stores the calls it receives, for tests of the adapters. Link it instead of
// skein::record.
#pragma once
#include <skein/skein.h>

#include <string>
#include <vector>

namespace fake {

struct Call {
  std::string what;  // "create 2 under 1", "suspend 2 on 0" ...: ids count from 1 in each test
  std::string file = {}, function = {};
  unsigned line = 0;
  const void* object = nullptr;  // of skein_suspend_on and skein_ready_on, which are "on 0"
  std::string type = {};
};

// Discards all calls and sets whether recording is on.
void reset(bool on = true);
void switch_on(bool on);
// Returns the calls since the last reset, in order.
std::vector<Call> calls();
std::vector<std::string> words();
// Returns the first call with this text; the test fails if there is none.
Call call(const std::string& what);
int forgotten_modules();

}  // namespace fake
