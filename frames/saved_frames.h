// The coroutines that were found in a process, as bytes: what a snapshot (`skein core`) has of
// them, so that it can be explained where neither the process nor its files are.
//
//   writer.note = save_frames({found, around, paused});
//   Result<SavedFrames> read = read_frames(core.saved_frames(), path);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "frames/suspended.h"
#include "frames/verdict.h"

namespace skein {

struct SavedFrames {
  SuspendedCoroutines found = {};
  Surroundings around = {};  // without registers
  int64_t paused = 0;        // ns that the process stood still to be read
};

// O(coroutines): 2 to 10 bytes each, packed by zstd; without it 30 to 60.
std::vector<uint8_t> save_frames(const SavedFrames& frames);

// Fails if they were cut short, are of another version, or refer to something that is missing.
// `path` is for the error. Nothing in them is trusted.
Result<SavedFrames> read_frames(std::span<const uint8_t> bytes, const std::string& path);

}  // namespace skein
