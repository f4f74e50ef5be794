// Generates random traces, and prints skein's view of them; differential_test.py compares it with
// babeltrace2's.
//
//   differential_traces generate SEED COUNT FOLDER    writes FOLDER/0, FOLDER/1 ...
//   differential_traces show TRACE...                 one line per event, fields separated by tabs
//
// A trace has a few streams with all kinds of events, all widths, gaps in time that need extended
// headers, packets in any file order, dropped and missing packets. Times of different streams
// overlap. Ids may refer to names that do not exist.
#include <skein/metadata.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/disk_files.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/writer.h"
#include "trace/read/event_value.h"
#include "trace/read/reader.h"

using namespace skein;
using namespace skein::ctf;

namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  void write(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (uint8_t& byte : uuid_) byte = static_cast<uint8_t>(below(256));
    write_metadata(folder / "metadata");
    write_names(folder);
    const uint64_t streams = 1 + below(4);
    for (uint64_t stream = 0; stream < streams; stream++) write_stream(folder, stream);
  }

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }

  // Returns a number of any width.
  uint64_t number() { return random_() >> below(64); }
  uint64_t id() { return 1 + (number() >> 1); }

  // Never empty: for an empty text, babeltrace2 2.0.4 shows the text of an earlier event.
  std::string text(size_t most) {
    static constexpr const char* pieces[] = {"a", "Z", "0", " ", "\"", "\\", "<b>", "é", "…", "%s"};
    std::string result(1, static_cast<char>('a' + below(26)));
    while (result.size() < most && below(12) != 0) result += pieces[below(std::size(pieces))];
    return result;
  }

  void write_metadata(const std::filesystem::path& path) {
    format::MetadataInfo info{.uuid = {},
                              .clock = "tsc",
                              .frequency = 1'000'000 + below(400'000'000),
                              .offset_s = static_cast<int64_t>(below(2'000'000'000)),
                              .offset = below(1'000'000),
                              .precision = 1,
                              .hostname = "host",
                              .boot_id = "",
                              .procname = "program",
                              .pid = 1,
                              .mode = "ring"};
    std::copy(uuid_.begin(), uuid_.end(), info.uuid);
    std::ofstream file(path, std::ios::binary);
    format::write_metadata(info, [&](const char* from, size_t size) {
      file.write(from, static_cast<std::streamsize>(size));
    });
  }

  void write_names(const std::filesystem::path& folder) {
    StreamWriter names({.uuid = uuid_,
                        .stream = format::kNamesStream,
                        .chunk_size = 2048,
                        .flags = format::kFlagNames});
    const auto small = [&] { return static_cast<uint32_t>(below(30)); };
    for (uint32_t i = 1; i < 25; i++) {
      names.fixed(format::k_string, 1).u32(i).text(std::to_string(i) + text(40)).done();
      names.fixed(format::k_place, 1)
          .u32(i)
          .u8(format::kKinds[below(std::size(format::kKinds))].number)
          .u32(small())
          .u32(small())
          .u32(small())
          .u32(static_cast<uint32_t>(number()))
          .u32(static_cast<uint32_t>(number()))
          .done();
    }
    for (uint64_t tid = 0; tid < 6; tid++)
      names.fixed(format::k_thread_name, 2).u64(tid).text(text(15)).done();
    save(folder, "names-", names);
  }

  void write_stream(const std::filesystem::path& folder, uint64_t number_of_stream) {
    StreamWriter stream({.uuid = uuid_,
                         .stream = number_of_stream,
                         .chunk_size = 900 + below(3000),
                         .first_sequence = below(2) * below(100)});
    uint64_t ticks = 1000 + below(1 << 20);
    const uint64_t count = below(60);
    stream.tid = static_cast<uint32_t>(below(8));
    for (uint64_t i = 0; i < count; i++) {
      // Advance: of two packets that begin at the same tick, babeltrace2 2.0.4 shows only one.
      ticks += 1;
      ticks += below(8) != 0 ? below(1 << 16) : random_() >> (24 + below(40));
      stream.current_task = below(3) == 0 ? 0 : id();
      stream.discarded += below(40) == 0;
      if (below(30) == 0) stream.close();
      write_event(stream, ticks);
    }
    save(folder, "s" + std::to_string(number_of_stream) + "-", stream);
  }

  void write_event(StreamWriter& stream, uint64_t ticks) {
    const uint64_t which = below(std::size(format::kEventClasses) + 10);
    if (which < std::size(format::kEventClasses)) {
      const format::EventClass& event = format::kEventClasses[which];
      uint64_t a = id();
      uint64_t b = below(4) == 0 ? number() : below(30);
      if (event.shape == format::Shape::kSigned) {
        a = below(30);
        if (below(2) == 0) b = 0 - number();
      }
      if (event.first == format::k_pause) {
        a = below(7);
        b = number() >> 20;
      }
      if (event.first == format::k_lost) b = below(9);
      if (event.first == format::k_extra) {
        a = below(6);
        if (a != 4) b = below(30);
      }
      if (event.first == format::k_at) a = below(30);
      const auto first = static_cast<format::EventId>(event.first);
      stream.event(first, ticks, a, b, static_cast<unsigned>(below(4) * below(2)));
      return;
    }
    switch (which - std::size(format::kEventClasses)) {
      case 0:
        return stream.fixed(format::k_label_text, ticks).u64(number()).text(text(300)).done();
      case 1:
        return stream.fixed(format::k_create_under, ticks)
            .u64(number())
            .u64(id())
            .u32(static_cast<uint32_t>(below(30)))
            .done();
      case 2:
        return stream.fixed(format::k_send, ticks).u64(number()).u64(number()).done();
      case 3:
        return stream.fixed(format::k_receive, ticks).u64(number()).u64(number()).done();
      case 4:
        return stream.fixed(format::k_clock, ticks)
            .u32(static_cast<uint32_t>(number()))
            .u64(number())
            .u64(number())
            .done();
      case 5:
        return stream.fixed(format::k_create_awaited, ticks)
            .u32(static_cast<uint32_t>(number()))
            .u32(static_cast<uint32_t>(id()))
            .u32(static_cast<uint32_t>(below(30)))
            .done();
      case 6:
        return stream.fixed(format::k_cpu_time, ticks).u64(number()).u32(1).u32(2).done();
      case 8:
        return stream.fixed(format::k_socket_bytes, ticks)
            .u64(id())
            .u64(number())
            .u64(number())
            .u32(1)
            .u32(2)
            .u32(1)
            .done();
      case 7:
        return stream.fixed(format::k_discard, ticks).u64(id()).done();
      default:
        return stream.fixed(format::k_fail_text, ticks).u64(id()).text(text(300)).done();
    }
  }

  // Writes the files in a random order of names. Some are lost; some were never used.
  void save(const std::filesystem::path& folder, const std::string& prefix, StreamWriter& stream) {
    auto& chunks = stream.finish();
    std::shuffle(chunks.begin(), chunks.end(), random_);
    if (prefix != "names-" && chunks.size() > 1 && below(4) == 0) chunks.pop_back();
    for (size_t i = 0; i < chunks.size(); i++) {
      std::ofstream file(folder / (prefix + std::to_string(i)), std::ios::binary);
      file.write(reinterpret_cast<const char*>(chunks[i].data()),
                 static_cast<std::streamsize>(chunks[i].size()));
    }
    if (below(4) == 0) std::ofstream(folder / (prefix + "empty"));
  }

  std::mt19937_64 random_;
  Uuid uuid_{};
};

void show_id(TaskId id) {
  if (id == no_task)
    std::fputs("\t-", stdout);
  else
    std::printf("\t%" PRIu64, id);
}

bool show(const std::string& path) {
  DiskFiles disk;
  const auto trace = read_trace(disk, path);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return false;
  }
  uint64_t discarded = 0, missing = 0;
  for (const Loss& loss : trace->losses) {
    if (loss.events) discarded += *loss.events;
    if (loss.packets) missing += *loss.packets;
    if (loss.events || loss.packets) continue;
    std::fprintf(stderr, "%s: %s\n", path.c_str(), loss.what.c_str());
    return false;
  }
  const uint64_t zero = trace->info.start + static_cast<uint64_t>(*trace->info.utc_offset);
  std::printf("trace\t%zu\t%" PRIu64 "\t%" PRIu64 "\n", trace->events.size(), discarded, missing);
  for (size_t i = 0; i < trace->events.size(); i++) {
    const EventRow event = trace->events.row(i);
    const Executor& executor = trace->executors[event.executor];
    const Location& location = trace->locations[event.location];
    const auto text = [&](StringId id) { return std::string(trace->strings[id]); };
    // Undo the indirection through tables.
    uint64_t value = event.value;
    std::string event_text = text(event.text);
    if (event.kind == EventKind::Sample) value = trace->stacks.number(value);
    if (event.kind == EventKind::Clock) {
      const ClockReading reading = clock_reading(*trace, event.value);
      value = static_cast<uint64_t>(reading.ahead);
      event_text += "domain " + std::to_string(reading.domain) + " bracket " +
                    std::to_string(reading.bracket);
    }
    std::printf("%" PRIu64 "\t%u\t%" PRIu64 "\t%s\t%s", zero + event.time, executor.stream,
                executor.tid, text(executor.name).c_str(), std::string(name(event.kind)).c_str());
    show_id(event.task);
    show_id(event.other);
    std::printf("\t%" PRIu64 "\t%s\t%s\t%s\t%u\t%u\t%u\n", value, event_text.c_str(),
                text(location.file).c_str(), text(location.function).c_str(), location.line,
                location.column, event.flags);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "generate" && argc == 5) {
    const uint64_t seed = std::stoull(argv[2]);
    for (uint64_t i = 0; i < std::stoull(argv[3]); i++)
      Generator(seed + i).write(std::filesystem::path(argv[4]) / std::to_string(i));
    return 0;
  }
  if (mode == "show" && argc > 2) {
    for (int i = 2; i < argc; i++)
      if (!show(argv[i])) return 1;
    return 0;
  }
  std::fputs("usage: differential_traces generate SEED COUNT FOLDER | show TRACE...\n", stderr);
  return 2;
}
