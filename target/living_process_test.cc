#include "target/living_process.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "target/process.h"

using namespace skein;

namespace {

const char left_text[] = "what the child has in memory";

// A child whose main thread has left, and whose other thread waits.
pid_t child_without_main_thread() {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  std::thread([] {
    for (;;) pause();
  }).detach();
  // As pthread_exit(), which would unwind the test's own stack.
  syscall(SYS_exit, 0);
  _exit(1);
}

}  // namespace

TEST_CASE("a line of /proc/PID/stat: ended with all threads, or without the main one") {
  const auto line = [](char state, const char* threads) {
    return std::string("7 (a) Z (b) ") + state + " 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 " + threads +
           " 0 99 0\n";
  };
  CHECK_FALSE(has_ended(line('S', "1")));
  CHECK(has_ended(line('Z', "1")));
  CHECK_FALSE(has_ended(line('Z', "2")));
  CHECK(has_ended(line('X', "2")));
  CHECK_FALSE(has_ended(""));
}

TEST_CASE("a process that lives, and one that has ended") {
  const auto self = static_cast<uint64_t>(getpid());
  const auto process = living_process(self);
  REQUIRE(process);
  CHECK(process->thread == self);
  CHECK(process->start != 0);
  CHECK(process == living_process(self));
  const std::string number = std::to_string(self);
  CHECK(process_folder(number) == "/proc/" + number);

  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT);
  CHECK_FALSE(living_process(static_cast<uint64_t>(ended)));
  CHECK(process_folder(std::to_string(ended)) == "/proc/" + std::to_string(ended));
  waitpid(ended, nullptr, 0);
  CHECK_FALSE(living_process(0));
}

TEST_CASE("a process is read without its main thread") {
  const pid_t child = child_without_main_thread();
  const auto pid = static_cast<uint64_t>(child);
  std::optional<LivingProcess> process = living_process(pid);
  while (process && process->thread == pid) process = living_process(pid);
  REQUIRE(process);
  CHECK(process_folder(std::to_string(pid)) == "/proc/" + std::to_string(process->thread));

  const auto opened = open_process(pid);
  REQUIRE(opened);
  const Target& target = **opened;
  CHECK(target.pid() == pid);
  char bytes[sizeof left_text] = {};
  const auto address = reinterpret_cast<uint64_t>(left_text);
  CHECK(target.read(address, std::span(reinterpret_cast<uint8_t*>(bytes), sizeof bytes)) ==
        sizeof bytes);
  CHECK(std::string(bytes) == left_text);
  for (const TargetThread& thread : target.threads()) CHECK(thread.id != pid);
  CHECK(target.threads().front().id == process->thread);
  const Mapping* mapping = find_mapping(target.mappings(), address);
  REQUIRE(mapping != nullptr);
  CHECK(target.file_of(*mapping));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}
