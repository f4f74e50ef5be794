// Runs one scenario (scenario.h).     chaos_program NAME | --list
#include <cstdio>
#include <cstring>

#include "tests/chaos/scenario.h"

int main(int count, char** values) {
  using namespace skein::chaos;
  const char* wanted = count > 1 ? values[1] : "--list";
  for (const Scenario& scenario : scenarios()) {
    if (strcmp(wanted, "--list") == 0) puts(scenario.name);
    if (strcmp(wanted, scenario.name) != 0) continue;
    scenario.body();
    return 0;
  }
  if (strcmp(wanted, "executed") == 0) {  // by the scenario exec-in-thread
    record(100);
    print("executed\n");
  }
  return strcmp(wanted, "--list") == 0 || strcmp(wanted, "executed") == 0 ? 0 : 2;
}
