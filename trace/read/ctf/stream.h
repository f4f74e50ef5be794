// One stream of a trace: its packets in order, decoded event by event into the columns.
//
// The columns are ordered by time across all streams, so the streams take turns: the one with the
// earliest event is decoded until another stream's event is due. This needs no second pass and no
// copy. The stream tracks state that the events omit: the current task and the executor.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/event_table.h"
#include "trace/read/ctf/names.h"
#include "trace/read/ctf/tick_scale.h"
#include "trace/read/ctf/wire.h"
#include "trace/read/trace.h"

namespace skein::ctf {

// State shared by all streams of a trace during decoding.
struct Context {
  Trace& trace;
  const Names& names;
  std::span<const StringId> texts;  // of names
  std::span<const Place> places;
  TickScale scale;
  uint64_t start = 0;                           // ticks of time 0
  std::array<uint64_t, 256> definitions = {};   // number per id
  std::unordered_set<uint64_t> resources = {};  // ids known not to be tasks
  Special usual = Special::OnResource;          // OnResource while `resources` is empty
  std::unordered_map<uint64_t, StringId> spans = {};
  std::unordered_map<uint64_t, uint32_t> stacks = {};  // index into Trace::stacks, by number

  uint32_t stack(uint64_t number) {
    const auto [found, added] = stacks.try_emplace(number, 0);
    if (!added) return found->second;
    found->second = trace.stacks.add(number);
    if (const auto frames = names.stack(number); !frames.empty())
      trace.stacks.set_frames(found->second, frames);
    return found->second;
  }
};

struct StreamPacket {
  Packet packet;
  const std::string* file;
};

class Stream {
 public:
  explicit Stream(uint64_t number) : number_(number) {}

  uint64_t number() const { return number_; }
  void add(StreamPacket packet) { packets_.push_back(std::move(packet)); }
  const std::vector<StreamPacket>& packets() const { return packets_; }

  // Sorts the packets; reports gaps, duplicates and events dropped by the recorder. Call before
  // run().
  void prepare(std::vector<Loss>& losses);

  // Returns whether there is another event and finds its time (next_ticks()). Adds damage before it
  // to the losses.
  bool begin(Context& context);
  uint64_t next_ticks() const { return at_.ticks; }

  // Appends its events up to `limit` ticks to the columns; returns whether there are more.
  // Precondition: the previous begin() or run() returned true.
  bool run(Context& context, uint64_t limit) {
    // Concurrent streams alternate event by event: keep this function minimal.
    if (extra_.which != 0) [[unlikely]]
      return append_slow_path(context, limit) && run_fast_path(context, limit);
    return run_fast_path(context, limit);
  }

 private:
  // State that changes with every event. It is copied to registers while the stream is decoded.
  struct Position {
    std::span<const uint8_t> rest;              // of the packet
    uint64_t last = 0;                          // ticks of the last event, or of the packet's begin
    uint64_t ticks = 0;                         // of the next event, but not before those appended
    std::array<uint64_t, numbers> number = {};  // by Number; the arguments are the last event's

    uint64_t& operator[](Number which) { return number[static_cast<size_t>(which)]; }
  };

  // The fields that the events `at` and `extra` add to the next event, by format::ExtraField.
  struct ExtraFields {
    std::array<uint64_t, 4> number = {};
    uint32_t which = 0;  // bits

    void add_to(EventRow& row, Context& context) const;
  };

  bool find_event(Context& context, Wire& wire);
  void begin_packet(Context& context);
  uint32_t executor(Context& context, uint64_t tid, StringId name);
  bool run_fast_path(Context& context, uint64_t limit);
  bool append_slow_path(Context& context, uint64_t limit);
  EventRow begin_row(const Context& context, Position& at, const Wire& wire,
                     const Meaning& meaning) const;
  bool complete(Context& context, const Wire& wire, std::span<const uint8_t> bytes, EventRow& row);
  bool complete_fixed(Context& context, const Wire& wire, std::span<const uint8_t> bytes,
                      EventRow& row);
  void damaged(Context& context, std::string what);

  uint64_t number_;
  std::vector<StreamPacket> packets_;
  size_t next_packet_ = 0;
  const StreamPacket* packet_ = nullptr;
  Position at_;
  uint64_t bound_ = 0;  // ticks at the start of the next packet
  ExtraFields extra_;   // for the next event of this packet
  uint32_t executor_ = 0;
  std::unordered_map<uint64_t, uint32_t> executors_;  // by tid
};

}  // namespace skein::ctf
