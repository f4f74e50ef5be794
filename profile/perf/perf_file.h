// Reads perf.data, the files and streams that `perf record` and `skein profile` write (Linux,
// tools/perf/Documentation/perf.data-file-format.txt). Its records: perf_record.h.
//
//   Result<PerfFile> file = PerfFile::read(bytes, path);
//   file->for_each([&](const PerfRecord& record) { ... });
//
// Little-endian files only, as x86-64 and aarch64 write them. Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/perf/logical_stacks.h"
#include "profile/perf/perf_record.h"

namespace skein {

class PerfFile {
 public:
  // `bytes` must stay valid as long as the result. Fails if it is no perf.data, or one that cannot
  // be read: of another byte order. Compressed records (perf record -z) are unpacked.
  static Result<PerfFile> read(std::span<const uint8_t> bytes, const std::string& path);
  static bool is_perf_file(std::span<const uint8_t> bytes);

  const std::vector<PerfEvent>& events() const { return events_; }
  // Digits of the build ids that perf noted, by file.
  const std::map<std::string, std::string, std::less<>>& build_ids() const { return build_ids_; }
  // Of the samples of `skein profile`. Nothing: they have none.
  const std::optional<LogicalStacks>& logical() const { return logical_; }
  // The data ended within a record, or a record had no meaning: it is damaged.
  bool is_cut() const { return is_cut_; }

  struct Chosen {
    uint32_t event = 0;                  // of events(); it has samples
    std::vector<uint64_t> samples = {};  // of each event
  };
  // The event with this name, or if that is empty the first one that has samples. Fails if there
  // are no samples of it. O(records).
  Result<Chosen> choose_event(const std::string& name, const std::string& path) const;

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
  void read_logical(uint64_t offset, std::span<const uint8_t> section);
  Result<void> unpack_records(uint64_t begin, uint64_t end, const std::string& path);
  Result<void> find_records(uint64_t begin, uint64_t end, const std::string& path);
  const PerfEvent* event_of(std::span<const uint8_t> body, bool is_sample, uint32_t& index) const;
  bool parse(uint64_t offset, PerfRecord& record) const;

  std::span<const uint8_t> bytes_;
  std::shared_ptr<const std::vector<uint8_t>> unpacked_;  // bytes_, if records were compressed
  std::vector<PerfEvent> events_;
  std::map<uint64_t, uint32_t> event_of_id_;
  std::map<std::string, std::string, std::less<>> build_ids_;
  std::vector<Place> places_;
  std::optional<LogicalStacks> logical_;
  bool is_cut_ = false;
};

}  // namespace skein
