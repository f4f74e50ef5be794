// QCoro, whose library and promises do not use skein: timers, nested tasks, an exception, and
// callbacks from Debian's uninstrumented library.
#include <qcorotask.h>
#include <qcorotimer.h>

#include <QCoreApplication>
#include <QTimer>
#include <chrono>
#include <cstdio>
#include <stdexcept>

using namespace std::chrono_literals;

QCoro::Task<int> doubled_later(int x) {
  QTimer timer;
  timer.start(2ms);
  co_await timer;  // await: timer
  co_return 2 * x;
}

QCoro::Task<int> fails() {
  co_await QCoro::sleepFor(1ms);
  throw std::runtime_error("no Qt today");
}

QCoro::Task<> program() {
  int sum = 0;
  for (int i = 0; i < 3; ++i) sum += co_await doubled_later(i);  // await: doubled
  try {
    co_await fails();
  } catch (const std::runtime_error& e) {
    std::printf("%s\n", e.what());
  }
  std::printf("%d\n", sum);
  QCoreApplication::quit();
}

int main(int argc, char** argv) {
  QCoreApplication app(argc, argv);
  auto running = program();
  return app.exec();
}
