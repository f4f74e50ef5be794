// Where the code of a running coroutine has the address of the coroutine's frame: in a register or
// in its part of the stack.
//
//   FrameAddresses addresses(code);
//   if (const auto place = addresses.at(pc)) show(place->offset);
//
// From code for x86-64, by frames/register_flow.h.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "frames/resume_point.h"

namespace skein {

struct FrameAddress {
  enum class Place : uint8_t { Register, Stack };
  Place place = Place::Register;
  uint8_t number = 0;  // Register: as DWARF numbers them
  int32_t at = 0;  // Stack: bytes from rsp at the function's beginning, where its return address is
  int32_t plus = 0;  // what is there is the frame's address and this
  bool operator==(const FrameAddress&) const = default;
};

// What the code of a coroutine does with the beginning of its frame, behind the addresses of its
// functions: the promise, whose size is not known without debug information.
struct PromiseUse {
  uint32_t read = 0;          // bit n: it reads, or may read, the 8 bytes at 8 * n of the frame
  uint32_t surely_read = 0;   // the same, without those by an unknown address
  bool is_passed_on = false;  // the promise's address: others may read it
  std::set<uint64_t> given_to = {};  // functions whose first argument is the address of the frame
};
// `code` resumes a coroutine. O(bytes), a few times.
PromiseUse promise_use(const Code& code);

class FrameAddresses {
 public:
  // Of a whole function: one that resumes a coroutine, also with its rest, or creates it
  // (Code::creates). O(bytes), a few times; memory: 24 bytes for each instruction, and for each
  // call.
  explicit FrameAddresses(const Code& code);

  // Before the instruction at `pc`, which may be a return address: then other code may be there, if
  // what is called does not return. Nothing: unknown. A register that calls leave alone is
  // preferred. O(log instructions).
  std::optional<FrameAddress> at(uint64_t pc, bool is_return = false) const;

 private:
  struct Entry {
    uint64_t address = 0;
    FrameAddress place = {};
  };
  static const Entry* find(const std::vector<Entry>& entries, uint64_t address);

  std::vector<Entry> entries_ = {};  // by address
  std::vector<Entry> calls_ = {};    // what is known while they run, by the return address
};

}  // namespace skein
