// The logical stacks of samples of running processes: which coroutine a thread runs, and which wait
// for it. Both are looked up as soon as a sample is taken, as the process goes on.
//
//   CoroutineChains chains(open);
//   chains.use(record);                                   // mappings, forks, names
//   const LogicalSample logical = chains.of(sample);      // a sample with registers and stack
//   if (chains.has_work()) chains.work(mutex);            // reads files, in another thread
//   const LogicalStacks& stacks = chains.finish();        // with the lines at which they wait
//
// The innermost function that resumes a coroutine has the address of its frame in a register or in
// its part of the stack (frames/frame_addresses.h); who waits for it is in memory
// (frames/await_chain.h). A coroutine that none waits for is a function like others if it is still
// in its first run, called by the function that creates it, or if a coroutine further out has
// resumed it: that one counts.
//
// Calls must be made one after the other, with a mutex; work() is called without it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "frames/await_chain.h"
#include "frames/coroutine_program.h"
#include "profile/perf/image_files.h"
#include "profile/perf/logical_stacks.h"
#include "profile/perf/process_images.h"
#include "profile/perf/sample_unwinder.h"
#include "profile/sample/inheriting_mutex.h"
#include "target/target.h"

namespace skein {

class CoroutineChains {
 public:
  struct Counts {
    uint64_t in_coroutines = 0;  // samples
    uint64_t unknown = 0;        // of these, without a chain
    uint64_t undescribed = 0;    // of these, because files lack debug information; set by finish()
    uint64_t doubtful = 0;       // with a chain that may end too early
    uint64_t early = 0;          // before the files of their process were read: not known which
  };

  explicit CoroutineChains(ImageFiles::Open open) : files_(std::move(open), disk_) {}

  // Records other than samples, in the order in which they come.
  void use(const PerfRecord& record) { images_.use(record); }

  // Whether records have named a mapping of the process.
  bool knows(uint32_t pid) const { return images_.of(pid) != nullptr; }

  // Takes 5 to 30 us: a few us for each coroutine that waits. What needs to be read from files
  // first, of processes and coroutines not seen before, is left to work().
  LogicalSample of(const PerfRecord& sample);

  // As of(), for a thread that waits. Counts nothing. May be called again after work().
  LogicalSample of_waiting(const PerfRecord& sample);

  // Whether a function of a stack is a coroutine's. Nothing is counted.
  bool is_in_coroutine(uint32_t pid, const UnwoundStack& stack) const;

  bool has_work() const {
    return !processes_wanted_.empty() || !pairs_wanted_.empty() || !pairs_left_.empty();
  }
  // Reads the files of processes, and again when they run code that they have mapped since: at most
  // a tenth of the time. Then debug information: of all coroutines of small programs, else of those
  // that samples have met. Returns after 20 ms, or the time that one takes.
  void work(InheritingMutex& mutex);

  const Counts& counts() const { return counts_; }

  // Reads debug information. Valid as long as this object.
  const LogicalStacks& finish();

 private:
  // What processes with the same mappings share.
  struct Program {
    std::weak_ptr<const ProcessImage> image = {};
    std::unique_ptr<Target> target = {};
    std::optional<CoroutineProgram> coroutines = {};
    std::set<uint64_t> mappings = {};  // that it knows, by `begin`
    uint64_t built = 0, cost = 0;      // ns: when, and how long it took
  };
  struct Process {
    uint32_t pid = 0;
    std::shared_ptr<Program> program = {};
    std::unique_ptr<Target> memory = {};
    std::optional<AwaitChain> chain = {};
  };
  using Pair = std::pair<std::shared_ptr<Program>, uint32_t>;
  using Key = std::tuple<const Program*, uint32_t, uint32_t>;  // pair, point

  // What is counted of a sample.
  struct Found {
    std::optional<Pair> unknown = {};  // the program does not show its chain
    bool is_doubtful = false;
    bool is_early = false;
  };
  LogicalSample find(const PerfRecord& sample, Found& counted);
  Process* process_of(const PerfRecord& sample, const std::shared_ptr<const ProcessImage>& image);
  static std::shared_ptr<Program> read_files(uint32_t pid, std::weak_ptr<const ProcessImage> image);
  void use(Process& process, std::shared_ptr<Program> program);
  std::optional<Pair> next_pair();
  bool knows_code(const Program& program, const ProcessImage& image) const;
  std::optional<uint64_t> frame_of(const PerfRecord& sample, size_t number,
                                   CoroutineProgram& program, uint32_t pair) const;
  const std::vector<AwaitChain::Outer>& outer_coroutines(const PerfRecord& sample, size_t number,
                                                         CoroutineProgram& program);
  uint32_t number_of(const Program& program, const AwaitChain::Step& step);
  LogicalStacks::Coroutine describe(Program& program, uint32_t pair, uint32_t point);

  DiskFiles disk_ = DiskFiles();
  ProcessImages images_ = {};
  ImageFiles files_;
  SampleUnwinder unwinder_{images_, files_};
  std::list<Process> processes_ = {};  // the last one used is the first
  std::set<uint32_t> processes_wanted_ = {};
  std::set<Pair> pairs_wanted_ = {};   // by samples
  std::vector<Pair> pairs_left_ = {};  // others
  std::vector<std::shared_ptr<Program>> programs_ = {};
  std::map<Key, uint32_t> numbers_ = {};
  std::vector<AwaitChain::Outer> outer_ = {};
  std::optional<uint32_t> unprepared_ = {};  // a pair of these: they may have resumed the others
  LogicalStacks stacks_ = {};
  Counts counts_ = {};
  std::map<Pair, uint64_t> unknown_ = {};  // samples without a chain, by the innermost coroutine
};

}  // namespace skein
