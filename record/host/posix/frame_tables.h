// The call frames of all loaded modules, for handlers of samples: tables (call_frames.h) that a
// thread of the recorder makes from the modules' memory, and publishes. A handler cannot read the
// modules itself: the list is under a lock of the dynamic linker.
//
//   update_frame_tables();                         the recorder's thread, now and then
//   const CallFrame at = call_frame(tables, pc);   a handler
//
// Modules that are opened later have a table after the next update, and those that were closed
// none. Until then, code at the addresses of a closed module has wrong rules: what a walk finds by
// them is checked (stack_walk.h). A table takes up to 6 bytes for each byte of .eh_frame; all
// together take 64 MiB at most, beyond which modules have none. They are kept until the process
// ends: a handler may be using them.
//
// x86-64 only: elsewhere code has frame pointers, and there is no table.
#pragma once
#include <stdint.h>

#include "record/host/posix/call_frames.h"

namespace skein::record {

struct FrameTables {
  struct Module {
    uint64_t begin, end;  // of its memory
    uint64_t identity;    // a hash of what it was loaded from
    const CallFrame* rows;
    uint32_t count;
  };
  uint32_t count;
  uint32_t room;
  Module modules[1];  // `count`, sorted
};

// Makes tables of new modules, if the list has changed. For one thread at a time, which may be
// interrupted by handlers. Takes the lock of the dynamic linker for as long as it takes to list the
// modules. Returns whether it has changed. Some ns for each byte of .eh_frame that is new.
bool update_frame_tables();

// Null: there are none yet. Async-signal-safe, as call_frame().
const FrameTables* frame_tables();

// Base::Unknown if nothing is known of this address. `tables` may be null. O(log size).
CallFrame call_frame(const FrameTables* tables, uint64_t pc);

}  // namespace skein::record
