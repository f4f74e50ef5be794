// Scenarios that create, replace and end processes, and change their user, root and namespaces.
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/chaos/scenario.h"

extern char** environ;

namespace skein::chaos {
namespace {

void fork_storm() {
  const BusyThreads busy(2);
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    const int status = in_child([&] {
      record(100);
      const int inner = in_child([] { record(50); });
      _exit(inner == 0 ? i : 99);
    });
    sum += WEXITSTATUS(status);
  }
  print("%d\n", sum);
}
const Scenario registered_fork_storm("fork-storm", fork_storm);

// The new program is this one; it has no scenario of that name and prints so.
void exec_in_thread() {
  print_status("exec", in_child([] {
                 const BusyThreads busy(2);
                 record(100);
                 std::thread([] {
                   execl("/proc/self/exe", "chaos", "executed", nullptr);
                   _exit(97);
                 }).join();
               }));
}
const Scenario registered_exec_in_thread("exec-in-thread", exec_in_thread);

void vfork_and_spawn() {
  const BusyThreads busy(2);
  int sum = 0, status = 0;
  for (int i = 0; i < 10; ++i) {
    record(20);
    const pid_t child = vfork();
    if (child == 0) _exit(i);
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  for (int i = 0; i < 3; ++i) {
    pid_t child = 0;
    char name[] = "true";
    char* arguments[] = {name, nullptr};
    const int error = posix_spawnp(&child, name, nullptr, nullptr, arguments, environ);
    if (error == 0) waitpid(child, &status, 0);
    print("spawn %d %d\n", error, WEXITSTATUS(status));
  }
  FILE* pipe = popen("echo from a shell", "r");
  char line[100] = "";
  if (fgets(line, sizeof line, pipe) == nullptr) line[0] = 0;
  print("%d %s%d\n", sum, line, pclose(pipe));
}
const Scenario registered_vfork("vfork-and-spawn", vfork_and_spawn);

void daemonize() {
  record(100);
  int answer[2];
  if (pipe(answer) != 0) return;
  const int status = in_child([&] {
    close(answer[0]);
    if (daemon(0, 0) != 0) _exit(1);
    record(1000);
    if (write(answer[1], "daemon", 6) != 6) _exit(2);
    _exit(0);
  });
  close(answer[1]);
  char text[16] = "";
  ssize_t size = 0;
  while (const ssize_t n =
             read(answer[0], text + size, sizeof text - 1 - static_cast<size_t>(size)))
    size += n > 0 ? n : 0;
  close(answer[0]);
  print_status(text, status);
}
const Scenario registered_daemon("daemon", daemonize);

// The child shares the memory and the thread-local storage of the parent, which waits for it.
void clone_with_memory() {
  record(100);
  alignas(16) static char stack[64 << 10];
  for (int i = 0; i < 5; ++i) {
    const pid_t child = clone(
        [](void*) {
          record(100);
          return 5;
        },
        stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
    int status = -1;
    waitpid(child, &status, 0);
    print_status("clone", status);
    record(100);
  }
}
const Scenario registered_clone("clone-with-memory", clone_with_memory);

void endings() {
  record(10);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  struct Ending {
    const char* name;
    void (*end)();
  };
  const Ending all[] = {
      {"exit", [] { exit(3); }},
      {"_exit", [] { _exit(4); }},
      {"quick_exit", [] { quick_exit(5); }},
      {"abort", [] { abort(); }},
      {"SIGKILL", [] { raise(SIGKILL); }},
      {"SIGSEGV", [] { raise(SIGSEGV); }},
      {"SIGBUS", [] { raise(SIGBUS); }},
      {"SIGTERM", [] { raise(SIGTERM); }},
  };
  for (const Ending& each : all) {
    for (const bool in_thread : {false, true})
      print_status(each.name, in_child([&] {
                     at_quick_exit([] { record(10); });
                     new BusyThreads(2);  // still run at the end
                     record(100);
                     if (in_thread) std::thread(each.end).join();
                     each.end();
                   }));
  }
  print_status("main ends first", in_child([] {
                 std::thread([] {
                   usleep(2000);
                   record(100);
                   exit(6);
                 }).detach();
                 record(10);
                 pthread_exit(nullptr);
               }));
}
const Scenario registered_endings("endings", endings);

// Another process attaches to this one and stops it at random instants.
void traced() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const pid_t program = getpid();
  const pid_t tracer = fork();
  if (tracer == 0) {
    bool attached = ptrace(PTRACE_SEIZE, program, nullptr, nullptr) == 0;
    for (int i = 0; i < 100 && attached; ++i) {
      int status = 0;
      ptrace(PTRACE_INTERRUPT, program, nullptr, nullptr);
      attached = waitpid(program, &status, __WALL) == program && WIFSTOPPED(status);
      ptrace(PTRACE_CONT, program, nullptr, nullptr);
      usleep(50);
    }
    _exit(0);
  }
  record(20'000);
  const int status = wait_for(tracer);
  record(100);
  print_status("tracer", status);
}
const Scenario registered_traced("traced", traced);

void stopped_and_continued() {
  const BusyThreads busy(2);
  const pid_t program = getpid();
  const pid_t other = fork();
  if (other == 0) {
    for (int i = 0; i < 50; ++i) {
      kill(program, SIGSTOP);
      usleep(100);
      kill(program, SIGCONT);
      usleep(100);
    }
    _exit(0);
  }
  record(20'000);
  const int status = wait_for(other);
  print_status("stopped", status);
}
const Scenario registered_stopped("stopped-and-continued", stopped_and_continued);

// The user ids of all threads change: the C library interrupts each with a signal of its own.
void another_user() {
  if (geteuid() != 0) not_permitted();
  const BusyThreads busy(2);
  record(5000);
  for (int i = 0; i < 30; ++i) {
    if (seteuid(65534) != 0 || seteuid(0) != 0) not_permitted();
    record(100);
  }
  become_nobody();
  record(100'000);
  print("%d\n", geteuid());
}
const Scenario registered_user("another-user", another_user);

// Another user is root in a user namespace of its own.
void get_root() {
  if (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0) not_permitted();
}

void another_root() {
  get_root();
  const BusyThreads busy(2);
  record(1000);
  const std::string root = folder() + "/root";
  mkdir(root.c_str(), 0700);
  if (chroot(root.c_str()) != 0 || chdir("/") != 0) not_permitted();
  record(100'000);
  std::thread(record, 1000).join();
  print("%d\n", access("/proc", F_OK));
}
const Scenario registered_root("another-root", another_root);

// Containers start so: nothing of the old root can be reached by a path.
void pivoted_root() {
  get_root();
  const std::string root = folder() + "/root";
  if (unshare(CLONE_NEWNS) != 0 || mkdir(root.c_str(), 0700) != 0 ||
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("root", root.c_str(), "tmpfs", 0, "size=64k") != 0 || chdir(root.c_str()) != 0)
    not_permitted();
  const BusyThreads busy(2);
  record(1000);
  if (syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0) not_permitted();
  record(100'000);
  std::thread(record, 1000).join();
  print("%d %d\n", access("/proc", F_OK), chdir("/"));
}
const Scenario registered_pivot("pivoted-root", pivoted_root);

// Attributes of a process that change what it may do, or what others see of it.
void attributes() {
  const BusyThreads busy(2);
  record(1000);
  for (const int one : {PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_SET_THP_DISABLE})
    print("%d\n", prctl(one, 1, 0, 0, 0));
  print("%d %d\n", prctl(PR_SET_DUMPABLE, 0), prctl(PR_SET_NAME, "\x1b]0;\xff\n%s"));
  print("%d\n", personality(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE | SHORT_INODE) >= 0);
  clearenv();
  record(100'000);
  std::thread(record, 1000).join();
  print_status("child", in_child([] { record(1000); }));
}
const Scenario registered_attributes("attributes", attributes);

void namespaces() {
  get_root();
  record(1000);
  if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS) != 0) not_permitted();
  print_status("child", in_child([] {
                 record(1000);
                 const BusyThreads busy(2);
                 if (getpid() != 1) _exit(9);
                 record(1000);
               }));
  record(1000);
}
const Scenario registered_namespaces("namespaces", namespaces);

}  // namespace
}  // namespace skein::chaos
