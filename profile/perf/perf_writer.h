// Writes a perf.data, for perf, skein and other tools that read it (perf_file.h).
//
//   Result<PerfWriter> writer = PerfWriter::create(path, event);
//   writer->add(record);                       // of the kernel: mappings, names, forks
//   writer->add_sample(sample, chain);         // instead of its registers and stack
//   if (Result<void> done = writer->finish(); !done) return done.error();
//
// One that was not finished can be read up to its last complete record: perf writes its size at the
// end, too.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/perf/logical_stacks.h"
#include "profile/perf/perf_record.h"

namespace skein {

class PerfWriter {
 public:
  // `attributes` are those of the events as they were opened, with TID, TIME and CPU in their
  // records; of several events, also IDENTIFIER. Readers show the first that has samples.
  static Result<PerfWriter> create(const std::string& path,
                                   std::span<const perf_event_attr> attributes);
  static Result<PerfWriter> create(const std::string& path, const perf_event_attr& attribute) {
    return create(path, std::span(&attribute, 1));
  }

  // A record with its header, and the trailer that the event demands.
  void add(std::span<const uint8_t> record);
  // Of the event PerfRecord::event.
  void add_sample(const PerfRecord& sample, std::span<const uint64_t> chain,
                  const LogicalSample& logical = {});
  // What was true before the recording. `build_id` may be empty.
  void add_mapping(uint32_t pid, uint64_t begin, uint64_t end, uint64_t offset,
                   std::string_view file, std::span<const uint8_t> build_id);
  void add_name(uint32_t pid, uint32_t tid, std::string_view name, uint64_t time);
  // The thread is on no CPU from `time` on.
  void add_switch_out(uint32_t pid, uint32_t tid, uint64_t time);
  // Where the kernel has its symbol `name`, such as "_text".
  void add_kernel(uint64_t address, std::string_view name);

  // `logical`: the chains of the samples; null: they have none. Fails if anything could not be
  // written.
  Result<void> finish(const LogicalStacks* logical = nullptr);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  PerfWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  Result<void> write_header(uint64_t data_size, bool has_logical);
  void write_logical(const LogicalStacks& logical);
  void write(std::span<const uint8_t> bytes);
  void end_record(uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid, uint64_t time);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  uint64_t data_begin() const;
  bool has_ids() const { return attributes_.size() > 1; }

  std::vector<perf_event_attr> attributes_ = {};
  uint64_t data_size_ = 0;
  int error_ = 0;  // errno of the first write that failed
  std::vector<uint8_t> body_ = {};
};

}  // namespace skein
