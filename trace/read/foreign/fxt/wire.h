// The Fuchsia trace format, FXT: a sequence of records, each a multiple of 8 bytes, little-endian.
//
//    0      4          16                               64
//    +------+----------+---------------------------------+
//    | type | words    | ... by type                     |  the header; words includes it
//    +------+----------+---------------------------------+
//    | time, thread, strings, arguments ... by type      |
//
// String references have 16 bits: 0 is the empty string. If the highest bit is set, the others are
// its length in bytes, and the string follows in the record, padded to 8 bytes. Otherwise the
// reference is an index into the table that string records fill. A thread reference is 0 if process
// and thread follow as two words, otherwise an index into a table. An archive of several providers
// switches between their tables with metadata records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein::fxt {

// The first record of most files.
inline constexpr uint64_t magic = 0x0016'5478'4604'0010;

enum class RecordType : uint8_t {
  Metadata = 0,
  Initialization = 1,
  String = 2,
  Thread = 3,
  Event = 4,
  Blob = 5,
  UserObject = 6,
  KernelObject = 7,
  Scheduling = 8,
  Log = 9,
  Profiler = 10,
  Large = 15,
};
enum class MetadataType : uint8_t { ProviderInfo = 1, ProviderSection, ProviderEvent, TraceInfo };
enum class EventType : uint8_t {
  Instant,
  Counter,  // u64 id
  DurationBegin,
  DurationEnd,
  DurationComplete,  // u64 end
  AsyncBegin,        // u64 id, as for those below
  AsyncInstant,
  AsyncEnd,
  FlowBegin,
  FlowStep,
  FlowEnd,
};
inline constexpr size_t event_types = 11;
inline constexpr std::array<std::string_view, event_types> event_names{
    "instant",           "counter",     "duration_begin", "duration_end",
    "duration_complete", "async_begin", "async_instant",  "async_end",
    "flow_begin",        "flow_step",   "flow_end"};
// Whether a word follows the arguments.
constexpr bool has_id(EventType type) {
  return type == EventType::Counter || type >= EventType::DurationComplete;
}
enum class SchedulingType : uint8_t { LegacyContextSwitch, ContextSwitch, Wakeup };
enum class ArgumentType : uint8_t {
  Null,
  Int32,
  Uint32,
  Int64,
  Uint64,
  Double,
  String,
  Pointer,
  Koid,
  Bool,
};
inline constexpr uint32_t process_object = 1;  // types of kernel objects
inline constexpr uint32_t thread_object = 2;

inline constexpr size_t most_words = 4095;
inline constexpr size_t longest_text = 32000;  // bytes, by the specification
inline constexpr size_t most_arguments = 15;

// Bits [low, low + count) of a word.
constexpr uint64_t bits(uint64_t word, unsigned low, unsigned count) {
  return word >> low & ((uint64_t{1} << count) - 1);
}
constexpr size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

// The category in which skein's exporter stores events of the model completely, and that of the
// events it adds for other tools' viewers.
inline constexpr std::string_view own_category = "skein";
inline constexpr std::string_view view_category = "skein.view";

}  // namespace skein::fxt
