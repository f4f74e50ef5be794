#include "case.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace truth {

static Case* cases = nullptr;
static int milliseconds = 1000;
static int handlers = 0;

Case::Case(const char* its_name, void (*its_run)()) : name(its_name), run(its_run), next(cases) {
  cases = this;
}
std::chrono::milliseconds patience() { return std::chrono::milliseconds(milliseconds); }
int noise() { return handlers; }

}  // namespace truth

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (argc > 2) truth::milliseconds = std::atoi(argv[2]);
  if (argc > 3) truth::handlers = std::atoi(argv[3]);
  for (const truth::Case* one = truth::cases; one != nullptr; one = one->next) {
    if (std::strcmp(one->name, name) != 0) continue;
    try {
      one->run();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", name, e.what());
      return 1;
    }
    return 0;
  }
  for (const truth::Case* one = truth::cases; one != nullptr; one = one->next) std::puts(one->name);
  return 2;
}
