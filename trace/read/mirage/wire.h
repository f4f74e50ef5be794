// mirage-profile's trace format, which Eio's first recorder wrote as well: one file, a ring of
// packets (both writers create four), each:
//
//    offset  0  u32      magic 0xc1fc1fc1
//            4  u8[16]   uuid 05883b8d-521a-487b-b397-456ab150680c
//           20  u32      packet size in bits
//           24  u16      count: packets are numbered in the order they are begun, wrapping
//           26  u32      content size in bits, header included; set before an event is written
//           30  events   u64 time in nanoseconds, u8 op, fields (see Op); little-endian, packed
//
// mirage-profile 0.9 begins its events at byte 40: it counts 40 bytes for the header of 30, and the
// ten bytes between stay zero. No event has time 0, so the reader can distinguish the two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein::mirage {

inline constexpr uint32_t packet_magic = 0xc1fc1fc1;
inline constexpr std::array<uint8_t, 16> packet_uuid{
    0x05, 0x88, 0x3b, 0x8d, 0x52, 0x1a, 0x48, 0x7b, 0xb3, 0x97, 0x45, 0x6a, 0xb1, 0x50, 0x68, 0x0c};
inline constexpr size_t signature_size = 20;  // magic and uuid
inline constexpr size_t header_size = 30;
inline constexpr size_t long_header_size = 40;
inline constexpr size_t ring_packets = 4;

enum class Op : uint8_t {
  Creates = 0,       // i64 parent, i64 child, u8 kind
  Read = 1,          // i64 reader, i64 input; the reader becomes current
  Fulfills = 2,      // i64 resolver, i64 task
  Fails = 3,         // i64 resolver, i64 task, text
  Becomes = 4,       // i64 old, i64 new
  Label = 5,         // i64 task, text
  Increase = 6,      // i64 task, i64 amount, text
  Switch = 7,        // i64 task; -1: sleeps
  Gc = 8,            // u64 nanoseconds
  Signal = 9,        // i64 receiver, i64 sender; the receiver becomes current
  TryRead = 10,      // i64 reader, i64 input
  Counter = 11,      // i64 task, i64 value, text
  ReadLater = 12,    // as Read, but no task becomes current
  SignalLater = 13,  // as Signal, but no task becomes current
};
inline constexpr size_t ops = 14;

// The format's names of the ops; both signals have the same name.
inline constexpr std::array<std::string_view, ops> op_names{
    "creates", "read", "fulfills", "fails",    "becomes", "label",      "increase",
    "switch",  "gc",   "signal",   "try_read", "counter", "read_later", "signal"};

// Size in bytes of time, op and fixed fields: the part before the string, or the whole event.
inline constexpr std::array<uint8_t, ops> op_sizes{26, 25, 25, 25, 25, 17, 25,
                                                   17, 17, 25, 25, 25, 25, 25};
inline constexpr size_t smallest_event = 17;
inline constexpr size_t largest_fixed = 26;

constexpr bool has_text(Op op) {
  return op == Op::Fails || op == Op::Label || op == Op::Increase || op == Op::Counter;
}

// By the number in Creates; Eio wrote 15 and above. All others are "unknown".
inline constexpr std::array<std::string_view, 20> task_kinds{
    "wait",  "task",      "bind",       "try",        "choose",         "pick",   "join",
    "map",   "condition", "on_success", "on_failure", "on_termination", "on_any", "ignore_result",
    "async", "promise",   "semaphore",  "switch",     "stream",         "mutex"};

// The label that marks a task as expected to end.
inline constexpr std::string_view should_resolve_label = "__should_resolve";

}  // namespace skein::mirage
