#include "profile/trace/profile_trace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "profile/trace/chosen_event.h"
#include "profile/trace/sample_stacks.h"
#include "profile/trace/sampled_tasks.h"
#include "profile/trace/thread_switches.h"
#include "trace/model/names.h"

namespace skein {

namespace {

constexpr uint64_t second = 1'000'000'000;
// The kernel's number of a thread that is about to end, and has no number any more.
constexpr uint32_t no_thread = UINT32_MAX;

class Builder {
 public:
  Builder(const PerfFile& file, Files& files, const PerfOptions& options)
      : file_(file), options_(options), names_(file, files, options) {}

  Result<ProfileTrace> build(const std::string& path) {
    const Result<ShownEvents> shown = shown_events(file_, options_.event, path);
    if (!shown) return shown.error();
    shown_ = *shown;
    trace().processes.clear();
    file_.for_each([&](const PerfRecord& record) { use(record); });
    out_.samples = samples_.size();
    out_.period = find_period();
    add_waits();
    if (samples_.empty())
      return Error{.what = "no samples of a thread that is known", .file = path};
    set_times();
    describe();
    append_sampled_tasks(samples_, out_.period, trace());
    return std::move(out_);
  }

 private:
  Trace& trace() { return out_.trace; }

  void use(const PerfRecord& record) {
    names_.use(record);
    if (record.type == PerfRecord::Type::Sample && record.tid == no_thread) {
      ended_++;
      return;
    }
    if (record.type == PerfRecord::Type::Sample) {
      if (record.event == shown_.cpu_time) add(record);
      if (record.event == shown_.waits)
        waits_.push_back({record.tid, record.period, timed(record)});
    }
    if (record.type == PerfRecord::Type::Switch && record.tid != 0) {
      executor_of(record);
      switches_.add(record);
    }
    if (record.type == PerfRecord::Type::Exit) switches_.add(record);
  }

  TimedSample timed(const PerfRecord& record) {
    const LogicalSample logical = names_.logical(record);
    TimedSample sample{.time = record.time, .executor = executor_of(record)};
    if (logical.is_logical()) add_coroutines(record, logical, sample);
    sample.stack = stacks_.add(names_.functions(record));
    return sample;
  }

  void add(const PerfRecord& record) {
    TimedSample sample = timed(record);
    if (const auto last = last_of_.find(sample.executor); last != last_of_.end()) {
      if (record.time > last->second) gaps_.push_back(record.time - last->second);
      last->second = record.time;
    } else {
      last_of_.emplace(sample.executor, record.time);
    }
    if (file_.events()[*shown_.cpu_time].counts_ns() && record.period > 1)
      periods_.push_back(record.period);
    samples_.push_back(std::move(sample));
  }

  // Those that context switches confirm.
  void add_waits() {
    std::vector<ThreadWait> placed;
    for (Wait& wait : waits_) {
      TimedSample& sample = wait.sample;
      const uint64_t end = sample.time + std::min(wait.time, UINT64_MAX - sample.time);
      ThreadWait one{.tid = wait.tid, .begin = sample.time, .end = end, .stack = sample.stack};
      if (!switches_.place(one)) continue;
      placed.push_back(one);
      sample.wait = end - sample.time;
      sample.is_preempted = one.is_preempted;
      samples_.push_back(std::move(sample));
    }
    out_.waits = placed.size();
    out_.unplaced_waits = waits_.size() - placed.size();
    trace().thread_states = switches_.changes(placed);
  }

  // Without those of libraries, which are not shown.
  void add_coroutines(const PerfRecord& record, const LogicalSample& logical, TimedSample& sample) {
    const std::vector<uint32_t> chain = file_.logical()->chain(logical.chain);
    if (logical.frames.size() != chain.size() + 1) return;  // unknown, or damaged
    const auto functions = names_.functions(record, logical.functions);
    sample.coroutines.push_back(
        {.frame = logical.frames[0], .function = location({}, names_[functions.back()], 0)});
    for (size_t i = 0; i < chain.size(); i++) {
      const LogicalStacks::Coroutine& one = file_.logical()->coroutine(chain[i]);
      if (one.function.empty()) continue;
      sample.coroutines.push_back({.frame = logical.frames[i + 1],
                                   .function = location({}, one.function, 0),
                                   .place = location(one.file, one.function, one.line)});
    }
  }

  uint32_t location(std::string_view file, std::string_view function, uint32_t line) {
    const StringId file_id = line == 0 ? 0 : trace().strings.intern(file);
    const StringId function_id = trace().strings.intern(function);
    const auto [at, is_new] = locations_.try_emplace(
        {file_id, function_id, line}, static_cast<uint32_t>(trace().locations.size()));
    if (is_new)
      trace().locations.push_back({.file = file_id, .function = function_id, .line = line});
    return at->second;
  }

  uint32_t executor_of(const PerfRecord& record) {
    const auto [at, is_new] = executors_.try_emplace(
        {record.pid, record.tid}, static_cast<uint32_t>(trace().executors.size()));
    if (is_new) trace().executors.push_back({.tid = record.tid, .process = process_of(record.pid)});
    // It gets its name when it has begun.
    trace().executors[at->second].name = trace().strings.intern(names_.thread_name(record));
    return at->second;
  }

  uint32_t process_of(uint32_t pid) {
    auto& processes = trace().processes;
    const auto known = std::find_if(processes.begin(), processes.end(),
                                    [&](const Process& one) { return one.pid == pid; });
    const auto number = static_cast<uint32_t>(known - processes.begin());
    if (known == processes.end()) processes.push_back({.pid = pid, .name = {}});
    return number;
  }

  static uint64_t median(std::vector<uint64_t>& numbers) {
    const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
  }

  // Events other than clocks have no period in time: that is between the samples of busy threads.
  uint64_t find_period() {
    constexpr uint64_t longest = second;
    const PerfEvent event = shown_.cpu_time ? file_.events()[*shown_.cpu_time] : PerfEvent();
    // That of each sample varies; 0: the event has a frequency instead.
    const uint64_t wanted = event.counts_ns() ? event.period : 0;
    const uint64_t period = wanted != 0         ? wanted
                            : !periods_.empty() ? median(periods_)
                            : !gaps_.empty()    ? median(gaps_)
                                                : second / 1000;
    return std::clamp(period, uint64_t{1}, longest);
  }

  void set_times() {
    std::stable_sort(samples_.begin(), samples_.end(),
                     [](const TimedSample& a, const TimedSample& b) { return a.time < b.time; });
    const uint64_t start = samples_[0].time - std::min(samples_[0].time, out_.period);
    const uint64_t shift = out_.period - (samples_[0].time - start);
    for (TimedSample& sample : samples_) sample.time = sample.time - start + shift;
    for (ThreadStateChange& change : trace().thread_states)
      change.time = change.time < start ? 0 : change.time - start + shift;
    trace().info.start = start;
  }

  void describe() {
    TraceInfo& info = trace().info;
    info.format = sampled_format;
    info.clock = "nanoseconds";
    info.sample_rate = out_.samples == 0 ? 0 : (second + out_.period / 2) / out_.period;
    // The program is the process's first thread.
    for (const Executor& executor : trace().executors)
      if (Process& process = trace().processes[executor.process];
          process.name.empty() || executor.tid == process.pid)
        process.name = trace().strings[executor.name];
    out_.note = sampled_note(trace());
    out_.remarks = names_.losses();
    if (ended_ != 0)
      out_.remarks.push_back(counted(ended_, "sample") +
                             " of threads that were about to end, without their numbers: left out");
    if (out_.unplaced_waits != 0)
      out_.remarks.push_back(counted(out_.unplaced_waits, "wait") + " of threads " +
                             (out_.unplaced_waits == 1 ? "has" : "have") +
                             " no context switches: left out");
    if (names_.lost() != 0) trace().losses.push_back({.what = "samples", .events = names_.lost()});
    for (std::string& remark : names_.remarks()) out_.remarks.push_back(std::move(remark));
  }

  const PerfFile& file_;
  const PerfOptions& options_;
  SampleNames names_;
  ProfileTrace out_ = {};
  struct Wait {
    uint32_t tid = 0;
    uint64_t time = 0;
    TimedSample sample = {};
  };
  ShownEvents shown_ = {};
  uint64_t ended_ = 0;  // samples of no_thread
  std::vector<TimedSample> samples_ = {};
  std::vector<Wait> waits_ = {};
  ThreadSwitches switches_ = {};
  std::vector<uint64_t> periods_ = {}, gaps_ = {};
  std::map<uint32_t, uint64_t> last_of_ = {};                         // by executor
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> executors_ = {};  // by process and thread
  std::map<std::tuple<StringId, StringId, uint32_t>, uint32_t> locations_ = {};
  SampleStacks stacks_{names_, out_.trace};
};

}  // namespace

Result<ProfileTrace> trace_of_profile(std::span<const uint8_t> bytes, const std::string& path,
                                      Files& files, const PerfOptions& options) {
  Result<PerfFile> file = PerfFile::read(bytes, path);
  if (!file) return file.error();
  return Builder(*file, files, options).build(path);
}

}  // namespace skein
