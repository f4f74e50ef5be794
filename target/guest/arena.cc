#include "target/guest/arena.h"

#include <skein/metadata.h>

#include <algorithm>

#include "base/cursor.h"

namespace skein {

namespace {

constexpr uint64_t kPage = format::kArenaPage;
constexpr uint64_t kNanoseconds = 1'000'000'000;

Error lies(const std::string& what) { return Error{.what = "damaged arena: " + what}; }

// The text before the first 0, or all of it.
std::string text_of(std::span<const uint8_t> bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  return {bytes.begin(), end};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The names of files that the recorder writes, and no others: a name becomes a path.
bool is_file_name(std::string_view name) {
  if (name.size() >= format::kRegionName) return false;  // without the 0 at its end
  if (name == ".tasks") return true;
  if (name.starts_with("names-")) return is_number(name.substr(6));
  const size_t dash = name.find('-');
  return name.starts_with('s') && dash != name.npos && is_number(name.substr(1, dash - 1)) &&
         is_number(name.substr(dash + 1));
}

// What is wrong with the file, beside the earlier ones; empty: nothing.
std::string wrong_with(const ArenaFile& file, const Arena& arena) {
  if (!is_file_name(file.name)) return "a region has no name of a trace's file";
  if (file.offset % kPage != 0 || file.size % kPage != 0 || file.size == 0)
    return "region " + file.name + " does not consist of pages";
  if (file.offset < kPage || file.offset > arena.size || file.size > arena.size - file.offset)
    return "region " + file.name + " is outside the arena";
  for (const ArenaFile& other : arena.files) {
    if (other.name == file.name) return "two regions are named " + file.name;
    if (file.offset < other.offset + other.size && other.offset < file.offset + file.size)
      return "regions " + other.name + " and " + file.name + " overlap";
  }
  return {};
}

std::string wrong_with(const Arena& arena) {
  if (arena.address % kPage != 0) return "its address is not that of a page";
  if (arena.size % kPage != 0 || arena.size < 2 * kPage || arena.size > format::kLargestArena)
    return "its size is " + std::to_string(arena.size) + " bytes";
  if (arena.address > UINT64_MAX - arena.size) return "it ends after the last address";
  if (arena.clock != format::ArenaClock::kTsc && arena.clock != format::ArenaClock::kCounter)
    return "its clock is unknown";
  constexpr uint64_t most = uint64_t{1} << 40;
  if (arena.ticks_per_second == 0 || arena.ticks_per_second > most)
    return "its clock has " + std::to_string(arena.ticks_per_second) + " ticks per second";
  return {};
}

// UTC of tick 0, in whole seconds and ticks. 0 if it is unknown.
void set_offset(const Arena& arena, format::MetadataInfo& info) {
  if (arena.realtime_ns == 0) return;
  const uint64_t rate = arena.ticks_per_second;
  const uint64_t seconds = arena.realtime_ns / kNanoseconds;
  // Below 2^40 * 10^9, which does not fit into 64 bits.
  __extension__ using Wide = unsigned __int128;
  const auto part =
      static_cast<uint64_t>(Wide{arena.realtime_ns % kNanoseconds} * rate / kNanoseconds);
  const uint64_t passed = arena.ticks / rate, rest = arena.ticks % rate;
  info.offset_s = static_cast<int64_t>(seconds) - static_cast<int64_t>(passed);
  info.offset = part;
  if (info.offset < rest) {
    info.offset += rate;
    info.offset_s--;
  }
  info.offset -= rest;
}

}  // namespace

bool has_arena_magic(std::span<const uint8_t> page) {
  Cursor bytes(page);
  const uint64_t first = bytes.u64(), second = bytes.u64();
  return !bytes.failed() && first == format::kArenaMagicFirst &&
         second == format::kArenaMagicSecond;
}

Result<Arena> read_arena(std::span<const uint8_t> page) {
  if (page.size() < kPage) return Error{.what = "arena header truncated"};
  if (!has_arena_magic(page)) return Error{.what = "no arena begins here"};
  Cursor bytes(page);
  bytes.skip(sizeof(format::ArenaHeader::magic));
  const uint32_t version = bytes.u32(), regions = bytes.u32();
  if (version != format::kArenaVersion)
    return Error{.what = "arena of version " + std::to_string(version),
                 .advice = "this skein reads version " + std::to_string(format::kArenaVersion)};
  Arena arena{.address = bytes.u64(), .size = bytes.u64(), .files = {}};
  const auto uuid = bytes.bytes(arena.uuid.size());
  std::copy(uuid.begin(), uuid.end(), arena.uuid.begin());
  arena.clock = static_cast<format::ArenaClock>(bytes.u32());
  arena.rate_may_vary = (bytes.u32() & format::kArenaVariantRate) != 0;
  arena.ticks = bytes.u64();
  arena.monotonic_ns = bytes.u64();
  arena.realtime_ns = bytes.u64();
  arena.ticks_per_second = bytes.u64();
  bytes.skip(sizeof(format::ArenaHeader::control) + sizeof(format::ArenaHeader::beacon));
  arena.note_ticks = bytes.u64();
  arena.note = text_of(bytes.bytes(sizeof(format::ArenaHeader::note)));
  arena.program = text_of(bytes.bytes(sizeof(format::ArenaHeader::procname)));
  bytes.skip(sizeof(format::ArenaHeader::reserved));
  if (const std::string wrong = wrong_with(arena); !wrong.empty()) return lies(wrong);
  if (regions > format::kMostRegions) return lies(std::to_string(regions) + " regions");
  for (uint32_t i = 0; i < regions; i++) {
    ArenaFile file{.name = text_of(bytes.bytes(format::kRegionName)),
                   .offset = bytes.u64(),
                   .size = bytes.u64()};
    if (const std::string wrong = wrong_with(file, arena); !wrong.empty()) return lies(wrong);
    arena.files.push_back(std::move(file));
  }
  if (bytes.failed()) return Error{.what = "arena header truncated"};
  return arena;
}

std::string arena_metadata(const Arena& arena, const std::string& guest) {
  std::string boot = "arena-";  // no other trace counts from this boot
  for (const uint8_t byte : arena.uuid)
    for (const int digit : {byte >> 4, byte & 15})
      boot += "0123456789abcdef"[static_cast<size_t>(digit)];
  format::MetadataInfo info{};
  std::copy(arena.uuid.begin(), arena.uuid.end(), std::begin(info.uuid));
  info.clock = "tsc";
  info.frequency = arena.ticks_per_second;
  set_offset(arena, info);
  info.precision = arena.ticks_per_second;  // clocks with a battery count seconds
  info.hostname = guest.c_str();
  info.boot_id = boot.c_str();
  info.procname = arena.program.c_str();
  info.pid = 0;  // no process
  info.mode = "ring";
  std::string text;
  format::write_metadata(info, [&](const char* piece, size_t size) { text.append(piece, size); });
  return text;
}

}  // namespace skein
