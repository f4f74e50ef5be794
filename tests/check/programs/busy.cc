// A loop that does not end.
unsigned long volatile count;

[[gnu::noinline]] void count_for_ever() {
  for (;;) count = count + 1;  // HANGS count_for_ever
}

int main() {
  count_for_ever();
  return static_cast<int>(count);
}
