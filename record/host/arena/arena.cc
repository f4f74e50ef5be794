#include "record/host/arena/arena.h"

#include <skein/arena.h>
#include <skein/format.h>
#include <skein/unikernel.h>

#include "record/core/emission.h"
#include "record/host/arena/executor.h"

extern "C" {
alignas(4096) unsigned char skein_page[4096];
}

namespace skein::record {

ArenaState state;

namespace {

constinit Writer no_writer = {.in_use = 1};

}  // namespace

Writer* this_writer = nullptr;
Writer* plain_writer = &no_writer;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr size_t kPage = format::kArenaPage;

Writer vcpu;
Writer interrupts;
Writer definitions;
Names names;
TaskTable table;
ArenaPlan plan;
format::ArenaHeader* header = nullptr;
size_t used = 0;  // bytes of the arena
uint64_t next_id = 1;

constexpr size_t round_down(size_t size) { return size / kPage * kPage; }
constexpr size_t round_up(size_t size) { return round_down(size + kPage - 1); }

uint64_t monotonic_at(uint64_t ticks) {
  const uint64_t rate = state.clock.ticks_per_second;
  const uint64_t since = ticks - state.clock.ticks;
  return since / rate * kSecond + since % rate * kSecond / rate;
}

// Takes memory for a file, which readers see after show_region(). Null: the arena is full.
char* take_region(const char* name, size_t size) {
  if (header->regions >= format::kMostRegions || header->size - used < size) return nullptr;
  format::ArenaRegion& region = header->region[header->regions];
  for (size_t i = 0; i + 1 < sizeof region.name && name[i] != 0; ++i) region.name[i] = name[i];
  region.offset = used;
  region.size = size;
  char* memory = reinterpret_cast<char*>(header) + used;
  used += size;
  return memory;
}
void show_region() { __atomic_store_n(&header->regions, header->regions + 1, __ATOMIC_RELEASE); }

void enter_chunk(Writer& w, unsigned index, char* base, size_t size) {
  enter_packet(w, base);
  w.bases[index] = base;
  w.sizes[index] = size;
  w.chunk = index;
  w.window_end = base + size;
}

// A kill of the guest at any time leaves regions that are valid packets: one is counted after it is
// filled.
bool add_chunk(Writer& w, size_t size, uint64_t now) {
  char name[format::kRegionName] = "names-0";
  if ((w.flags & format::kFlagNames) == 0) {
    constexpr char kChunk[format::kRegionName] = "s00000-0";
    __builtin_memcpy(name, kChunk, sizeof name);
    name[5] = static_cast<char>('0' + w.stream);
    if (w.chunks < 10) {
      name[7] = static_cast<char>('0' + w.chunks);
    } else {
      name[7] = static_cast<char>('0' + w.chunks / 10);
      name[8] = static_cast<char>('0' + w.chunks % 10);
    }
  }
  char* base = take_region(name, size);
  if (base == nullptr) return false;
  auto* packet = reinterpret_cast<format::PacketHeader*>(base);
  packet->magic = format::kPacketMagic;
  __builtin_memcpy(packet->uuid, header->uuid, sizeof packet->uuid);
  packet->stream_instance = w.stream;
  packet->packet_size = size * 8;
  packet->format_version = format::kVersion;
  write_packet_header(w, base, now, monotonic_at(now));
  enter_chunk(w, w.chunks++, base, size);
  show_region();
  return true;
}

bool next_chunk(Writer& w, uint64_t now) {
  const bool is_names = (w.flags & format::kFlagNames) != 0;
  const bool is_nested = (w.flags & format::kFlagNested) != 0;
  const uint32_t most = is_names ? 1 : is_nested ? kNestedChunks : plan.chunks;
  const size_t size = is_names ? plan.names : is_nested ? plan.nested_chunk : plan.chunk;
  if (w.chunks < most && add_chunk(w, size, now)) return true;
  if (is_names || w.chunks == 0) return false;
  const unsigned oldest = (w.chunk + 1) % w.chunks;
  write_packet_header(w, w.bases[oldest], now, monotonic_at(now));
  enter_chunk(w, oldest, w.bases[oldest], w.sizes[oldest]);
  return true;
}

bool has_room(const Writer& w, size_t need) {
  return w.pos != nullptr && static_cast<size_t>(w.window_end - w.pos) >= need;
}

// An interrupt during this uses the other stream.
Writer* make_room(Writer* writer, uint64_t now, bool text) {
  const BlockSignals block;
  Writer& w = *writer;
  const size_t need = text ? kTextMargin : kPlainMargin;
  if (has_room(w, need) || (next_chunk(w, now) && has_room(w, need))) {
    set_limit(w, w.window_end - kPlainMargin + 1);
    return writer;
  }
  ++w.discarded;
  if (w.packet != nullptr)
    __atomic_store_n(&w.packet->events_discarded, w.discarded, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  w.in_use = 0;
  return nullptr;
}

uint64_t take_ids() { return __atomic_fetch_add(&next_id, uint64_t{kIdBlock}, __ATOMIC_RELAXED); }

void protect_from_interrupts(void (*body)(void*), void* argument) {
  const BlockSignals block;
  body(argument);
}

void prepare(Writer& w, uint64_t stream, uint32_t flags) {
  w.stream = stream;
  w.flags = flags;
  w.generation = 1;
  w.names = &names;
  w.table = &table;
  w.rows = table.rows;
  w.tid = 1;
}

void make_table(const format::ArenaHeader& facts) {
  char* memory = take_region(".tasks", format::kTableHeaderSize + plan.rows * sizeof(TaskRow));
  table.header = reinterpret_cast<format::TaskTableHeader*>(memory);
  table.rows = reinterpret_cast<TaskRow*>(memory + format::kTableHeaderSize);
  table.capacity = plan.rows;
  table.reserved = plan.rows;
  table.header->magic = format::kTableMagic;
  table.header->version = format::kVersion;
  table.header->row_size = sizeof(TaskRow);
  table.header->rows = plan.rows;
  table.header->rows_used = 1;
  table.header->start_ticks = facts.ticks;
  table.header->enabled = 1;
  table.header->ring_bytes = plan.chunk * plan.chunks;
  show_region();
  state.table = &table;
}

void set_uuid(uint8_t (&uuid)[16], uint64_t realtime_ns, uint64_t address) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15ull;
  uint64_t words[2] = {read_tsc() * kOdd, (realtime_ns ^ address << 1) * kOdd};
  words[1] ^= read_tsc() * kOdd >> 7;
  __builtin_memcpy(uuid, words, sizeof uuid);
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0f) | 0x40);  // RFC 4122: random
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3f) | 0x80);
}

// The text up to its end, in `to`, which ends in a 0.
template <size_t size>
void copy_text(char (&to)[size], const char* text) {
  size_t i = 0;
  for (; text != nullptr && text[i] != 0 && i + 1 < size; ++i)
    static_cast<volatile char&>(to[i]) = text[i];
  static_cast<volatile char&>(to[i]) = 0;
}

void start(const skein_arena& arena) {
  header = static_cast<format::ArenaHeader*>(arena.memory);
  used = kPage;
  header->version = format::kArenaVersion;
  header->address = arena.physical;
  header->size = arena.size;
  set_uuid(header->uuid, arena.realtime_ns, arena.physical);
#if defined(__aarch64__)
  header->clock = static_cast<uint32_t>(format::ArenaClock::kCounter);
  header->ticks_per_second = arena.counts_per_second;  // read_tsc() shifts it
#else
  header->clock = static_cast<uint32_t>(format::ArenaClock::kTsc);
  header->ticks_per_second = arena.counts_per_second >> format::kTickShift;
#endif
  header->flags = arena.rate_may_vary != 0 ? uint32_t{format::kArenaVariantRate} : 0;
  header->ticks = read_ticks(nullptr);
  header->realtime_ns = arena.realtime_ns;
  copy_text(header->procname, arena.name);
  state.clock = {header->ticks_per_second, header->ticks, 0};
  host = {.make_room = make_room,
          .take_ids = take_ids,
          .read_cpu_time = nullptr,
          .protect = protect_from_interrupts};
  make_table(*header);
  prepare(definitions, format::kNamesStream, format::kFlagNames);
  names.stream = &definitions;
  state.names = &names;
  state.generation = 1;
  prepare(vcpu, 0, 0);
  prepare(interrupts, 1, format::kFlagNested);
  vcpu.nested = &interrupts;
  this_writer = &vcpu;
  plain_writer = &vcpu;
  if (arena.realtime_ns != 0) define_clock_pair(names, header->ticks, 0, arena.realtime_ns, 0);
  header->magic[1] = format::kArenaMagicSecond;
  __atomic_store_n(&header->magic[0], format::kArenaMagicFirst, __ATOMIC_RELEASE);
  __atomic_store_n(skein_page, 1, __ATOMIC_RELEASE);
}

}  // namespace

Writer* attach() { return this_writer; }

ArenaPlan plan_arena(size_t size, uint32_t tasks) {
  constexpr size_t kSmallest = 64 << 10;
  constexpr size_t kHead = format::kTableHeaderSize;
  if (size < kSmallest || size % kPage != 0 || size > format::kLargestArena) return {};
  ArenaPlan p;
  size_t rest = size - kPage;
  const size_t table_size =
      tasks != 0 ? round_up(kHead + size_t{tasks} * sizeof(TaskRow)) : round_up(kHead + size / 8);
  if (table_size > size / 2) return {};
  p.rows = static_cast<uint32_t>((table_size - kHead) / sizeof(TaskRow));
  rest -= table_size;
  constexpr size_t kMostNames = 1 << 20;
  p.names = round_up(size / 8 < kMostNames ? size / 8 : kMostNames);
  rest -= p.names;
  constexpr size_t kMostNested = 64 << 10;
  const size_t nested = round_down(size / 64);
  p.nested_chunk = nested < kPage ? kPage : nested < kMostNested ? nested : kMostNested;
  // The small arena keeps its memory for the program's own events.
  const size_t nested_size = p.nested_chunk * kNestedChunks;
  rest -= nested_size;
  p.chunks = size >= (512u << 10) ? 8 : 4;
  p.chunk = round_down(rest / p.chunks);
  return p;
}

}  // namespace skein::record

using namespace skein::record;

extern "C" {

int skein_arena_start(const skein_arena* arena) {
  constexpr int kInvalid = 22, kAlready = 114;
  if (state.generation != 0) return kAlready;
  const auto address = reinterpret_cast<uintptr_t>(arena->memory);
  plan = plan_arena(arena->size, arena->tasks);
  if (plan.chunk == 0 || address % skein::format::kArenaPage != 0 ||
      arena->physical % skein::format::kArenaPage != 0 || arena->counts_per_second == 0)
    return kInvalid;
  start(*arena);
  return 0;
}

void skein_arena_note(const char* text) {
  if (header == nullptr) return;
  copy_text(header->note, text);
  __atomic_store_n(&header->note_ticks, read_ticks(nullptr), __ATOMIC_RELEASE);
}

}  // extern "C"
