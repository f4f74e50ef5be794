// What a reader found damaged or missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skein {

// Something that was in the trace and is not in the columns. A number that cannot be known is
// empty. Events 0: what was read is altered, and nothing is missing (a time that had to be
// guessed).
struct Loss {
  std::string what;       // "packet header damaged", "event truncated", "dropped by the recorder"
  std::string file = {};  // the file it is in; empty for a trace of one file
  uint64_t offset = 0;    // where it begins in that file
  std::optional<uint64_t> bytes = {};
  std::optional<uint64_t> packets = {};
  std::optional<uint64_t> events = {};
};

// "s00001-0, byte 1,514: event damaged (28 bytes, 1 event)". As it is in the trace: callers escape
// it.
std::string loss_text(const Loss& loss);

// Appends it to the list; a trace that is damaged everywhere must not make the list as long as the
// trace, so from the thousandth on losses are summed up in one.
void add_loss(std::vector<Loss>& losses, Loss loss);

}  // namespace skein
