// A program that calls the recorder directly. record_test.py describes its argument. With "exec" it
// executes itself with the argument 0. With "fork" it leaves a child, which ends when the file
// "over" exists. With "signals" it prints the signals that it receives. With "daemon" it closes all
// descriptors and replies on a socket "own" until it receives "end". With "thread" it does as with
// "wait", but in a thread, after the end of main. With "parent" it prints the lowest free
// descriptor and executes itself by way of a shell.
#include <pthread.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const skein_source here = {__FILE__, "main", __LINE__, 1};
static volatile sig_atomic_t stop = 0;

static void one_task() {
  if (skein_enabled() == 0) return;
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "one", &here);
  skein_resolve(&task, previous);
}

static void sleep_ms(long ms) {
  const timespec pause = {0, ms * 1'000'000};
  nanosleep(&pause, nullptr);
}

static void leave_child() {
  if (fork() != 0) return;
  close(1);
  close(2);
  for (int i = 0; i < 6000 && access("over", F_OK) != 0; ++i) sleep_ms(10);
  _exit(0);
}

// Prints the number of each signal that it receives, until SIGTERM.
static int print_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int number, siginfo_t* info, void*) {
      char line[32];
      const int value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
      const int size = snprintf(line, sizeof line, "%d %d\n", number, value);
      if (write(1, line, static_cast<size_t>(size)) != size) _exit(97);
      if (number == SIGTERM) stop = 1;
    };
    sigfillset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
  if (write(1, "ready\n", 6) != 6) return 96;
  while (stop == 0) sleep_ms(1);
  return 0;
}

static int serve_own() {
  close_range(3, ~0U, 0);
  const int own = socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address = {AF_UNIX, "own"};
  if (bind(own, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 1;
  if (listen(own, 8) != 0) return 2;
  for (char said = 0; said != 'e';) {
    const int peer = accept(own, nullptr, nullptr);
    if (peer < 0 || recv(peer, &said, 1, 0) != 1 || send(peer, "own\n", 4, MSG_NOSIGNAL) != 4)
      return 3;
    close(peer);
  }
  return 0;
}

static int run_child(const char* self) {
  printf("%d\n", dup(0));
  fflush(stdout);
  char command[4096];
  snprintf(command, sizeof command, "'%s' 7; true", self);
  return system(command);
}

static void work() {
  signal(SIGTERM, [](int) { stop = 1; });
  if (FILE* ready = fopen("ready", "w"); ready != nullptr) fclose(ready);
  while (stop == 0) {
    one_task();
    sleep_ms(1);
  }
}

int main(int argc, char** argv) {
  if (argc != 2) return 99;
  one_task();
  if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  if (strcmp(argv[1], "exec") == 0) {
    execl(argv[0], argv[0], "0", static_cast<char*>(nullptr));
    return 98;
  }
  if (strcmp(argv[1], "fork") == 0) leave_child();
  if (strcmp(argv[1], "daemon") == 0) return serve_own();
  if (strcmp(argv[1], "parent") == 0) return run_child(argv[0]);
  if (strcmp(argv[1], "signals") == 0) return print_signals();
  if (strcmp(argv[1], "thread") == 0) {
    pthread_t thread;
    pthread_create(
        &thread, nullptr, [](void*) -> void* { return work(), nullptr; }, nullptr);
    pthread_exit(nullptr);
  }
  if (strcmp(argv[1], "wait") != 0) return atoi(argv[1]);
  work();
  return 0;
}
