#include "cli/check/listing.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

extern char** environ;  // NOLINT: POSIX declares it in no header

namespace skein::cli {

Listing run_listing(const std::vector<std::string>& command, const std::string& folder,
                    bool shows_errors) {
  constexpr size_t most = size_t{256} << 20;
  Listing listing;
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) {
    listing.error = errno;
    return listing;
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (!shows_errors) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  listing.error = error;
  if (error == 0) {
    // A program that does not know the option runs its tests instead, and may wait for ever.
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(30);
    char part[65536];
    for (;;) {
      pollfd ready = {.fd = out[0], .events = POLLIN, .revents = 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      const int count = poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
      if (count < 0 && errno == EINTR) continue;
      const ssize_t size = count > 0 ? read(out[0], part, sizeof part) : -1;
      if (size == 0) break;
      if (size > 0) listing.output.append(part, static_cast<size_t>(size));
      if (size > 0 && listing.output.size() < most) continue;
      kill(child, SIGKILL);
      break;
    }
    while (waitpid(child, &listing.status, 0) < 0 && errno == EINTR) {
    }
  }
  close(out[0]);
  return listing;
}

bool has_exited(const Listing& listing) { return listing.status >= 0 && WIFEXITED(listing.status); }
bool has_succeeded(const Listing& listing) {
  return has_exited(listing) && WEXITSTATUS(listing.status) == 0;
}

}  // namespace skein::cli
