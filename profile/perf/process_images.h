// Which files the processes of a recording had mapped: what its records (perf_record.h) add up to.
//
//   ProcessImages images;
//   images.use(record);                                  // each, in the order of their times
//   const ProcessImage* image = images.of(sample.pid);   // null: nothing is known
//
// A child shares the image of its parent until one of them changes it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profile/perf/perf_record.h"

namespace skein {

// Executable mappings only. Ordered by their beginning, without overlaps.
struct ProcessImage {
  struct Mapped {
    uint64_t end = 0;
    uint64_t offset = 0;  // in the file, of the mapping's beginning
    uint32_t file = 0;    // of ProcessImages::files()
  };
  std::map<uint64_t, Mapped> mappings = {};
  uint64_t changes = 0;  // how often the mappings have changed

  // The mapping at an address, or end().
  std::map<uint64_t, Mapped>::const_iterator find(uint64_t address) const;
};

class ProcessImages {
 public:
  // A file that was mapped. The same name with another build id is another file.
  struct File {
    std::string name = {};      // "/usr/bin/server", "[vdso]", "//anon"
    std::string build_id = {};  // digits; empty: not recorded
    // Where it was mapped first, to open it while the process runs.
    uint32_t pid = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  // Uses mappings, forks, and names that a program gets when it starts. Others are ignored.
  void use(const PerfRecord& record);

  std::shared_ptr<const ProcessImage> of(uint32_t pid) const;
  const std::vector<File>& files() const { return files_; }

  // Where the kernel was loaded, by one of its symbols: "_text"; empty: not recorded.
  const std::string& kernel_symbol() const { return kernel_symbol_; }
  uint64_t kernel_address() const { return kernel_address_; }

 private:
  void map(const PerfRecord& record);
  uint32_t number_of(const PerfRecord& record);

  std::map<uint32_t, std::shared_ptr<ProcessImage>> processes_ = {};
  std::vector<File> files_ = {};
  std::map<std::string, uint32_t, std::less<>> numbers_ = {};
  std::string kernel_symbol_ = {};
  uint64_t kernel_address_ = 0;
  size_t copied_ = 0;
};

}  // namespace skein
