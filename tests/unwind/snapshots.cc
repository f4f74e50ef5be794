// Compares stacks with those of libdwfl.
//
//   snapshots COUNT PROGRAM [ARGUMENT...]
//
// Runs the program, stops it at COUNT instructions, copies registers and the top of the stack, and
// unwinds this copy with both. Prints how many are equal, and the differences. The instructions are
// some 20 steps apart, with pauses of some ms between groups of them, so that all parts of
// functions are reached, such as prologues, PLTs and the code that ends a signal handler.
//
// Exits with 1 if a stack differs, other than by being complete where libdwfl's is a part of it:
// libdwfl 0.188 does not know rbx in a function that has not saved it yet, and
// _dl_runtime_resolve_xsavec needs it.
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "profile/unwind/modules.h"
#include "profile/unwind/unwinder.h"
#include "target/process.h"

using namespace skein;

namespace {

constexpr size_t copied = 65536;
constexpr size_t red_zone = 128;

struct Snapshot {
  UnwindRegisters registers = {};
  uint64_t begin = 0;
  std::vector<uint8_t> stack = {};
  uint64_t stack_end = 0;
};

[[noreturn]] void die(const char* what) {
  perror(what);
  exit(2);
}

// The program, of which one thread is stopped.
class Program {
 public:
  Program(char** arguments, bool has_thread) {
    int ready[2];
    if (pipe(ready) != 0) die("pipe");
    pid_ = thread_ = fork();
    if (pid_ == 0) {
      char byte = 0;
      if (read(ready[0], &byte, 1) != 1) _exit(1);
      execv(arguments[0], arguments);
      _exit(1);
    }
    const long options =
        PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | (has_thread ? PTRACE_O_TRACECLONE : 0);
    if (ptrace(PTRACE_SEIZE, pid_, nullptr, options) != 0) die("ptrace");
    if (write(ready[1], "", 1) != 1) die("write");
    wait();
    if (!has_thread) return;
    while (status_ >> 8 != (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
      if (ptrace(PTRACE_CONT, thread_, nullptr, signal_) != 0) die("ptrace");
      wait();
    }
    unsigned long created = 0;
    ptrace(PTRACE_GETEVENTMSG, pid_, nullptr, &created);
    ptrace(PTRACE_CONT, pid_, nullptr, 0);
    thread_ = static_cast<pid_t>(created);
    wait();
  }
  ~Program() {
    kill(pid_, SIGKILL);
    while (waitpid(-1, nullptr, __WALL) > 0) continue;
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void step() {
    if (ptrace(PTRACE_SINGLESTEP, thread_, nullptr, signal_) != 0) die("ptrace");
    wait();
  }
  void run(unsigned microseconds) {
    if (ptrace(PTRACE_CONT, thread_, nullptr, signal_) != 0) die("ptrace");
    usleep(microseconds);
    ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr);
    wait();
  }
  void run_to_signal(int signal) {
    do {
      if (ptrace(PTRACE_CONT, thread_, nullptr, signal_) != 0) die("ptrace");
      wait();
    } while (signal_ != signal);
  }
  Snapshot snapshot(uint64_t stack_end) const {
    user_regs_struct r;
    iovec io{&r, sizeof r};
    if (ptrace(PTRACE_GETREGSET, thread_, NT_PRSTATUS, &io) != 0) die("ptrace");
    Snapshot taken;
    const uint64_t values[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                               r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    for (size_t i = 0; i < unwind_registers; i++) taken.registers.set(i, values[i]);
    taken.begin = r.rsp - red_zone;
    taken.stack_end = stack_end;
    taken.stack.resize(std::min<uint64_t>(copied, stack_end - taken.begin));
    iovec to{taken.stack.data(), taken.stack.size()};
    iovec from{reinterpret_cast<void*>(taken.begin), taken.stack.size()};
    const ssize_t size = process_vm_readv(pid_, &to, 1, &from, 1, 0);
    if (size < 0) die("process_vm_readv");
    taken.stack.resize(static_cast<size_t>(size));
    return taken;
  }
  uint64_t sp() const {
    user_regs_struct r;
    iovec io{&r, sizeof r};
    if (ptrace(PTRACE_GETREGSET, thread_, NT_PRSTATUS, &io) != 0) die("ptrace");
    return r.rsp;
  }

 private:
  void wait() {
    if (waitpid(thread_, &status_, __WALL) != thread_ || !WIFSTOPPED(status_)) {
      fputs("the program ended\n", stderr);
      exit(2);
    }
    // Signals to be delivered, not traps and events.
    signal_ = status_ >> 16 == 0 && WSTOPSIG(status_) != SIGTRAP ? WSTOPSIG(status_) : 0;
  }

  pid_t pid_ = 0;
  pid_t thread_ = 0;
  int status_ = 0;
  int signal_ = 0;
};

class Libdwfl {
 public:
  explicit Libdwfl(pid_t pid) {
    static char* debug_path = nullptr;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = nullptr,
                                             .debuginfo_path = &debug_path};
    dwfl_ = dwfl_begin(&callbacks);
    if (dwfl_linux_proc_report(dwfl_, pid) != 0) die("libdwfl");
    dwfl_report_end(dwfl_, nullptr, nullptr);
    static const Dwfl_Thread_Callbacks threads = {
        .next_thread = [](Dwfl*, void* self, void** thread) -> pid_t {
          if (*thread != nullptr) return 0;
          *thread = self;
          return static_cast<Libdwfl*>(self)->pid_;
        },
        .get_thread =
            [](Dwfl*, pid_t, void* self, void** thread) {
              *thread = self;
              return true;
            },
        .memory_read =
            [](Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void* self) {
              const Snapshot& of = *static_cast<Libdwfl*>(self)->snapshot_;
              const uint64_t at = address - of.begin;
              if (of.stack.size() < 8 || at > of.stack.size() - 8) return false;
              memcpy(word, of.stack.data() + at, 8);
              return true;
            },
        .set_initial_registers =
            [](Dwfl_Thread* thread, void* self) {
              Dwarf_Word words[unwind_registers];
              for (size_t i = 0; i < unwind_registers; i++)
                words[i] = *static_cast<Libdwfl*>(self)->snapshot_->registers.get(i);
              return dwfl_thread_state_registers(thread, 0, unwind_registers, words);
            },
        .detach = nullptr,
        .thread_detach = nullptr};
    pid_ = pid;
    if (!dwfl_attach_state(dwfl_, nullptr, pid, &threads, this)) {
      fprintf(stderr, "libdwfl: %s\n", dwfl_errmsg(-1));
      exit(2);
    }
  }
  ~Libdwfl() { dwfl_end(dwfl_); }
  Libdwfl(const Libdwfl&) = delete;
  Libdwfl& operator=(const Libdwfl&) = delete;

  const std::vector<uint64_t>& unwind(const Snapshot& snapshot) {
    snapshot_ = &snapshot;
    pcs_.clear();
    is_complete_ = dwfl_getthread_frames(
                       dwfl_, pid_,
                       [](Dwfl_Frame* frame, void* self) -> int {
                         Dwarf_Addr pc = 0;
                         bool is_exact = false;
                         auto& pcs = static_cast<Libdwfl*>(self)->pcs_;
                         if (!dwfl_frame_pc(frame, &pc, &is_exact)) return DWARF_CB_ABORT;
                         pcs.push_back(pc);
                         return pcs.size() < 1024 ? DWARF_CB_OK : DWARF_CB_ABORT;
                       },
                       this) == 0;
    return pcs_;
  }
  bool is_complete() const { return is_complete_; }

  void print(uint64_t pc) {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_, pc);
    const char* name = module == nullptr ? "-"
                                         : dwfl_module_info(module, nullptr, nullptr, nullptr,
                                                            nullptr, nullptr, nullptr, nullptr);
    const char* function = module == nullptr ? nullptr : dwfl_module_addrname(module, pc);
    printf("%" PRIx64 " %.40s in %s", pc, function == nullptr ? "?" : function, name);
  }

 private:
  Dwfl* dwfl_ = nullptr;
  pid_t pid_ = 0;
  const Snapshot* snapshot_ = nullptr;
  std::vector<uint64_t> pcs_ = {};
  bool is_complete_ = false;
};

const char* text_of(StackEnd end) {
  static const char* const texts[] = {"complete", "cut", "no table", "damaged", "too deep"};
  return texts[static_cast<size_t>(end)];
}

struct Totals {
  size_t snapshots = 0;
  size_t equal = 0;
  size_t longer = 0;  // ours continues where libdwfl's ends, up to the first function of the thread
  size_t different = 0;
  size_t functions = 0;
};

void compare(const Snapshot& snapshot, Unwinder& unwinder, Libdwfl& libdwfl, Totals& totals) {
  const UnwoundStack ours = unwinder.unwind({.registers = snapshot.registers,
                                             .stack_begin = snapshot.begin,
                                             .stack = snapshot.stack,
                                             .stack_end = snapshot.stack_end});
  std::vector<uint64_t> theirs = libdwfl.unwind(snapshot);
  totals.snapshots++;
  totals.functions += ours.pcs.size();
  if (std::equal(ours.pcs.begin(), ours.pcs.end(), theirs.begin(), theirs.end())) {
    // libdwfl gives no reason for the end of a cut stack.
    totals.equal++;
    return;
  }
  const size_t common = std::min(ours.pcs.size(), theirs.size());
  if (std::equal(theirs.begin(), theirs.begin() + static_cast<ptrdiff_t>(common),
                 ours.pcs.begin()) &&
      ours.pcs.size() > theirs.size() && ours.end == StackEnd::Complete)
    totals.longer++;
  else
    totals.different++;
  if (totals.longer + totals.different > 3) return;
  printf("%s, libdwfl %scomplete:\n", text_of(ours.end), libdwfl.is_complete() ? "" : "not ");
  for (size_t i = 0; i < std::max(ours.pcs.size(), theirs.size()) && i < 60; i++) {
    printf("  %s ", i < common && ours.pcs[i] == theirs[i] ? " " : "*");
    if (i < ours.pcs.size()) libdwfl.print(ours.pcs[i]);
    if (i >= common || ours.pcs[i] != theirs[i]) {
      printf("  |  ");
      if (i < theirs.size()) libdwfl.print(theirs[i]);
    }
    puts("");
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return fputs("snapshots COUNT PROGRAM [ARGUMENT...]\n", stderr), 2;
  const auto wanted = static_cast<size_t>(atol(arguments[1]));
  Program program(arguments + 2, count > 3);
  program.run_to_signal(SIGURG);  // its libraries are loaded
  auto target = open_process(static_cast<uint64_t>(program.pid()));
  if (!target) return fprintf(stderr, "%s\n", target.error().message().c_str()), 2;
  const Mapping* stack = find_mapping((*target)->mappings(), program.sp());
  if (stack == nullptr) return fputs("no stack\n", stderr), 2;
  UnwindTables tables;
  Unwinder unwinder(unwind_modules(**target, tables));
  Libdwfl libdwfl(program.pid());
  std::minstd_rand random(1);
  Totals totals;
  while (totals.snapshots < wanted) {
    if (totals.snapshots % 50 == 0) program.run(100 + static_cast<unsigned>(random() % 1000));
    const auto steps = 1 + random() % 40;
    for (size_t i = 0; i < steps; i++) program.step();
    compare(program.snapshot(stack->end), unwinder, libdwfl, totals);
  }
  const UnwindCounts counts = unwinder.counts();
  printf("%zu snapshots, %.1f functions each: %zu equal, %zu longer, %zu different; %" PRIu64
         " complete, %" PRIu64 " cut, %" PRIu64 " without table, %" PRIu64 " damaged, %" PRIu64
         " repaired, %" PRIu64 " frame pointers\n%s",
         totals.snapshots, static_cast<double>(totals.functions) / static_cast<double>(wanted),
         totals.equal, totals.longer, totals.different, counts.of(StackEnd::Complete),
         counts.of(StackEnd::Cut), counts.of(StackEnd::NoTable), counts.of(StackEnd::Damaged),
         counts.repaired, counts.frame_pointers, counts.text("larger copies").c_str());
  return totals.different == 0 ? 0 : 1;
}
