// A recorder that writes down what it is told, for tests of what the adapters tell it. It stands in
// for skein::record: link one or the other.
#pragma once
#include <skein/skein.h>

#include <string>
#include <vector>

namespace fake {

struct Call {
  std::string what;  // "create 2 under 1", "suspend 2 on 0" ...: ids count from 1 in each test
  std::string file, function;
  unsigned line = 0;
};

// Forgets everything; recording is on, or off.
void reset(bool on = true);
void switch_on(bool on);
// The calls so far, in order.
std::vector<Call> calls();
std::vector<std::string> words();
// The first call with these words; fails loudly if there is none.
Call call(const std::string& what);
int forgotten_modules();

}  // namespace fake
