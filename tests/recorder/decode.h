// A second decoder of skein traces, for tests of the recorder: written from skein/format.h only, so
// that an error of trace/read cannot hide one of the recorder.
//
//   Trace trace = read_trace("dir");          // every file, strict: throws nothing, says what is
//   wrong for (Stream& stream : trace.streams) for (Packet& packet : stream.packets) ...
//
// It is strict: each byte that violates the format adds a line to `problems`.
#pragma once
#include <skein/events.h>
#include <skein/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace skein::test {

struct Event {
  const char* name;  // as in format.h
  uint64_t ticks;
  uint64_t a, b;  // of events of a shape; a fixed event's first two numbers
  std::string text;
  bool is(const char* other) const {
    return name[0] == other[0] && __builtin_strcmp(name, other) == 0;
  }
};

struct Packet {
  format::PacketHeader header;
  std::vector<Event> events;
  std::string file;
};

struct Stream {
  uint64_t instance;
  std::vector<Packet> packets;  // by sequence number; recycled or empty ones too
  std::vector<Event> events() const;
};

struct Trace {
  std::string directory;
  std::vector<Stream> streams;  // without the definitions
  std::map<uint32_t, std::string> strings;
  struct Place {
    uint32_t kind, name, file, function, line, column;
  };
  std::map<uint32_t, Place> places;
  std::vector<std::string> modules;                   // paths
  std::multimap<uint64_t, std::string> thread_names;  // by OS thread
  std::vector<Event> definitions;
  format::TaskTableHeader table{};
  std::vector<format::TaskRow> rows;
  std::string metadata;
  std::vector<std::string> problems;
  uint64_t bytes = 0;  // of all files

  const std::string& text(uint64_t string) const;  // empty if not known
  size_t count(const char* event) const;
  uint64_t discarded() const;  // by the packets' headers
  uint64_t lost() const;       // ... and by the table's
};

// Decodes one packet that lies at `bytes`; appends to packet.events. Returns what is wrong, or "".
std::string decode_packet(const char* bytes, size_t size, Packet& packet);

// `running`: files may grow and packets change under the reader; the table is then not judged.
Trace read_trace(const std::string& directory);

}  // namespace skein::test
