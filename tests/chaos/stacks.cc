// Scenarios of stacks: contexts, alternate signal stacks, overflow.
#include <pthread.h>
#include <skein/skein.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csetjmp>
#include <csignal>
#include <thread>
#include <vector>

#include "tests/chaos/scenario.h"

namespace skein::chaos {
namespace {

constexpr size_t kStack = 16 << 10;

struct Fiber {
  ucontext_t context;
  ucontext_t* caller = nullptr;
  int steps = 0;
  std::vector<char> stack = std::vector<char>(kStack);
};

void run_fiber(unsigned low, unsigned high) {
  auto* fiber = reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low);
  for (;;) {
    record(5);
    ++fiber->steps;
    swapcontext(&fiber->context, fiber->caller);
  }
}

__attribute__((noinline)) void prepare(Fiber& fiber) {
  getcontext(&fiber.context);
  fiber.context.uc_stack = {fiber.stack.data(), 0, fiber.stack.size()};
  fiber.context.uc_link = nullptr;
  const auto address = reinterpret_cast<uintptr_t>(&fiber);
  makecontext(&fiber.context, reinterpret_cast<void (*)()>(run_fiber), 2,
              static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
}

// Fibers with small stacks, which continue on another thread each time.
void contexts() {
  std::vector<Fiber> fibers(20);
  for (Fiber& fiber : fibers) prepare(fiber);
  const auto resume_all = [&] {
    for (Fiber& fiber : fibers) {
      ucontext_t here;
      fiber.caller = &here;
      swapcontext(&here, &fiber.context);
    }
  };
  for (int i = 0; i < 20; ++i) {
    resume_all();
    std::thread(resume_all).join();
  }
  int steps = 0;
  for (const Fiber& fiber : fibers) steps += fiber.steps;
  print("%d\n", steps);
}
const Scenario registered_contexts("contexts", contexts);

size_t signal_stack_size() {
  return std::max(static_cast<size_t>(sysconf(_SC_MINSIGSTKSZ)) * 2, size_t{12} << 10);
}

void use_signal_stack(std::vector<char>& memory) {
  memory.resize(signal_stack_size());
  const stack_t stack = {memory.data(), 0, memory.size()};
  sigaltstack(&stack, nullptr);
}

volatile sig_atomic_t handled = 0;

// The first events of threads are those of a handler on a small alternate stack.
void alternate_stack() {
  struct sigaction action = {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = [](int) {
    record(500);
    handled = handled + 1;
  };
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < 20; ++i)
    std::thread([] {
      std::vector<char> memory;
      use_signal_stack(memory);
      raise(SIGUSR1);
      record(100);
      raise(SIGUSR1);
      const stack_t none = {nullptr, SS_DISABLE, 0};
      sigaltstack(&none, nullptr);
    }).join();
  print("%d\n", static_cast<int>(handled));
}
const Scenario registered_alternate("alternate-stack", alternate_stack);

__attribute__((noinline)) unsigned run_task(unsigned depth) {
  static const skein_source here = {__FILE__, "run_task", __LINE__, 1};
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "deep", &here);
  record(1);
  const unsigned below = depth > 0 ? run_task(depth - 1) : 0;
  skein_resolve(&task, previous);
  return below + 1;
}

// Each of 20,000 tasks runs inside another, on a few megabytes of stack.
void deep_tasks() {
  print("%u\n", run_task(20'000));
  std::thread([] { print("%u\n", run_task(20'000)); }).join();
  record(1000);
}
const Scenario registered_deep("deep-tasks", deep_tasks);

sigjmp_buf target;

int deeper(int depth) {
  volatile char frame[256];
  frame[0] = static_cast<char>(depth);
  record(1);
  return depth == INT_MAX ? 0 : deeper(depth + 1) + frame[0];
}

// Calls the function until its stack overflows. Returns true if the handler has left it.
__attribute__((noinline)) bool overflow() {
  if (sigsetjmp(target, 1) != 0) return true;
  return deeper(0) != 0;
}

// The stack overflows, often within the recorder. As some interpreters do, the program leaves the
// handler by siglongjmp and continues.
void stack_overflow() {
  std::vector<char> memory;
  use_signal_stack(memory);
  struct sigaction action = {};
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  action.sa_handler = [](int) { siglongjmp(target, 1); };
  sigaction(SIGSEGV, &action, nullptr);
  rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = 512 << 10;
  setrlimit(RLIMIT_STACK, &limit);
  int overflows = 0;
  for (int i = 0; i < 10; ++i) overflows += overflow();
  record(1000);
  std::thread(record, 1000).join();
  print("%d\n", overflows);
}
const Scenario registered_overflow("stack-overflow", stack_overflow);

}  // namespace
}  // namespace skein::chaos
