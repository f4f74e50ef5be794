// Makes room for events: windows of a chunk, chunks of a stream.
//
//   ring:  s00003-0  s00003-1 .. s00003-7   created one by one, then recycled oldest first; more
//                                           are added while it reaches back too little (growth.h)
//   log:   s00003-0  s00003-1 ..            256 KiB, twice as large each time up to 4 MiB
//
// A chunk is one file and one packet. A window is a part of a chunk whose pages are made resident
// together: the first touch of a page costs 1.3 to 2.8 us alone and a tenth of that in a batch, and
// a ring that is hardly used should not become resident.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "record/core/emission.h"
#include "record/host/posix/growth.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr size_t kFirstLogChunk = size_t{256} << 10;
constexpr size_t kLastLogChunk = size_t{4} << 20;
constexpr size_t kFirstNamesChunk = size_t{64} << 10;
constexpr size_t kFirstWindow = size_t{16} << 10;

struct NewChunk {
  const Writer* writer;
  size_t size;
  uint64_t now;
};

void fill_header(char* chunk, void* argument) {
  const auto& fresh = *static_cast<NewChunk*>(argument);
  auto& header = *reinterpret_cast<format::PacketHeader*>(chunk);
  header.magic = format::kPacketMagic;
  memcpy(header.uuid, files_of(*fresh.writer).uuid, sizeof header.uuid);
  header.stream_instance = fresh.writer->stream;
  header.content_size = sizeof header * 8;
  header.packet_size = fresh.size * 8;
  header.timestamp_begin = fresh.now;
  header.format_version = format::kVersion;
  header.flags = fresh.writer->flags;
  write_packet_header(*fresh.writer, chunk, fresh.now, monotonic_ns(files_of(*fresh.writer).clock));
}

bool keeps_all(const Writer& w) { return (w.flags & (format::kFlagNames | format::kFlagLog)) != 0; }

// The size of the next chunk of a log, or of names.
size_t size_of_next(const Writer& w) {
  if (files_of(w).all_at_start) return kLastLogChunk;
  size_t size = (w.flags & format::kFlagNames) != 0 ? kFirstNamesChunk : kFirstLogChunk;
  for (unsigned i = 0; i < w.chunks && size < kLastLogChunk; ++i) size *= 2;
  return size;
}

// Makes a chunk current, whose packet header is written. In log mode `chunks` counts the files, but
// only the newest is written to; its index is 0. Older ones are unmapped, except those of names,
// whose strings are looked up in place.
void enter_chunk(Writer& w, unsigned index, char* base, size_t size, size_t window, uint64_t now) {
  w.bases[index] = base;
  w.sizes[index] = size;
  w.chunk = index;
  w.broken = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // its file may be truncated now (bus_error.cc)
  enter_packet(w, base);
  w.begun[index] = w.packets;
  w.since[index] = now;
  w.window_end = base + window;
  store_shadow_chunk(w, base, size);
}

// Keeps the current chunk of names at another index, because its strings are looked up in place: it
// must be known when its file is truncated. One that was replaced by private memory is forgotten.
void keep_names(Writer& w) {
  const auto is_free = [&](unsigned i) {
    return w.bases[i] == nullptr || (w.dead & uint64_t{1} << i) != 0;
  };
  if (is_free(0)) return;
  unsigned index = 1;
  while (index < kMaxChunks && !is_free(index)) ++index;
  if (index == kMaxChunks) {
    // Only if files were truncated again and again. The strings of one chunk are defined again.
    index = 1;
    if (!replace_by_private_memory(w.bases[index], w.sizes[index])) return;
  }
  w.bases[index] = w.bases[0];
  w.sizes[index] = w.sizes[0];
  w.dead &= ~(uint64_t{1} << index);
}

// Adds a chunk at `index`: after the others, or instead of one whose file is gone. Fails as well if
// the new file is truncated at once: the next attempt is later, so that this always ends.
bool add_chunk(Writer& w, unsigned index, size_t size, uint64_t now) {
  const size_t window = w.chunks == 0 ? kFirstWindow : (size < kWindow ? size : kWindow);
  Text name;
  if ((w.flags & format::kFlagNames) != 0)
    name.add("names-");
  else
    name.add("s").add(w.stream, 5).add("-");
  name.add(w.files);
  NewChunk fresh = {&w, size, now};
  char* base = make_file(files_of(w), name.data, size, size, window, fill_header, &fresh);
  if (base == nullptr) return false;
  ++w.files;
  if ((w.flags & format::kFlagNames) != 0) keep_names(w);
  char* old = w.bases[index];
  const size_t old_size = w.sizes[index];
  w.dead &= ~(uint64_t{1} << index);
  enter_chunk(w, index, base, size, window, now);
  const bool truncated = !end_own_mapping();
  if (truncated) {
    w.dead |= uint64_t{1} << index;
    w.broken = 1;
  }
  if (keeps_all(w) || index == w.chunks) ++w.chunks;
  if (old != nullptr && (w.flags & format::kFlagNames) == 0) munmap(old, old_size);
  return !truncated;
}

// Recycles a chunk. The kernel may have written its pages to disk and made them read-only, so they
// are touched again, window by window.
bool recycle_chunk(Writer& w, unsigned index, uint64_t now) {
  char* base = w.bases[index];
  const size_t size = w.sizes[index];
  const size_t window = size < kWindow ? size : kWindow;
  if (!touch(base, window)) return false;
  write_packet_header(w, base, now, monotonic_ns(files_of(w).clock));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if ((w.dead & uint64_t{1} << index) != 0) return false;  // its file was truncated just now
  enter_chunk(w, index, base, size, window, now);
  return true;
}

// The oldest chunk of those that became current after packet `after`. Their order is not that of
// their indices if a file could not be created at first.
unsigned oldest_chunk(const Writer& w, uint64_t after) {
  unsigned oldest = w.chunk;
  for (unsigned i = 0; i < w.chunks; ++i)
    if (w.begun[i] > after && w.begun[i] < w.begun[oldest]) oldest = i;
  return oldest;
}

void note_shortened(Writer& w) {
  if (w.shortened) return;
  w.shortened = true;
  lose(format::kLoss_ring_shortened);
}

// Counts the bytes of a ring's new chunk, and returns true if the process may use them.
bool take_bytes(const TraceFiles& files, uint64_t size, uint64_t most) {
  const uint64_t before = __atomic_fetch_add(&files.ring_bytes, size, __ATOMIC_RELAXED);
  if (before + size <= most) return true;
  __atomic_fetch_sub(&files.ring_bytes, size, __ATOMIC_RELAXED);
  return false;
}

// Adds a chunk to a full ring that would reach back less than `keep` if its oldest were recycled.
// Returns false if it reaches back far enough, or may not or cannot grow.
bool grow(Writer& w, uint64_t now) {
  const TraceFiles& files = files_of(w);
  if (files.keep == 0 || w.chunks == kMaxChunks || now < w.grow_at) return false;
  const unsigned second = oldest_chunk(w, w.begun[oldest_chunk(w, 0)]);
  if (now - w.since[second] >= files.keep) return false;
  uint64_t bytes = 0;
  for (unsigned i = 0; i < w.chunks; ++i) bytes += w.sizes[i];
  const uint64_t all = __atomic_load_n(&files.ring_bytes, __ATOMIC_RELAXED);
  uint64_t largest = all < files.growth.most ? files.growth.most - all : 0;
  if (largest > largest_file()) largest = largest_file();
  const size_t size = size_of_grown(files.growth, bytes, files.chunk_size, largest);
  if (size == 0 || !take_bytes(files, size, files.growth.most)) return false;
  if (add_chunk(w, w.chunks, size, now)) return true;
  __atomic_fetch_sub(&files.ring_bytes, uint64_t{size}, __ATOMIC_RELAXED);
  w.grow_at = now + files.clock.ticks_per_second;
  note_shortened(w);
  return false;
}

bool next_chunk(Writer& w, uint64_t now) {
  if (now < w.retry_at) return false;
  const TraceFiles& files = files_of(w);
  if (keeps_all(w)) {
    if (add_chunk(w, 0, size_of_next(w), now)) return true;
  } else {
    if (w.chunks >= files.ring_chunks) {
      if (grow(w, now)) return true;
    } else if (add_chunk(w, w.chunks, files.chunk_size, now)) {
      take_bytes(files, files.chunk_size, UINT64_MAX);
      return true;
    }
    // The oldest. A smaller ring than configured is better than none, and is counted.
    uint64_t tried = 0;
    for (unsigned i = 0; i < w.chunks; ++i) {
      const unsigned index = oldest_chunk(w, tried);
      tried = w.begun[index];
      const bool dead = (w.dead & uint64_t{1} << index) != 0;
      if (!(dead ? add_chunk(w, index, w.sizes[index], now) : recycle_chunk(w, index, now)))
        continue;
      if (w.chunks < files.ring_chunks) note_shortened(w);
      return true;
    }
  }
  w.retry_at = now + files_of(w).clock.ticks_per_second;
  return false;
}

void discard(Writer& w) {
  ++w.discarded;
  if (w.packet != nullptr)
    __atomic_store_n(&w.packet->events_discarded, w.discarded, __ATOMIC_RELAXED);
}

bool has_room(const Writer& w, size_t need) {
  return w.broken == 0 && w.pos != nullptr && static_cast<size_t>(w.window_end - w.pos) >= need;
}

// Precondition: signals are blocked, because a handler that forks or leaves by longjmp would leave
// a stream without a chunk. Returns false if there is no chunk.
bool make_room_in(Writer& w, uint64_t now, size_t need) {
  for (;;) {
    if (w.broken != 0) {
      // The chunk's file was truncated (bus_error.cc). Readers count its events.
      w.broken = 0;
      w.window_end = w.pos;
      if (w.chunks > 0) w.window_end = w.bases[w.chunk] + w.sizes[w.chunk];
      w.pos = w.window_end;
    }
    if (has_room(w, need)) {
      set_limit(w, w.window_end - kPlainMargin + 1);
      return true;
    }
    char* end = w.chunks > 0 ? w.bases[w.chunk] + w.sizes[w.chunk] : nullptr;
    if (w.pos != nullptr && w.window_end < end) {
      const size_t rest = static_cast<size_t>(end - w.window_end);
      const size_t more = rest < kWindow ? rest : kWindow;
      if (touch(w.window_end, more)) {
        w.window_end += more;
        continue;
      }
    }
    if (!next_chunk(w, now)) {
      set_limit(w, nullptr);
      return false;
    }
  }
}

Writer* give_up(Writer* writer) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  writer->in_use = 0;
  return nullptr;
}

}  // namespace

bool open_stream(Writer& writer) {
  if (limit_of(writer) != nullptr && writer.pos < limit_of(writer)) return true;
  return make_room_in(writer, read_ticks(writer.counter), kPlainMargin);
}

// Enters the chunks one after another. Those before the last are empty packets, which readers know
// from threads that record nothing, and are recycled first.
bool open_whole_ring(Writer& writer) {
  while (writer.chunks < files_of(writer).ring_chunks)
    if (!add_chunk(writer, writer.chunks, files_of(writer).chunk_size, read_ticks(writer.counter)))
      return false;
  return open_stream(writer);
}

// The thread that stops the trace clears the flag before it removes the room: either the flag is
// seen here, or the room is removed after this. A flag that is set may be that of a newer trace, so
// the generation is read after it.
void close_if_stopped(Writer& writer) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!is_on() || writer.generation != generation_now()) set_limit(writer, nullptr);
}

Writer* make_room(Writer* writer, uint64_t now, bool text) {
  ErrnoGuard errno_guard;
  if ((writer->flags & format::kFlagNames) == 0 && writer->generation != generation_now()) {
    // The writer belongs to an older trace, or was cleared by a fork.
    if ((writer->flags & format::kFlagNested) != 0) return give_up(writer);
    Writer* old = writer;
    set_writer(nullptr);
    Writer* fresh = attach();
    const uint32_t mark = old->in_use;
    old->in_use = 0;
    if (fresh == nullptr) return nullptr;
    fresh->in_use = mark;
    writer = fresh;
  }
  const size_t need = text ? kTextMargin : kPlainMargin;
  if (has_room(*writer, need) && limit_of(*writer) != nullptr) return writer;
  BlockSignals block;
  const uint64_t packets = writer->packets;
  if (!make_room_in(*writer, now, need)) {
    discard(*writer);
    return give_up(writer);
  }
  close_if_stopped(*writer);
  // Prepares a stream (40 us) for the first event of the next thread, at the cost of this one.
  if (writer->packets != packets && (writer->flags & format::kFlagNames) == 0) keep_spare_stream();
  return writer;
}

}  // namespace skein::record
