// The task that is current on a thread of a process that the recorder is in, from its memory
// (skein/format.h, CurrentTasks): the task of a sample that is taken from outside.
//
//   CurrentTasks tasks(memory);
//   if (const auto task = tasks.of(tid)) print(*task);
//
// The process may do anything in the meantime, and nothing in its memory is trusted. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "target/target.h"

namespace skein {

class CurrentTasks {
 public:
  // `memory`: of a running process, valid as long as this object. Costs a few reads.
  explicit CurrentTasks(const Target& memory);

  // Whether the process had the table of a trace when this object was made. A trace that starts
  // later needs another object.
  bool is_recorded() const { return list_.streams != 0; }

  // 0: none. Nothing: the process does not record now, or the thread has recorded nothing. A system
  // call, 1 us; of a thread that is new, all streams are read, at most once in 10 ms. `more` is
  // read by the same call, just before.
  std::optional<uint64_t> of(uint64_t thread, Piece* more = nullptr);

  // Whether a call of of() found an object that is not what it must be.
  bool is_damaged() const { return is_damaged_; }

 private:
  struct List {  // of format::CurrentTasks, with sane values
    uint64_t streams = 0, blocks = 0;
    uint32_t per_block = 0, size = 0;
    uint32_t begin = 0, bytes = 0;             // the part of a record that has all of the following
    uint32_t task = 0, thread = 0, flags = 0;  // in that part
  };
  struct Stream {
    uint64_t task = 0;
    uint32_t thread = 0;
    bool is_nested = false;
  };
  bool read_list(uint64_t address);
  Stream stream(const std::vector<uint8_t>& part) const;
  void find_streams();
  uint64_t number(uint64_t address, size_t size) const;  // 0: not readable

  const Target& memory_;
  uint64_t table_ = 0;  // address of the header
  List list_ = {};
  std::map<uint64_t, uint64_t> records_ = {};  // by thread: the address of the part
  uint64_t next_look_ = 0;                     // ns
  bool is_damaged_ = false;
};

}  // namespace skein
