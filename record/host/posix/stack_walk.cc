#include "record/host/posix/stack_walk.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <initializer_list>

#include "record/host/posix/frame_tables.h"

namespace skein::record {
namespace {

// Reads this process's memory. Returns how many bytes were readable, from the first on. By number,
// because the function of the C library is a cancellation point in some versions.
size_t read_memory(const iovec* to, unsigned to_count, const iovec* from, unsigned from_count,
                   int pid) {
  const long n = syscall(SYS_process_vm_readv, pid, to, to_count, from, from_count, 0);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

iovec piece(uint64_t address, size_t size) {
  return {reinterpret_cast<void*>(static_cast<uintptr_t>(address)), size};
}

// A part of the stack, read at once: frames are near each other.
class Stack {
 public:
  explicit Stack(int pid) : pid_(pid) {}

  bool read(uint64_t at, uint64_t& word) {
    if (at % sizeof word != 0 || at > UINT64_MAX - sizeof words_) return false;
    if (at < begin_ || at - begin_ >= size_) {
      // In two pieces, because the second may be beyond the end of the stack.
      const iovec from[] = {piece(at, sizeof word),
                            piece(at + sizeof word, sizeof words_ - sizeof word)};
      const iovec to = {words_, sizeof words_};
      begin_ = at;
      size_ = read_memory(&to, 1, from, 2, pid_) / sizeof word * sizeof word;
      if (size_ == 0) return false;
    }
    word = words_[(at - begin_) / sizeof word];
    return true;
  }

 private:
  int pid_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
  uint64_t words_[128];
};

constexpr size_t kLongestCall = 8;  // bytes

// Whether a call instruction ends after these bytes.
bool ends_in_call(const unsigned char (&code)[kLongestCall]) {
#if defined(__x86_64__)
  if (code[3] == 0xE8) return true;  // call to a distance of 4 bytes
  for (const size_t size : {2u, 3u, 4u, 6u, 7u}) {
    const size_t at = kLongestCall - size;
    if (code[at] == 0xFF && (code[at + 1] >> 3 & 7) == 2) return true;  // to a register or memory
  }
  return false;
#else
  uint32_t word;
  __builtin_memcpy(&word, code + 4, sizeof word);
  return (word & 0xFC000000) == 0x94000000 || (word & 0xFFFFFC1F) == 0xD63F0000;  // bl, blr
#endif
}

// Returns how many of the addresses are right, from the first on: those of `returns` follow a call.
uint32_t count_right(const uint64_t* addresses, uint32_t count, uint64_t returns, int pid) {
  unsigned char code[kMostFrames][kLongestCall];
  iovec from[kMostFrames];
  for (uint32_t i = 0; i < count; ++i) from[i] = piece(addresses[i] - kLongestCall, kLongestCall);
  const iovec to = {code, count * sizeof code[0]};
  const size_t read = read_memory(&to, 1, from, count, pid) / kLongestCall;
  uint32_t right = 0;
  while (right < read && ((returns >> right & 1) == 0 || ends_in_call(code[right]))) ++right;
  return right;
}

struct Registers {
  uint64_t pc, sp, fp;
};
Registers registers_of(const void* context) {
  const mcontext_t& m = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<uint64_t>(m.gregs[REG_RIP]), static_cast<uint64_t>(m.gregs[REG_RSP]),
          static_cast<uint64_t>(m.gregs[REG_RBP])};
#else
  return {m.pc, m.sp, m.regs[29]};
#endif
}

// Goes from each function to its caller.
class Walk {
 public:
  Walk(const Registers& at, int pid) : at_(at), pid_(pid), stack_(pid) {}

  const Registers& registers() const { return at_; }
  // Whether the function goes on behind a call; otherwise a signal has interrupted it.
  bool is_return() const { return is_return_; }

  // False: there is no caller, or it is not known.
  bool next() {
    // What goes on behind its last instruction, a call, is in this function, not in the next one.
    const CallFrame frame = call_frame(tables_, at_.pc - (is_return_ ? 1 : 0));
    switch (frame.base) {
      case CallFrame::Base::Outermost:
        return false;
      case CallFrame::Base::Unknown:
        return next_by_frame_pointer();
      case CallFrame::Base::Signal:
        return next_of_signal();
      case CallFrame::Base::Stack:
        return next_at(at_.sp + offset(frame.cfa), frame);
      case CallFrame::Base::Frame:
        return has_fp_ && next_at(at_.fp + offset(frame.cfa), frame);
      case CallFrame::Base::FrameContent: {
        uint64_t cfa;
        return has_fp_ && stack_.read(at_.fp + offset(frame.cfa), cfa) && next_at(cfa, frame);
      }
    }
    return false;
  }

 private:
  static uint64_t offset(int64_t value) { return static_cast<uint64_t>(value); }

  bool next_at(uint64_t cfa, const CallFrame& frame) {
    constexpr uint64_t word = sizeof(uint64_t);
    // Only a function that has not yet changed the stack pointer, the first one, has its own there.
    if (cfa % word != 0 || cfa < at_.sp + word) return false;
    Registers caller = {.pc = 0, .sp = cfa, .fp = at_.fp};
    bool has_fp = has_fp_;
    if (frame.fp == CallFrame::kLost) {
      has_fp = false;
    } else if (frame.fp != CallFrame::kUnchanged) {
      if (frame.fp == CallFrame::kAtFrame && !has_fp_) return false;
      const uint64_t place = frame.fp == CallFrame::kAtFrame ? at_.fp : cfa + offset(frame.fp);
      has_fp = place >= at_.sp && stack_.read(place, caller.fp);
    }
    if (!stack_.read(cfa - word, caller.pc)) return false;
    return go_to(caller, has_fp, true);
  }

  bool next_by_frame_pointer() {
    Registers caller = {.pc = 0, .sp = at_.fp + 2 * sizeof(uint64_t), .fp = 0};
    return has_fp_ && at_.fp >= at_.sp && stack_.read(at_.fp, caller.fp) &&
           stack_.read(at_.fp + sizeof(uint64_t), caller.pc) && go_to(caller, true, true);
  }

  // Stubs like those of .plt.got have no call frame information: the instruction was called right
  // now, if a call to it, or some bytes before it, is before the first address on the stack.
  bool next_of_stub() {
#if defined(__x86_64__)
    constexpr uint64_t most = 16, call_size = 5;
    uint64_t address;
    if (is_return_ || !stack_.read(at_.sp, address) || address < kLongestCall) return false;
    unsigned char call[call_size];
    const iovec to = {call, sizeof call}, from = piece(address - sizeof call, sizeof call);
    if (read_memory(&to, 1, &from, 1, pid_) != sizeof call || call[0] != 0xE8) return false;
    int32_t distance;
    __builtin_memcpy(&distance, call + 1, sizeof distance);
    if (at_.pc - (address + offset(distance)) >= most) return false;
    return go_to({.pc = address, .sp = at_.sp + sizeof address, .fp = at_.fp}, true, true);
#else
    return false;
#endif
  }

  // The kernel has put a ucontext_t where the handler's return address was.
  bool next_of_signal() {
#if defined(__x86_64__)
    const uint64_t registers =
        at_.sp + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, gregs);
    Registers caller;
    return stack_.read(registers + REG_RBP * sizeof(greg_t), caller.fp) &&
           stack_.read(registers + REG_RSP * sizeof(greg_t), caller.sp) &&
           stack_.read(registers + REG_RIP * sizeof(greg_t), caller.pc) &&
           go_to(caller, true, false);
#else
    return false;
#endif
  }

  bool go_to(const Registers& caller, bool has_fp, bool is_return) {
    if (caller.pc < kLongestCall) return false;
    at_ = caller;
    has_fp_ = has_fp;
    is_return_ = is_return;
    return true;
  }

  Registers at_;
  int pid_;
  bool has_fp_ = true;
  bool is_return_ = false;
  const FrameTables* tables_ = frame_tables();
  Stack stack_;
};

}  // namespace

uint32_t walk_stack(const void* context, uint64_t (&addresses)[kMostFrames]) {
  const int pid = getpid();
  Walk walk(registers_of(context), pid);
  addresses[0] = walk.registers().pc;
  uint32_t count = 1;
  uint64_t returns = 0;  // a bit for each address
  while (count < kMostFrames && walk.next()) {
    // What a handler returns to follows no call either.
    if (walk.is_return())
      returns |= uint64_t{1} << count;
    else
      returns &= ~(uint64_t{1} << (count - 1));
    addresses[count++] = walk.registers().pc;
  }
  if (count == 1) return 1;
  count = 1 + count_right(addresses + 1, count - 1, returns >> 1, pid);
  for (uint32_t i = 1; i < count; ++i) addresses[i] -= returns >> i & 1;
  return count;
}

}  // namespace skein::record
