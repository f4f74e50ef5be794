#include "cli/output/live_copy.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "base/escape.h"
#include "base/text.h"
#include "trace/read/ctf/chunk.h"

namespace skein::cli {

namespace {

struct Chunk {
  std::string name;
  std::vector<uint8_t> bytes;
  uint64_t sequence = 0;
  bool is_empty = true;
};

template <typename T>
void store(std::vector<uint8_t>& bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Makes the copy a valid packet: it ends where its content does, and is not locked.
void finalize_packet(std::vector<uint8_t>& bytes, const ctf::PacketHeader& header) {
  using Header = format::PacketHeader;
  const uint64_t bits = std::min<uint64_t>(header.content_bits / 8, bytes.size()) * 8;
  store(bytes, offsetof(Header, content_size), bits);
  store(bytes, offsetof(Header, packet_size), bytes.size() * uint64_t{8});
  store(bytes, offsetof(Header, lock), header.lock & ~uint64_t{1});
}

Chunk copy(Files& files, const std::string& directory, const std::string& name,
           CopyReport& report) {
  Chunk chunk{.name = name, .bytes = {}};
  const auto contents = ctf::copy_chunk(files, directory + "/" + name);
  if (!contents) {
    report.unreadable.push_back(name + ": " + contents.error().what);
    return chunk;
  }
  chunk.bytes.assign(contents->bytes().begin(), contents->bytes().end());
  const auto header = ctf::read_packet_header(chunk.bytes);
  if (!header) {  // empty, or not written by the recorder
    if (!chunk.bytes.empty()) report.unreadable.push_back(name + ": no packet begins here");
    chunk.bytes.clear();
    return chunk;
  }
  finalize_packet(chunk.bytes, *header);
  chunk.sequence = header->sequence;
  chunk.is_empty = chunk.bytes.size() <= ctf::packet_header_size;
  return chunk;
}

// Returns the number of packets missing between the oldest and the newest of a stream.
uint64_t gap_in(const std::vector<Chunk>& chunks) {
  uint64_t oldest = UINT64_MAX, newest = 0, count = 0;
  for (const Chunk& chunk : chunks) {
    if (chunk.is_empty && chunk.sequence == 0) continue;
    oldest = std::min(oldest, chunk.sequence);
    newest = std::max(newest, chunk.sequence);
    count++;
  }
  return count == 0 || newest - oldest < count ? 0 : newest - oldest + 1 - count;
}

// "s00003" of "s00003-1"
std::string stream_of(const std::string& chunk) { return chunk.substr(0, chunk.rfind('-')); }

void copy_stream(Files& files, const std::string& directory, std::vector<std::string> names,
                 TraceDirectoryWriter& to, CopyReport& report) {
  constexpr unsigned most_tries = 10;
  std::vector<Chunk> best;
  uint64_t least = UINT64_MAX;
  CopyReport of_best;
  for (unsigned i = 0; i < most_tries && least > 0; i++) {
    if (i > 0) {  // the ring may have grown
      auto entries = files.list(directory);
      if (!entries) break;
      std::erase_if(*entries, [&](const std::string& entry) {
        return stream_of(entry) != stream_of(names.front());
      });
      if (!entries->empty()) names = *std::move(entries);
    }
    std::vector<Chunk> chunks;
    CopyReport tried;
    for (const std::string& name : names) chunks.push_back(copy(files, directory, name, tried));
    const uint64_t gap = gap_in(chunks);
    if (gap < least) {
      least = gap;
      best = std::move(chunks);
      of_best = std::move(tried);
    }
  }
  report.overtaken += least;
  for (std::string& what : of_best.unreadable) report.unreadable.push_back(std::move(what));
  for (const Chunk& chunk : best) {
    if (chunk.bytes.empty()) continue;
    to.write(chunk.name, chunk.bytes);
    if (!chunk.is_empty) report.packets++;
  }
}

// Writes the rows that could be read under their locks to a new table.
void copy_tasks(Files& files, const std::string& directory,
                const std::optional<ctf::TaskTableSnapshot>& earlier, const FinishTable& finish,
                TraceDirectoryWriter& to, CopyReport& report) {
  const std::string path = directory + "/.tasks";
  if (files.type(path) != FileType::File) return;
  auto table = ctf::read_task_table(files, path);
  if (!table) {
    report.unreadable.push_back(".tasks: " + table.error().what);
    return;
  }
  if (earlier) ctf::intersect_tasks(*table, *earlier);
  finish(*table);
  table->enabled = false;
  to.write(".tasks", ctf::encode(*table));
  if (table->unstable)
    report.unreadable.push_back(counted(table->unstable, "row") + " of the task table");
}

}  // namespace

Result<CopyReport> copy_trace(Files& files, const std::string& from, TraceDirectoryWriter& to,
                              const FinishTable& finish) {
  const auto entries = files.list(from);
  if (!entries) return entries.error();
  std::map<std::string, std::vector<std::string>> streams;
  std::vector<std::string> names;
  for (const std::string& entry : *entries) {
    if (entry.starts_with('.') || entry == "metadata") continue;
    if (files.type(from + "/" + entry) != FileType::File) continue;
    if (entry.starts_with("names-"))
      names.push_back(entry);
    else
      streams[stream_of(entry)].push_back(entry);
  }
  CopyReport report;
  report.streams = streams.size();
  const auto earlier = ctf::read_ring_tasks(files, from);
  for (const auto& [prefix, chunks] : streams) copy_stream(files, from, chunks, to, report);
  // Each chunk alone: definitions are only added, and those present after the events are enough.
  const uint64_t packets = report.packets;
  for (const std::string& name : names) copy_stream(files, from, {name}, to, report);
  report.packets = packets;
  copy_tasks(files, from, earlier, finish, to, report);
  return report;
}

void print_report(const CopyReport& report) {
  std::fprintf(stderr, "skein: %s, %s copied\n", counted(report.streams, "stream").c_str(),
               counted(report.packets, "packet").c_str());
  if (report.overtaken)
    std::fprintf(stderr, "skein: %s overwritten during the copy\n",
                 counted(report.overtaken, "packet").c_str());
  for (const std::string& what : report.unreadable)
    std::fprintf(stderr, "skein: not copied: %s\n", escaped(what).c_str());
}

}  // namespace skein::cli
