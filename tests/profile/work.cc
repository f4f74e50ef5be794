// work [SECONDS]: spends two thirds of its CPU time in parse and one third in reply, in two threads and a child process,
// each of which is started after another one has ended.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <thread>

namespace app {

volatile unsigned sink;

[[gnu::noinline]] void burn(int count) {
  for (int i = 0; i < count; i++) sink = sink + 1;
}
template <class T>
[[gnu::noinline]] void parse(T count) {
  burn(2 * count);
  sink = sink + 1;
}
[[gnu::noinline]] void reply(int count) {
  burn(count);
  sink = sink + 1;
}
[[gnu::noinline]] void serve(double seconds) {
  timespec begin{}, now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    parse(100'000);
    reply(100'000);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) + static_cast<double>(now.tv_nsec - begin.tv_nsec) / 1e9 <
           seconds);
}
[[gnu::noinline]] void recurse(int depth, double seconds) {
  if (depth == 0)
    serve(seconds);
  else
    recurse(depth - 1, seconds);
  sink = sink + 1;
}

}  // namespace app

int main(int count, char** words) {
  const double seconds = count > 1 ? std::atof(words[1]) : 0.3;
  std::thread([&] { app::serve(seconds); }).join();
  std::thread([&] { app::recurse(20, seconds); }).join();
  const pid_t child = fork();
  if (child == 0) {
    app::serve(seconds);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return 7;
}
