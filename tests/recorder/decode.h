// A second decoder of skein traces, for tests of the recorder. It is written from skein/format.h
// only, so that an error in trace/read cannot hide one in the recorder.
//
//   Trace trace = read_trace("dir");          // reads every file; never throws
//   for (Stream& stream : trace.streams) for (Packet& packet : stream.packets) ...
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
  uint64_t a, b;  // arguments of an event of a shape; the first two numbers of a fixed event
  std::string text;
  bool is(const char* other) const {
    return name[0] == other[0] && __builtin_strcmp(name, other) == 0;
  }
};

struct Packet {
  format::PacketHeader header;
  std::vector<Event> events;
  std::vector<Event> cpu_times;  // apart, because the program did not cause them
  std::vector<Event> socket_bytes;
  std::string file;
};

struct Stream {
  uint64_t instance;
  std::vector<Packet> packets;  // by sequence number; includes recycled and empty ones
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
  uint64_t bytes = 0;  // size of all files

  const std::string& text(uint64_t string) const;  // empty if the id is unknown
  size_t count(const char* event) const;
  uint64_t discarded() const;  // total of the packet headers
  uint64_t lost() const;       // total of the task table
};

// Decodes the packet at `bytes` and appends to packet.events. Returns the problem, or "".
std::string decode_packet(const char* bytes, size_t size, Packet& packet);

// `running`: files may grow and packets change during the read; the task table is not checked then.
Trace read_trace(const std::string& directory);

}  // namespace skein::test
