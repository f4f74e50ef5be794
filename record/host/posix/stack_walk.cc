#include "record/host/posix/stack_walk.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <initializer_list>

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

  struct Frame {
    uint64_t caller;  // its frame pointer
    uint64_t address;
  };
  bool read(uint64_t at, Frame& frame) {
    if (at % sizeof(uint64_t) != 0 || at > UINT64_MAX - sizeof words_) return false;
    if (at < begin_ || at - begin_ > size_ || size_ - (at - begin_) < sizeof frame) {
      // In two pieces, because the second may be beyond the end of the stack.
      const iovec from[] = {piece(at, sizeof frame),
                            piece(at + sizeof frame, sizeof words_ - sizeof frame)};
      const iovec to = {words_, sizeof words_};
      begin_ = at;
      size_ = read_memory(&to, 1, from, 2, pid_);
      if (size_ < sizeof frame) return false;
    }
    const uint64_t* word = words_ + (at - begin_) / sizeof(uint64_t);
    frame = {word[0], word[1]};
    return true;
  }

 private:
  int pid_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
  uint64_t words_[64];
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

// Returns how many of the return addresses, from the first on, follow a call.
uint32_t count_calls(const uint64_t* addresses, uint32_t count, int pid) {
  unsigned char code[kMostFrames][kLongestCall];
  iovec from[kMostFrames];
  for (uint32_t i = 0; i < count; ++i) from[i] = piece(addresses[i] - kLongestCall, kLongestCall);
  const iovec to = {code, count * sizeof code[0]};
  const size_t read = read_memory(&to, 1, from, count, pid) / kLongestCall;
  uint32_t calls = 0;
  while (calls < read && ends_in_call(code[calls])) ++calls;
  return calls;
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

}  // namespace

uint32_t walk_stack(const void* context, uint64_t (&addresses)[kMostFrames]) {
  const Registers at = registers_of(context);
  addresses[0] = at.pc;
  uint32_t count = 1;
  const int pid = getpid();
  Stack stack(pid);
  Stack::Frame frame = {at.fp, 0};
  for (uint64_t below = at.sp; count < kMostFrames; ++count) {
    const uint64_t fp = frame.caller;
    if (fp < below || !stack.read(fp, frame) || frame.address < kLongestCall) break;
    addresses[count] = frame.address;
    below = fp + sizeof frame;
  }
  if (count == 1) return 1;
  count = 1 + count_calls(addresses + 1, count - 1, pid);
  for (uint32_t i = 1; i < count; ++i) --addresses[i];
  return count;
}

}  // namespace skein::record
