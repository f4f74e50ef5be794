// Logical stacks of samples: the coroutines that wait for the one that a thread runs, instead of
// the functions that have resumed it. In a perf.data of `skein profile`:
//
//   - the raw data of a sample (PERF_SAMPLE_RAW): LogicalSample
//   - a section at the end, as a feature of the header whose number other tools skip:
//     LogicalStacks::bytes()
//
//   LogicalStacks stacks;
//   const uint32_t chain = stacks.add(stacks.add(0, server), session);  // server waits for session
//   stacks.set_coroutine(server, {.function = "run", .file = "server.cc", .line = 12});
//
// Numbers are little-endian. docs/flame.md describes both. Nothing that is read is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace skein {

struct LogicalSample {
  static constexpr uint32_t unknown = UINT32_MAX;
  // The user's functions that belong to the logical stack, from the innermost to that of the
  // coroutine. 0: the thread runs no coroutine, or its chain is unknown.
  uint32_t functions = 0;
  // Of LogicalStacks: the coroutines that wait; 0: none; unknown.
  uint32_t chain = 0;
  // The addresses of the frames of the coroutine, and of those of the chain; empty: none, or unknown.
  // They tell coroutines of one function apart, as long as these are alive.
  std::vector<uint64_t> frames = {};
  // The recorder's current task on the thread, of a process that records; 0: none. Nothing:
  // unknown.
  std::optional<uint64_t> task = {};

  bool is_logical() const { return functions != 0; }
  bool is_unknown() const { return chain == unknown; }
  bool operator==(const LogicalSample&) const = default;

  static constexpr size_t head_size = 12;  // before the frames
  size_t size() const { return head_size + 8 * (frames.size() + (task ? 1 : 0)); }
  void append_to(std::vector<uint8_t>& bytes) const;
  // Nothing: it is other raw data.
  static std::optional<LogicalSample> read(std::span<const uint8_t> raw);
};

class LogicalStacks {
 public:
  static constexpr unsigned feature = 200;  // of the header
  static constexpr uint32_t longest = 512;  // coroutines of a chain in a file

  // Where a coroutine waits.
  struct Coroutine {
    std::string function = {};  // empty: a library's own, not to be shown
    std::string file = {};      // with its folder; empty: unknown
    uint32_t line = 0;          // 0: unknown
    bool operator==(const Coroutine&) const = default;
  };

  // The chain of a coroutine that waits, and that `outer` waits for: 0 or an earlier result.
  // Coroutines have any numbers, small ones. O(log chains).
  uint32_t add(uint32_t outer, uint32_t coroutine);
  void set_coroutine(uint32_t number, Coroutine coroutine);

  size_t size() const { return chains_.size(); }
  // The innermost first. Precondition: 0, or a result of add(); others are empty. O(length).
  std::vector<uint32_t> chain(uint32_t number) const;
  // Precondition: one of chain().
  const Coroutine& coroutine(uint32_t number) const { return coroutines_[number]; }
  size_t coroutines() const { return coroutines_.size(); }

  // The section, and the reverse. Fails if it is damaged.
  std::vector<uint8_t> bytes() const;
  static Result<LogicalStacks> read(std::span<const uint8_t> section, uint64_t offset);

 private:
  struct Chain {
    uint32_t outer = 0;
    uint32_t coroutine = 0;
    uint32_t length = 1;
  };
  std::vector<Chain> chains_ = {};  // number 1 is the first
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_ = {};
  std::vector<Coroutine> coroutines_ = {};
};

}  // namespace skein
