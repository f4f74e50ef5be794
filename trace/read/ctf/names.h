// The definitions stream of a trace: defines the ids that events use.
//
// The writer assigns ids in sequence, so a table indexed by id is dense. An id larger than the
// number of definitions that fit in the stream is invalid and rejected: memory is bounded by the
// input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/read/ctf/chunk.h"
#include "trace/read/trace.h"

namespace skein::ctf {

struct Place {
  uint32_t location = 0;  // index into Trace::locations
  StringId name = 0;
  uint8_t kind = 0;
};

// Returns the definition of an id; that of id 0 if it has none.
template <typename T>
const T& definition(std::span<const T> all, uint64_t id) {
  return all[id < all.size() ? id : 0];
}

class Names {
 public:
  // `bytes`: size of the whole stream.
  explicit Names(uint64_t bytes) : most_(bytes / 4) {}

  // Reads a packet of the stream. Adds strings to trace.strings, modules to trace.modules, damage
  // to trace.losses, and the number of events per id to `counts`.
  void read(const Packet& packet, const std::string& file, Trace& trace,
            std::array<uint64_t, 256>& counts);

  // Call after the last packet: locations may refer to strings that are defined later.
  void finish(Trace& trace);

  // The frames of a stack, innermost first; none if it is not defined.
  std::vector<StackFrame> stack(uint64_t number) const;

  StringId text(uint64_t id) const { return definition(texts(), id); }
  const Place& place(uint64_t id) const { return definition(places(), id); }
  // By id; an undefined id has the value of id 0, which is never assigned. Valid until the next
  // read().
  std::span<const StringId> texts() const { return texts_; }
  std::span<const Place> places() const { return places_; }
  StringId thread(uint64_t tid) const {
    const auto found = threads_.find(tid);
    return found == threads_.end() ? 0 : found->second;
  }
  // The executor name of a stream in a copied trace, which is one executor regardless of its tid;
  // empty: the tid identifies the executor.
  std::optional<StringId> executor_of_stream(uint64_t number) const {
    const auto found = threads_.find(format::kStreamThread + number);
    return found == threads_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct RawPlace {
    uint32_t name, file, function, line, column;
  };

  struct RawFrame {
    uint64_t address = 0;
    uint64_t caller = 0;  // a number
    uint64_t function = 0;  // a string
  };
  // Of a chain that is damaged, or made by hand, and has no end.
  static constexpr size_t deepest = 256;

  uint64_t most_;
  std::vector<StringId> texts_ = {0};
  std::vector<Place> places_ = {Place{}};
  std::vector<RawPlace> raw_ = {RawPlace{}};
  std::unordered_map<uint64_t, StringId> threads_;
  std::unordered_map<uint64_t, RawFrame> frames_;  // by number of the stack
  RawFrame next_frame_;
};

}  // namespace skein::ctf
