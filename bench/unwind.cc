// Unwinding of call stacks, by profile/unwind and by libdwfl, in the same run:
//
//   bench_unwind [DEPTH [ROUNDS]]
//
// The stacks are those of this program: copies of registers and stack, taken by signal handlers in
// a recursion of about DEPTH functions through three kinds of them. libdwfl reads the copies by
// callbacks, as perf does.
#include <elfutils/libdwfl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <vector>

#include "bench/rounds.h"
#include "profile/unwind/modules.h"
#include "profile/unwind/unwinder.h"
#include "target/process.h"

using namespace skein;
using skein::bench::keep;

namespace {

struct Copy {
  UnwindRegisters registers = {};
  uint64_t begin = 0;
  std::vector<uint8_t> stack = {};
};

std::vector<Copy> copies;
uint64_t stack_end = 0;
volatile unsigned sink = 0;

void take(int, siginfo_t*, void* context) {
  const auto& r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                              REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  Copy& copy = copies.emplace_back();
  for (size_t i = 0; i < unwind_registers; i++)
    copy.registers.set(i, static_cast<uint64_t>(r[order[i]]));
  copy.begin = *copy.registers.get(stack_pointer_register);
  const auto* bytes = reinterpret_cast<const uint8_t*>(copy.begin);
  const uint64_t size = stack_end - copy.begin;
  copy.stack.assign(bytes, bytes + (size < 65536 ? size : 65536));
}

// Two builds of the same functions.
#define FUNCTIONS(suffix, attributes)                                                   \
  unsigned c##suffix(unsigned depth, unsigned value);                                   \
  [[gnu::noinline]] attributes unsigned a##suffix(unsigned depth, unsigned value) {     \
    if (depth == 0) return raise(SIGUSR1), value;                                       \
    return c##suffix(depth - 1, value * 3) + 1;                                         \
  }                                                                                     \
  [[gnu::noinline]] attributes unsigned b##suffix(unsigned depth, unsigned value) {     \
    volatile unsigned words[8] = {value};                                               \
    const unsigned below = a##suffix(depth == 0 ? 0 : depth - 1, words[value % 8] + 1); \
    return below * value + words[depth % 8];                                            \
  }                                                                                     \
  [[gnu::noinline]] attributes unsigned c##suffix(unsigned depth, unsigned value) {     \
    return depth % 2 == 0 ? a##suffix(depth == 0 ? 0 : depth - 1, value) + depth        \
                          : b##suffix(depth - 1, value + depth) * 5;                    \
  }
FUNCTIONS(_plain, [[gnu::optimize("omit-frame-pointer")]])
FUNCTIONS(_framed, [[gnu::optimize("no-omit-frame-pointer")]])

class Libdwfl {
 public:
  Libdwfl() {
    static char* debug_path = nullptr;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = nullptr,
                                             .debuginfo_path = &debug_path};
    static const Dwfl_Thread_Callbacks threads = {
        .next_thread = [](Dwfl*, void* self, void** thread) -> pid_t {
          if (*thread != nullptr) return 0;
          *thread = self;
          return getpid();
        },
        .get_thread =
            [](Dwfl*, pid_t, void* self, void** thread) {
              *thread = self;
              return true;
            },
        .memory_read =
            [](Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void* self) {
              const Copy& of = *static_cast<Libdwfl*>(self)->copy_;
              const uint64_t at = address - of.begin;
              if (of.stack.size() < 8 || at > of.stack.size() - 8) return false;
              memcpy(word, of.stack.data() + at, 8);
              return true;
            },
        .set_initial_registers =
            [](Dwfl_Thread* thread, void* self) {
              Dwarf_Word words[unwind_registers];
              for (size_t i = 0; i < unwind_registers; i++)
                words[i] = *static_cast<Libdwfl*>(self)->copy_->registers.get(i);
              return dwfl_thread_state_registers(thread, 0, unwind_registers, words);
            },
        .detach = nullptr,
        .thread_detach = nullptr};
    dwfl_ = dwfl_begin(&callbacks);
    dwfl_linux_proc_report(dwfl_, getpid());
    dwfl_report_end(dwfl_, nullptr, nullptr);
    if (!dwfl_attach_state(dwfl_, nullptr, getpid(), &threads, this)) exit(2);
  }
  ~Libdwfl() { dwfl_end(dwfl_); }
  Libdwfl(const Libdwfl&) = delete;
  Libdwfl& operator=(const Libdwfl&) = delete;

  const std::vector<uint64_t>& unwind(const Copy& copy) {
    copy_ = &copy;
    pcs_.clear();
    dwfl_getthread_frames(
        dwfl_, getpid(),
        [](Dwfl_Frame* frame, void* self) -> int {
          Dwarf_Addr pc = 0;
          if (!dwfl_frame_pc(frame, &pc, nullptr)) return DWARF_CB_ABORT;
          static_cast<Libdwfl*>(self)->pcs_.push_back(pc);
          return DWARF_CB_OK;
        },
        this);
    return pcs_;
  }

 private:
  Dwfl* dwfl_ = nullptr;
  const Copy* copy_ = nullptr;
  std::vector<uint64_t> pcs_ = {};
};

StackSample sample_of(const Copy& copy) {
  return {.registers = copy.registers,
          .stack_begin = copy.begin,
          .stack = copy.stack,
          .stack_end = stack_end};
}

}  // namespace

int main(int count, char** arguments) {
  const auto depth = static_cast<unsigned>(count > 1 ? atoi(arguments[1]) : 36);
  const size_t rounds = count > 2 ? static_cast<size_t>(atol(arguments[2])) : 101;
  const auto target = open_process(static_cast<uint64_t>(getpid()));
  if (!target) return fprintf(stderr, "%s\n", target.error().message().c_str()), 2;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const Mapping* stack = find_mapping((*target)->mappings(), here);
  if (stack == nullptr) return fputs("no stack\n", stderr), 2;
  stack_end = stack->end;
  struct sigaction action = {};
  action.sa_sigaction = take;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, nullptr);
  constexpr unsigned stacks = 64;  // of each kind
  for (unsigned i = 0; i < stacks; i++) sink = sink + b_plain(depth - i % 4, i);
  for (unsigned i = 0; i < stacks; i++) sink = sink + b_framed(depth - i % 4, i);
  const std::span<const Copy> plain(copies.data(), stacks);
  const std::span<const Copy> framed(copies.data() + stacks, stacks);

  UnwindTables tables;
  Unwinder slow(unwind_modules(**target, tables), {.cached_rules = 1});
  Unwinder fast(unwind_modules(**target, tables));
  Libdwfl libdwfl;
  size_t functions = 0;
  size_t equal = 0;
  for (const Copy& copy : copies) {
    const auto ours = fast.unwind(sample_of(copy));
    const auto& theirs = libdwfl.unwind(copy);
    functions += ours.pcs.size();
    equal += std::equal(ours.pcs.begin(), ours.pcs.end(), theirs.begin(), theirs.end());
  }
  printf("functions of a stack\t%.1f\tequal to libdwfl\t%zu of %zu\n",
         static_cast<double>(functions) / static_cast<double>(copies.size()), equal, copies.size());
  bench::Rounds compared(rounds);
  const auto add = [&](const char* name, Unwinder& unwinder, std::span<const Copy> of) {
    compared.add(name, stacks, [&unwinder, of](size_t n) {
      for (size_t i = 0; i < n; i++) keep(unwinder.unwind(sample_of(of[i])).pcs.size());
    });
  };
  compared.add("libdwfl, without frame pointers", stacks, [&](size_t n) {
    for (size_t i = 0; i < n; i++) keep(libdwfl.unwind(plain[i]).size());
  });
  compared.add("libdwfl, with frame pointers", stacks, [&](size_t n) {
    for (size_t i = 0; i < n; i++) keep(libdwfl.unwind(framed[i]).size());
  });
  add("table, without frame pointers", slow, plain);
  add("table, with frame pointers", slow, framed);
  add("hybrid, without frame pointers", fast, plain);
  add("hybrid, with frame pointers", fast, framed);
  compared.run();
  return equal == copies.size() ? 0 : 1;
}
