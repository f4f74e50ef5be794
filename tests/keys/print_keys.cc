// Prints the keyboard map as in docs/keys.md.
#include <cstdio>

#include "view/viewer/keys.h"

int main() {
  std::fputs(skein::keys_as_markdown().c_str(), stdout);
  return 0;
}
