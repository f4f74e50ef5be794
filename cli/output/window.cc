#include "cli/output/window.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/die.h"
#include "cli/installed.h"
#include "cli/memory.h"

namespace skein::cli {

std::string window_program() {
  std::string path = find_installed("skein-view", SKEIN_LIBEXEC, X_OK);
  if (path.empty())
    die(2,
        "the desktop's window (skein-view) is not installed; install it, or use skein html or "
        "skein show");
  return path;
}

void exec_viewer(const std::string& program, const std::vector<std::string>& options,
                 const std::vector<std::string>& traces) {
  std::vector<std::string> words{"skein-view"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("--");
  words.insert(words.end(), traces.begin(), traces.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  MemoryLimit::lift();
  execv(program.c_str(), argv.data());
  die(2, program + ": " + std::strerror(errno));
}

int run_viewer(const std::string& program, const std::vector<std::string>& options,
               const std::vector<std::string>& traces) {
  struct sigaction ignored = {};
  struct sigaction before = {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignored, &before);
  const pid_t child = fork();
  if (child < 0) die(1, std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    sigaction(SIGINT, &before, nullptr);
    try {
      exec_viewer(program, options, traces);
    } catch (const CommandError& error) {
      std::fprintf(stderr, "skein: %s\n", error.what());
      _exit(2);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  sigaction(SIGINT, &before, nullptr);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Uses a memfd, which the window inherits. Rejected: a file, which needs a name and must be
// removed; a pipe, whose buffer is too small for the annotations of a million tasks.
std::string write_to_memfd(const std::string& bytes) {
  const int fd = memfd_create("links", 0);
  for (size_t at = 0; fd >= 0 && at < bytes.size();) {
    const ssize_t written = write(fd, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) at += static_cast<size_t>(written);
  }
  if (fd < 0 || lseek(fd, 0, SEEK_CUR) != static_cast<off_t>(bytes.size()))
    die(1, std::string("what the window is to show: ") + std::strerror(errno));
  lseek(fd, 0, SEEK_SET);
  return std::to_string(fd);
}

}  // namespace skein::cli
