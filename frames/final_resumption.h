// What a coroutine resumes when it ends: where its promise has its continuation.
//
//   const FinalResumption ending(code, rest);
//   if (ending.resumes(0x18) == FinalResumption::Answer::No) ...
//
// From code for x86-64. Before the final suspension, g++ and clang store 0 as the address of the
// function that resumes the frame. Behind that, the code takes a handle from the frame and jumps to
// the function at its beginning.
#pragma once

#include <cstdint>
#include <vector>

#include "frames/frame_addresses.h"
#include "frames/resume_point.h"

namespace skein {

class FinalResumption {
 public:
  enum class Answer : uint8_t { No, Yes, Unknown };

  // `code` resumes a coroutine; `rest`: the part of it that is elsewhere, or empty. O(bytes), a few
  // times.
  FinalResumption(const Code& code, const Code& rest);

  // Whether the coroutine resumes the handle at this offset of its frame when it ends. No: its code
  // resumes another one, or none, never reads it as far as is known, and gives the promise to no
  // other function. Unknown as well where other functions may do it, as without optimisation.
  // O(log handles).
  Answer resumes(uint32_t offset) const;

 private:
  std::vector<uint32_t> resumed_ = {};  // ascending
  PromiseUse use_ = {};
  bool is_known_ = false;  // what happens at the end
};

}  // namespace skein
