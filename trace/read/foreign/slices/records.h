// Records of other tools' formats, with strings and threads resolved: common to FXT and Chrome
// JSON. slices/meaning.h interprets them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/read/foreign/fxt/wire.h"
#include "trace/read/strings.h"

namespace skein::fxt {

struct Argument {
  StringId name = 0;
  ArgumentType type = ArgumentType::Null;
  uint64_t value = 0;  // the bits of the value; for a string, its StringId
};

struct Thread {
  uint64_t process = 0;
  uint64_t id = 0;
  // JSON may identify a process or thread by a string, which the number then represents. 0: it does
  // not.
  StringId process_text = 0;
  StringId text = 0;
};

struct Record {
  enum class Kind : uint8_t { Event, UserObject, KernelObject, ContextSwitch, Wakeup, Log };

  uint64_t time = 0;    // ns; of an object, the time of the preceding record
  uint64_t id = 0;      // by EventType; pointer, koid; the thread that wakes up or leaves the CPU
  uint64_t other = 0;   // the thread that takes the CPU
  uint32_t thread = 0;  // index into Records::threads; of a kernel object: 0, or itself
  StringId category = 0;
  StringId name = 0;       // or message
  uint32_t arguments = 0;  // index into Records::arguments
  uint32_t cpu = 0;        // or the type of a kernel object
  uint8_t argument_count = 0;
  uint8_t state = 0;  // of the thread that leaves the CPU
  Kind kind = Kind::Event;
  EventType type = EventType::Instant;
  bool time_guessed = false;
  bool in_all_processes = false;  // an async event's id is not local to its process
};

struct Records {
  std::vector<Record> records;
  std::vector<Argument> arguments;
  std::vector<Thread> threads;  // [0]: unknown

  std::span<const Argument> arguments_of(const Record& record) const {
    return std::span(arguments).subspan(record.arguments, record.argument_count);
  }
  // Null if there is none.
  const Argument* find(const Record& record, StringId name) const;
};

}  // namespace skein::fxt
