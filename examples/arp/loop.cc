#include "loop.h"

#include <poll.h>

#include <utility>

void Loop::forget(int fd) {
  const std::list<Reader*> all = readers_;
  for (Reader* reader : all)
    if (reader->fd == fd) reader->resume();
}

bool Loop::run(const std::function<bool()>& done, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  for (;;) {
    for (const auto& f : std::exchange(soon_, {})) f();
    if (done()) return true;
    if (!soon_.empty()) continue;

    std::vector<pollfd> fds;
    for (const Reader* reader : readers_) fds.push_back({reader->fd, POLLIN, 0});
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    poll(fds.data(), fds.size(), static_cast<int>(left.count()));

    // Only one: resuming it may change the list of readers.
    for (const pollfd& ready : fds) {
      if (ready.revents == 0) continue;
      for (Reader* reader : readers_) {
        if (reader->fd != ready.fd) continue;
        reader->readable = true;
        reader->resume();
        break;
      }
      break;
    }
  }
}
