// Prints the keyboard map as docs/keys.md has it.
#include <cstdio>

#include "view/viewer/keys.h"

int main() {
  std::fputs(skein::keys_as_markdown().c_str(), stdout);
  return 0;
}
