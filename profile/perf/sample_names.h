// The names of the functions of samples, in the order in which perf.data has its records.
//
//   SampleNames names(file, files, options);
//   file.for_each([&](const PerfRecord& record) {
//     names.use(record);
//     if (record.type == PerfRecord::Type::Sample)
//       for (const uint32_t name : names.functions(record)) print(names[name]);
//   });
//
// Files that were recorded are opened to read their symbols, if their build ids are those that perf
// noted. Nothing that is read is trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "profile/flame/address_map.h"
#include "profile/flame/name_table.h"
#include "profile/perf/image_files.h"
#include "profile/perf/perf_file.h"
#include "profile/perf/process_images.h"
#include "profile/perf/sample_unwinder.h"

namespace skein {

struct PerfOptions {
  // Names of addresses in processes, and of the kernel. Where the kernel was loaded is taken from
  // perf.data.
  const AddressMap* map = nullptr;
  // Empty: none. Used if it is of the boot that was recorded.
  std::string kernel_symbols = "/proc/kallsyms";
  std::string event = {};      // empty: the first one that has samples
  bool physical = false;       // no logical stacks
  bool by_thread = false;      // threads of one name apart: "server/4711"
  bool inlined = true;         // functions that were inlined, from debug information
  ImageFiles::Open open = {};  // empty: open_from_disk()
};

class SampleNames {
 public:
  // All must outlive it.
  SampleNames(const PerfFile& file, Files& files, const PerfOptions& options);

  // Each record, in order.
  void use(const PerfRecord& record);

  // Of a sample, the innermost first: numbers of names. A function without a name is
  // "server+0x1a2b": where it begins in its file, as linked; or "[server]", if that is not known.
  // `most`: of functions of the user, without those that the kernel runs for it; 0: all. Those that
  // were inlined into a function are before it, as "name_[i]", and are not counted. Valid until the
  // next call. Never empty.
  std::span<const uint32_t> functions(const PerfRecord& sample, uint32_t most = 0);

  // What the file notes of a sample; nothing: the thread ran no coroutine, or its chain is unknown.
  // Counts samples in coroutines.
  LogicalSample logical(const PerfRecord& sample);
  // "run (server.cc:12)": a coroutine of PerfFile::logical() that waits.
  uint32_t waiter(uint32_t coroutine);

  // Of its thread: "server".
  std::string thread_name(const PerfRecord& sample) const;

  const std::string& operator[](uint32_t name) const { return names_[name]; }
  uint32_t add(std::string_view name) { return names_.add(name); }
  // The files of the functions found so far, by name: of several with one name, the first.
  const std::map<std::string, std::string, std::less<>>& libraries() const { return libraries_; }

  uint64_t lost() const { return lost_; }  // records
  // For the user, a sentence each: what of the file is missing.
  std::vector<std::string> losses() const;
  // The same: what made names or stacks incomplete.
  std::vector<std::string> remarks() const;

 private:
  enum class Space : uint8_t { Kernel, User, Guest };
  static Space space_of_mode(uint8_t mode);
  static Space space_of_context(uint64_t context);

  std::span<const uint64_t> chain_of(const PerfRecord& record);
  // Of an address: its function, and those that were inlined there.
  struct Named {
    uint32_t function = 0;
    uint32_t inlined = 0;  // of inlined_; 0: none
  };
  Named name_of(Space space, uint64_t address, const ProcessImage* image);
  template <class Find>
  Named& cached(uint32_t module, uint64_t address, Find find);
  uint32_t unmapped(uint64_t address);
  std::string user_name(uint32_t number, uint64_t offset, uint64_t address);
  uint32_t find_inlined(uint32_t number, uint64_t offset);
  std::string kernel_name(uint64_t address);
  void read_kernel();

  static constexpr uint32_t kernel_module = UINT32_MAX;
  static constexpr uint32_t waiters = UINT32_MAX - 1;  // their numbers instead of addresses
  struct Place {
    uint32_t module;
    uint64_t address;
    bool operator==(const Place&) const = default;
  };
  struct HashPlace {
    size_t operator()(const Place& place) const {
      return (place.address ^ uint64_t{place.module} << 48) * 0x9e3779b97f4a7c15 >> 7;
    }
  };

  const PerfFile& file_;
  Files& files_;
  const PerfOptions& options_;
  NameTable names_;
  std::map<std::string, std::string, std::less<>> libraries_ = {};
  uint32_t unknown_ = 0;
  ProcessImages images_;
  ImageFiles image_files_;
  SampleUnwinder unwinder_{images_, image_files_};
  std::unordered_map<uint32_t, std::string> thread_names_;
  std::unordered_map<Place, Named, HashPlace> cache_;
  std::vector<std::vector<uint32_t>> inlined_ = {{}};  // names, the innermost first
  AddressMap kernel_;
  uint64_t kernel_slide_ = 0;  // by which the kernel was moved, from where the map has it
  bool kernel_is_read_ = false, kernel_is_other_ = false, kernel_unnamed_ = false;
  uint64_t lost_ = 0;
  uint64_t in_coroutines_ = 0, without_chain_ = 0;
  std::vector<uint32_t> stack_;
  std::vector<uint64_t> chain_;
};

// A sentence on samples in coroutines whose chains are unknown.
std::string unknown_chains_text(uint64_t unknown, uint64_t in_coroutines);
// One on samples whose outermost coroutine may have a waiter.
std::string doubtful_chains_text(uint64_t doubtful, uint64_t in_coroutines);

// "void std::sort<int*>(int*, int*)" -> "std::sort<int*>", as perf names functions.
std::string_view without_parameters(std::string_view demangled);

}  // namespace skein
