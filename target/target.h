// Anything observed from outside: a running process (process.h) or a core file (core_file.h).
//
//   Result<std::unique_ptr<Target>> target = open_process(4711);
//   if (!target) return target.error();
//   std::array<uint8_t, 64> bytes;
//   if ((*target)->read(address, bytes) == bytes.size()) use(bytes);
//
// Nothing here stops or changes the target. A running process goes on between two reads, so that
// what they return may not fit together: check it, and read again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace skein {

enum class Architecture : uint8_t { X86_64, Aarch64 };

// Addresses of one file, or of none, with the same access: [begin, end), in bytes.
struct Mapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;    // unknown in a core: false
  bool deleted = false;   // the file has lost its name since; unknown in a core: false
  uint64_t offset = 0;    // of `begin` in the file
  std::string file = {};  // as the target named it; "[heap]", "[stack]"; empty: anonymous
  uint64_t size() const { return end - begin; }
  // True for a mapped file, not for "[heap]".
  bool has_file() const { return file.starts_with('/'); }
};

// Whether a mapping may have what a program has written. Not the shadow memory of sanitizers: it
// is some terabytes large, and says which addresses are in use.
inline bool is_data(const Mapping& mapping) {
  constexpr uint64_t shadow = uint64_t{1} << 40;
  return mapping.readable && mapping.writable && mapping.size() < shadow;
}

// The mapping that contains `address`, or null. `mappings` are sorted. O(log mappings).
const Mapping* find_mapping(std::span<const Mapping> mappings, uint64_t address);

// General registers by their DWARF numbers: x86-64 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp,
// 7 rsp, 8 r8 .. 15 r15, 16 rip (System V ABI, figure 3.36); AArch64 0 x0 .. 30 x30, 31 sp, 32 pc.
class Registers {
 public:
  static constexpr size_t kCount = 33;

  void set(size_t number, uint64_t value) {
    values_[number] = value;
    known_ |= uint64_t{1} << number;
  }
  std::optional<uint64_t> get(size_t number) const {
    if (number >= kCount || (known_ >> number & 1) == 0) return {};
    return values_[number];
  }
  bool is_empty() const { return known_ == 0; }
  static constexpr size_t pc_of(Architecture architecture) {
    return architecture == Architecture::X86_64 ? 16 : 32;
  }
  static constexpr size_t sp_of(Architecture architecture) {
    return architecture == Architecture::X86_64 ? 7 : 31;
  }

 private:
  std::array<uint64_t, kCount> values_ = {};
  uint64_t known_ = 0;  // bit n: register n
};

// A system call in which a thread waits. Arguments that are unknown are 0.
struct KernelCall {
  uint64_t number = 0;
  std::array<uint64_t, 6> arguments = {};
  bool operator==(const KernelCall&) const = default;
};

struct TargetThread {
  // As in proc_pid_stat(5); Unknown in a core.
  enum class State : char {
    Running = 'R',
    Sleeping = 'S',
    Waiting = 'D',
    Stopped = 'T',
    Traced = 't',
    Ended = 'Z',
    Unknown = '?'
  };
  uint64_t id = 0;
  std::string name = {};
  State state = State::Unknown;
  Registers registers = {};       // of a running process that is not stopped: pc and sp at most
  // The kernel's function in which it waits, or the name of its system call; empty: unknown.
  std::string wait_channel = {};
  std::optional<KernelCall> call = {};  // nothing: it runs, or it is not known
  uint64_t runs = 0;    // of a running process: changes whenever the thread has run; 0: unknown
  uint64_t own_id = 0;  // in the process's pid namespace; 0: the same, as far as it is known
};

// What shows whether a thread has run between two moments.
struct ThreadMoment {
  uint64_t id = 0;
  uint64_t runs = 0;  // TargetThread::runs
  uint64_t sp = 0;    // 0: it runs, or it is not known
  uint64_t pc = 0;    // the same
  bool operator==(const ThreadMoment&) const = default;
};

// One part of a batch. `count` is set by read(): the bytes read, from the beginning.
struct Piece {
  uint64_t address = 0;
  std::span<uint8_t> to = {};
  size_t count = 0;
};

// What a program has left with the kernel, which returns it with events: kernel_words.h.
struct KernelWords {
  std::vector<uint64_t> words = {};
  bool has_others = false;  // that cannot be read
};

class Target {
 public:
  virtual ~Target() = default;

  virtual const std::string& name() const = 0;  // of the program: "server"
  virtual uint64_t pid() const = 0;             // 0: unknown
  virtual Architecture architecture() const = 0;

  // Sorted, without overlaps; as they were when the target was opened.
  virtual const std::vector<Mapping>& mappings() const = 0;

  // In ascending order of ids. Those of a running process as they are now.
  virtual std::vector<TargetThread> threads() const = 0;

  // Those of a running process as they are now, in ascending order of ids; empty: they stand still,
  // as in a core. 15 us for each thread.
  virtual std::vector<ThreadMoment> thread_moments() const { return {}; }

  // Reads memory until its first byte that is unknown or not mapped, and returns the count of bytes
  // before that. A system call in a running process: 0.3 to 1 us and 0.1 us per KiB.
  virtual size_t read(uint64_t address, std::span<uint8_t> to) const = 0;
  // The same for many pieces, with a system call for each thousand.
  virtual void read(std::span<Piece> pieces) const;

  // The first address in [begin, end) where something may have been written; `end`: there is none.
  // Before it are zeros, if anything: reading them would give the target pages. Of a running process
  // 1 us; with a kernel before 6.7, 10 us for each 4 MiB.
  virtual uint64_t first_data(uint64_t begin, uint64_t end) const;
  bool has_data(uint64_t begin, uint64_t end) const { return first_data(begin, end) < end; }

  // The same as read(), of one mapping, but private memory that was never written is zeros, and
  // stays without pages. To be used for memory that nothing leads to. Of a running process 10 us
  // for each 4 MiB more.
  virtual size_t read_written(uint64_t address, std::span<uint8_t> to) const;

  // The file behind a mapping: the one that the target has mapped, also if its name is gone or
  // belongs to another file by now. Precondition: mapping.has_file(). Fails if it is missing, if
  // its build id is another one than in the target's memory, or without permission.
  virtual Result<Contents> file_of(const Mapping& mapping) const = 0;

  // The words that the program has left with the kernel, see kernel_words.h, as they are now. Nothing:
  // they are not known, as in a core.
  virtual std::optional<KernelWords> kernel_words() const { return {}; }

  // What precedes absolute paths of the target, to open what it would: "/proc/4711/root" of a
  // process in a container. Empty: it sees the same files.
  virtual std::string root() const { return {}; }
};

// The build id of an ELF file (NT_GNU_BUILD_ID) as hexadecimal digits, or an empty text.
// O(segments).
std::string build_id(std::span<const uint8_t> elf);

// The same from the memory of a target, for the file of `mapping`: its first mapping has the notes.
std::string build_id_of_file(const Target& target, const Mapping& mapping);

}  // namespace skein
