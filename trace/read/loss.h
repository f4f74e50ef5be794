// What a reader found damaged or missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skein {

// Data of the trace that is missing from the columns. An unknown number is empty. Events 0: data
// was altered but none is missing (a time that had to be guessed).
struct Loss {
  std::string what;       // "packet header damaged", "event truncated", "dropped by the recorder"
  std::string file = {};  // the file that contains it; empty for a single-file trace
  uint64_t offset = 0;    // where it begins in that file
  std::optional<uint64_t> bytes = {};
  std::optional<uint64_t> packets = {};
  std::optional<uint64_t> events = {};
};

// Formats a loss: "s00001-0, byte 1,514: event damaged (28 bytes, 1 event)". Strings from the trace
// are not escaped; callers must do so.
std::string loss_text(const Loss& loss);

// Appends a loss. Losses after the first thousand are merged into one, so that the list stays short
// even if the whole trace is damaged.
void add_loss(std::vector<Loss>& losses, Loss loss);

}  // namespace skein
