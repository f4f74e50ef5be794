// Reads perf.data, the files and streams that `perf record` writes (Linux,
// tools/perf/Documentation/ perf.data-file-format.txt and include/uapi/linux/perf_event.h).
//
//   Result<PerfFile> file = PerfFile::read(bytes, path);
//   file->for_each([&](const PerfRecord& record) { ... });
//
// Little-endian files only, as x86-64 and aarch64 write them. Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein {

struct PerfEvent {
  std::string name = {};  // "cpu-clock", "cycles:u"; empty: unknown
  uint32_t type = 0;      // PERF_TYPE_SOFTWARE 1
  uint64_t config = 0;
  uint64_t period = 0;  // of each sample that has none; 0: unknown
  uint64_t sample_type = 0;
  uint64_t read_format = 0;
  bool has_ids = false;  // sample_id_all: records other than samples have a time
  bool counts_ns() const { return type == 1 && config <= 1; }  // cpu-clock, task-clock
};

// What a record of any type has, if its type has it.
struct PerfRecord {
  enum class Type : uint8_t { Mapping, Name, Fork, Sample, Lost };
  Type type = Type::Sample;
  uint32_t event = 0;  // of PerfFile::events()
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t time = 0;
  uint8_t mode =
      0;  // of a sample: 1 kernel, 2 user, 3 hypervisor, 4 guest's kernel, 5 guest's user

  // Mapping
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t offset = 0;         // in the file
  std::string_view text = {};  // the file; of Name: that of the thread
  bool is_exec = false;        // of Name: the process has become another program

  uint32_t parent = 0;  // of Fork: the process that had forked
  uint32_t parent_thread = 0;

  uint64_t address = 0;  // of the sample
  uint64_t period = 1;
  std::span<const uint8_t> chain = {};  // addresses of 8 bytes, the innermost first, and contexts

  uint64_t lost = 0;
};

class PerfFile {
 public:
  // `bytes` must stay valid as long as the result. Fails if it is no perf.data, or one that cannot
  // be read: of another byte order, or compressed.
  static Result<PerfFile> read(std::span<const uint8_t> bytes, const std::string& path);
  static bool is_perf_file(std::span<const uint8_t> bytes);

  const std::vector<PerfEvent>& events() const { return events_; }
  // Digits of the build ids that perf noted, by file.
  const std::map<std::string, std::string, std::less<>>& build_ids() const { return build_ids_; }
  // The data ended within a record, or a record had no meaning: it is damaged.
  bool is_cut() const { return is_cut_; }

  // In the order of their times. O(records * log records) for the first call's sorting.
  template <class Use>
  void for_each(Use use) const {
    for (const Place& place : places_) {
      PerfRecord record;
      if (parse(place.offset, record)) use(record);
    }
  }

 private:
  struct Place {
    uint64_t time;
    uint64_t offset;
  };
  explicit PerfFile(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  void add_event(std::span<const uint8_t> attribute, std::span<const uint8_t> ids);
  void read_features(uint64_t at, std::span<const uint8_t> bits);
  void read_names(std::span<const uint8_t> section);
  void read_build_ids(std::span<const uint8_t> section);
  Result<void> find_records(uint64_t begin, uint64_t end, const std::string& path);
  const PerfEvent* event_of(std::span<const uint8_t> body, bool is_sample, uint32_t& index) const;
  uint64_t time_of(std::span<const uint8_t> record) const;
  bool parse(uint64_t offset, PerfRecord& record) const;
  bool parse_sample(std::span<const uint8_t> body, PerfRecord& record) const;

  std::span<const uint8_t> bytes_;
  std::vector<PerfEvent> events_;
  std::map<uint64_t, uint32_t> event_of_id_;
  std::map<std::string, std::string, std::less<>> build_ids_;
  std::vector<Place> places_;
  bool is_cut_ = false;
};

}  // namespace skein
