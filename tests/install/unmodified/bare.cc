// Without the standard library.
#ifdef SKEIN_SKEIN_H
#error a freestanding program is traced
#endif
extern "C" [[noreturn]] void _start();
extern "C" void _start() {
  for (;;) {
  }
}
