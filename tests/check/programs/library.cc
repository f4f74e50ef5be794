// A library with debug information, and a program (-DPROGRAM) that only calls it.
#ifdef PROGRAM
int wait_in_library();
int main() { return wait_in_library(); }
#else
#include <unistd.h>

int wait_in_library() {
  for (;;) pause();  // HANGS wait_in_library
}
#endif
