#include "record/core/emission.h"

#include "record/core/spin.h"

namespace skein::record {

Host host;
void (*relax)(uint32_t turn) = nullptr;

Reached extended_header(Writer& w, Reached from, unsigned id) {
  auto [at, now] = from;
  // Time must not go back in a stream, because a reader would assume a wrap of the 24 bits. A
  // thread that moved between processors may read a slightly lower count.
  if (static_cast<int64_t>(now - w.last) < 0) {
    now = w.last;
    store4(at, static_cast<uint32_t>(now) << 8 | id);
    return {at + format::kHeaderSize, now};
  }
  w.last = now;
  store4(at, id << 8 | format::k_extended);
  store8(at + 2, now);
  return {at + format::kExtendedHeaderSize, now};
}

// The packets of names and of signal handlers have no readings.
Reached put_cpu_time(Writer& w, Reached from) {
  if (w.timed == kUntimed) return from;
  w.timed = w.packets;
  format::CpuTime used;
  if ((w.flags & (format::kFlagNames | format::kFlagNested)) != 0 ||
      host.read_cpu_time == nullptr || !host.read_cpu_time(w, used))
    return from;
  Emission e(&w);
  e.continue_from(from);
  e.header(format::k_cpu_time);
  e.u64(used.ns);
  e.u32(used.blocked);
  e.u32(used.preempted);
  return e.reached();
}

char* put_text(char* at, const char* text, size_t size) {
  size_t length = 0;
  while (length < size && text[length] != 0) ++length;
  size_t copied = length;
  if (length > format::kMaxText) {
    copied = format::kMaxText - (sizeof format::kCutMark - 1);
    // Does not truncate within a UTF-8 character: continuation bytes are 10xxxxxx.
    while (copied > 0 && (static_cast<unsigned char>(text[copied]) & 0xC0) == 0x80) --copied;
  }
  // Volatile, so that no compiler replaces the loop by a call of memcpy, which a freestanding
  // program may not have.
  volatile char* to = at;
  for (size_t i = 0; i < copied; ++i) *to++ = text[i];
  if (copied < length)
    for (size_t i = 0; i < sizeof format::kCutMark - 1; ++i) *to++ = format::kCutMark[i];
  *to++ = 0;
  return const_cast<char*>(to);
}

namespace {

// Stores two words by one instruction, also in a kernel without vector registers, where the
// compiler would make two of a vector. Precondition: aligned to 16 bytes.
void store_pair(uint64_t* to, uint64_t first, uint64_t second) {
#if defined(__x86_64__) && !defined(__SSE2__)
  uint64_t low = to[0], high = to[1];
  asm volatile("1: lock cmpxchg16b %2\n\tjnz 1b"
               : "+a"(low), "+d"(high), "+m"(*reinterpret_cast<uint64_t(*)[2]>(to))
               : "b"(first), "c"(second)
               : "cc", "memory");
#elif defined(__aarch64__)
  asm volatile("stp %1, %2, %0"
               : "=Q"(*reinterpret_cast<uint64_t(*)[2]>(to))
               : "r"(first), "r"(second));
#else
  using Pair = uint64_t __attribute__((vector_size(16)));
  *reinterpret_cast<Pair*>(to) = Pair{first, second};
#endif
}

}  // namespace

void write_packet_header(const Writer& writer, char* chunk, uint64_t now, uint64_t monotonic_ns) {
  auto* header = reinterpret_cast<format::PacketHeader*>(chunk);
  constexpr uint64_t kEmpty = sizeof(format::PacketHeader) * 8;
  if (now < writer.last) now = writer.last;

  const uint64_t lock = __atomic_load_n(&header->lock, __ATOMIC_RELAXED) | 1;
  __atomic_store_n(&header->lock, lock, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  // The program may be killed after each of these stores. The packet becomes empty first, so that
  // it never has old events under a new header.
  __atomic_store_n(&header->content_size, kEmpty, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  // One instruction for both fields: a kill between two stores would leave a packet whose time and
  // number place it at different ends of the stream.
  static_assert(offsetof(format::PacketHeader, packet_seq_num) ==
                offsetof(format::PacketHeader, timestamp_begin) + 8);
  store_pair(&header->timestamp_begin, now, writer.packets);
  header->events_discarded = writer.discarded;
  header->current_task = writer.current;
  header->monotonic_ns = monotonic_ns;
  header->vtid = writer.tid;
  header->flags = writer.flags;
  __atomic_store_n(&header->lock, lock + 1, __ATOMIC_RELEASE);
}

void enter_packet(Writer& writer, char* chunk) {
  auto* header = reinterpret_cast<format::PacketHeader*>(chunk);
  ++writer.packets;
  writer.packet = header;
  writer.pos = chunk + sizeof(format::PacketHeader);
  writer.last = header->timestamp_begin;
}

}  // namespace skein::record
