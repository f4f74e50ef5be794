#include "profile/trace/profile_trace.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "base/disk_files.h"
#include "profile/flame/folded_text.h"
#include "profile/perf/perf_stacks.h"
#include "profile/perf/perf_writer.h"
#include "trace/ask/doctor/doctor.h"
#include "trace/ask/logical_samples.h"
#include "trace/ask/why.h"

using namespace skein;

namespace {

constexpr uint64_t period = 1'000'000;
constexpr uint64_t bpf_output = 10;  // PERF_COUNT_SW_BPF_OUTPUT

// A perf.data of a process without files: its functions have the names of `map`.
class ProfileFile {
 public:
  // Events of the kernel's software.
  explicit ProfileFile(std::initializer_list<uint64_t> configs = {PERF_COUNT_SW_CPU_CLOCK}) {
    close(mkstemp(path_.data()));
    std::vector<perf_event_attr> attributes;
    for (const uint64_t config : configs) {
      perf_event_attr attribute = {};
      attribute.size = sizeof attribute;
      attribute.type = PERF_TYPE_SOFTWARE;
      attribute.config = config;
      attribute.sample_period = period;
      attribute.sample_id_all = 1;
      attributes.push_back(attribute);
    }
    Result<PerfWriter> made = PerfWriter::create(path_, attributes);
    REQUIRE(made);
    writer.emplace(std::move(*made));
    map.add(
        "1000 T loop\n2000 T resume\n3000 T leaf\n4000 T parse\n5000 T serve\n6000 T copy\n7000 T "
        "end\n");
    map.finish();
    for (uint32_t i = 0; i < 3; i++) {
      constexpr const char* names[] = {"leaf", "parse", "serve"};
      for (uint32_t line = 0; line < 2; line++)
        stacks.set_coroutine(
            2 * i + line,
            {.function = names[i], .file = "/src/server.cc", .line = 10 * i + line + 1});
    }
  }
  ~ProfileFile() { unlink(path_.c_str()); }
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;

  void sample(uint64_t time, uint32_t tid, std::span<const uint64_t> chain,
              const LogicalSample& logical, uint32_t pid = 5) {
    PerfRecord record;
    record.mode = 2;
    record.address = 0x6001;
    record.pid = pid;
    record.tid = tid;
    record.time = time;
    record.period = 1;  // so that weights are numbers of samples
    record.event = of_cpu;
    writer->add_sample(record, chain, logical);
  }
  // Of the first event. `end`: the thread runs again.
  void wait(uint64_t time, uint64_t end, std::span<const uint64_t> chain,
            const LogicalSample& logical, bool has_switches = true) {
    PerfRecord record;
    record.mode = 2;
    record.pid = 5;
    record.tid = 5;
    record.time = time;
    record.period = end - time;
    writer->add_sample(record, chain, logical);
    if (!has_switches) return;
    writer->add_switch_out(5, 5, time + 1);
    struct {
      uint32_t type = perf_record_switch;
      uint16_t misc = 0;
      uint16_t size = 40;
      uint32_t pid = 5, tid = 5;
      uint64_t time = 0, cpu = 2, id = 77;
    } in;
    in.time = end;
    writer->add({reinterpret_cast<const uint8_t*>(&in), sizeof in});
  }
  PerfOptions options() const { return {.map = &map}; }
  Result<ProfileTrace> read() {
    REQUIRE(writer->finish(&stacks));
    contents_ = *files.open(path_);
    return trace_of_profile(contents_.bytes(), path_, files, options());
  }
  PerfStacks folded() {
    const Result<PerfStacks> found = fold_perf_data(contents_.bytes(), path_, files, options());
    REQUIRE(found);
    return *found;
  }

  std::optional<PerfWriter> writer;
  LogicalStacks stacks;
  AddressMap map;
  DiskFiles files;
  uint32_t of_cpu = 0;  // event

 private:
  std::string path_ = "/tmp/skein-profile-trace-XXXXXX";
  Contents contents_;
};

// Counts by stack, without the name of the thread.
std::map<std::string, uint64_t> counts(const std::string& folded, bool has_thread) {
  std::map<std::string, uint64_t> found;
  std::istringstream lines(folded);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.rfind(' ');
    const size_t begin = has_thread ? line.find(';') + 1 : 0;
    found[line.substr(begin, space - begin)] += std::stoul(line.substr(space + 1));
  }
  return found;
}

}  // namespace

TEST_CASE("the samples of a trace are those of the profile's flame graph") {
  std::mt19937 random(1);
  const auto upto = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  ProfileFile file;
  for (uint32_t tid = 6; tid < 9; tid++) file.writer->add_name(5, tid, "worker", 0);
  uint64_t time = 1'000'000'000;
  constexpr uint32_t samples = 5000;
  for (uint32_t i = 0; i < samples; i++) {
    time += upto(4) == 0 ? upto(5'000'000) : upto(1'000'000);
    // loop, resume, coroutine, copy: the coroutine is at depth `depth` of serve, parse, leaf.
    const uint32_t depth = upto(4);  // 0: none
    std::vector<uint64_t> chain = {perf_context_user};
    if (upto(2) == 0) chain.push_back(0x6001);
    constexpr uint64_t functions[] = {0x5001, 0x4001, 0x3001};
    LogicalSample logical;
    if (depth != 0) {
      chain.push_back(functions[depth - 1]);
      logical.functions = static_cast<uint32_t>(chain.size() - 1);
      logical.chain = 0;
      for (uint32_t k = 0; k + 1 < depth; k++)
        logical.chain = file.stacks.add(logical.chain, 2 * (2 - k) + upto(2));
      for (uint32_t k = depth; k-- > 0;) logical.frames.push_back(uint64_t{100} * k + upto(3));
    }
    chain.insert(chain.end(), {0x2001, 0x1001});
    file.sample(time, 6 + upto(3), chain, logical);
  }
  const Result<ProfileTrace> profile = file.read();
  REQUIRE(profile);
  CHECK(profile->samples == samples);
  const Trace& trace = profile->trace;
  CHECK(trace.executors.size() == 3);
  CHECK(trace.strings[trace.executors[0].name] == "worker");
  CHECK(trace.processes.size() == 1);
  const Model model = build_model(trace);
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const LogicalSamples found = find_logical_samples(subject, find_logical_times(subject), {});
  CHECK(found.other_tasks == 0);
  CHECK(found.in_tasks + found.outside == samples);
  CHECK(counts(folded_text(found.tree, false), false) == counts(file.folded().folded, true));

  // Nothing is concluded from what the samples do not contain.
  CHECK(examine(trace, model, waits, {.strict = true}).empty());
  CHECK(diagnose_all(trace, model, waits).empty());
}

TEST_CASE("the time that a task runs is about a period for each of its samples") {
  ProfileFile file;
  file.writer->add_name(5, 5, "server", 0);
  const std::vector<uint64_t> chain = {perf_context_user, 0x5001, 0x1001};
  for (uint64_t i = 1; i <= 100; i++)
    file.sample(i * period, 5, chain, {.functions = 1, .chain = 0, .frames = {77}});
  const Result<ProfileTrace> profile = file.read();
  REQUIRE(profile);
  CHECK(profile->note.find("Hz") != std::string::npos);
  CHECK(profile->period == period);
  const Model model = build_model(profile->trace);
  REQUIRE(model.tasks.size() == 1);
  CHECK(model.tasks[0].end - model.tasks[0].start == 100 * period + 1);
  CHECK(profile->trace.processes[0].name == "server");
}

TEST_CASE("a profile of several processes") {
  ProfileFile file;
  const std::vector<uint64_t> chain = {perf_context_user, 0x5001, 0x1001};
  constexpr uint32_t most = 20;
  for (uint32_t pid = 5; pid < 5 + most; pid++)
    file.writer->add_name(pid, pid, "server" + std::to_string(pid), 0);
  for (uint32_t i = 0; i < 3 * most; i++)
    file.sample((i + 1) * period, 5 + i % most, chain, {.functions = 1, .chain = 0, .frames = {77}},
                5 + i % most);
  const Result<ProfileTrace> profile = file.read();
  REQUIRE(profile);
  const Trace& trace = profile->trace;
  REQUIRE(trace.processes.size() == most);
  REQUIRE(trace.executors.size() == most);
  for (uint32_t i = 0; i < most; i++) {
    CHECK(trace.processes[i].pid == 5 + i);
    CHECK(trace.processes[i].name == "server" + std::to_string(5 + i));
    CHECK(trace.executors[i].process == i);
  }
}

TEST_CASE("samples of threads without a number are left out") {
  ProfileFile file;
  const std::vector<uint64_t> chain = {perf_context_user, 0x5001, 0x1001};
  file.writer->add_name(5, 5, "server", 0);
  file.sample(period, 5, chain, {});
  file.sample(2 * period, UINT32_MAX, chain, {}, UINT32_MAX);
  const Result<ProfileTrace> profile = file.read();
  REQUIRE(profile);
  CHECK(profile->samples == 1);
  CHECK(profile->trace.executors.size() == 1);
  CHECK(profile->trace.processes.size() == 1);
  REQUIRE(profile->remarks.size() == 1);
  CHECK(profile->remarks[0] ==
        "1 sample of threads that were about to end, without their numbers: left out");

  ProfileFile others;
  others.sample(period, UINT32_MAX, chain, {}, UINT32_MAX);
  CHECK_FALSE(others.read());
}

TEST_CASE("what has no samples of CPU time is rejected") {
  ProfileFile file;
  const Result<ProfileTrace> profile = file.read();
  REQUIRE_FALSE(profile);
  CHECK(profile.error().message().find("no samples") != std::string::npos);
  DiskFiles files;
  CHECK_FALSE(trace_of_profile({}, "x", files, {}));
}

TEST_CASE("waits of threads without context switches are rejected") {
  ProfileFile file({bpf_output});
  const std::vector<uint64_t> chain = {perf_context_user, 0x5001, 0x1001};
  file.sample(period, 5, chain, {});
  const Result<ProfileTrace> profile = file.read();
  REQUIRE_FALSE(profile);
  CHECK(profile.error().message().find("waits of threads") != std::string::npos);
}

TEST_CASE("waits of threads with context switches are states of the threads, with stacks") {
  ProfileFile file({bpf_output, PERF_COUNT_SW_CPU_CLOCK});
  file.of_cpu = 1;
  file.writer->add_name(5, 5, "server", 0);
  const std::vector<uint64_t> in_serve = {perf_context_user, 0x6001, 0x5001, 0x1001};
  const std::vector<uint64_t> in_loop = {perf_context_user, 0x2001, 0x1001};
  const LogicalSample serve = {.functions = 2, .chain = 0, .frames = {77}};
  constexpr uint64_t begin = 10 * period;
  file.sample(begin, 5, in_serve, serve);
  file.wait(begin + 100, begin + 9'000'100, in_serve, serve);  // the coroutine blocks its thread
  file.sample(begin + 10 * period, 5, in_serve, serve);
  file.wait(begin + 11 * period, begin + 15 * period, in_loop, {});
  file.sample(begin + 16 * period, 5, in_loop, {});
  file.wait(begin + 17 * period, begin + 20 * period, in_loop, {}, false);  // perf's own
  const Result<ProfileTrace> profile = file.read();
  REQUIRE(profile);
  CHECK(profile->samples == 3);
  CHECK(profile->waits == 2);
  CHECK(profile->unplaced_waits == 1);
  REQUIRE(profile->remarks.size() == 1);
  CHECK(profile->remarks[0] == "1 wait of threads has no context switches: left out");
  CHECK(profile->note.find("context switches") != std::string::npos);
  const Trace& trace = profile->trace;
  const ThreadIntervals threads(trace);
  REQUIRE(threads.of(0).size() == 4);
  CHECK(threads.of(0)[0].begin == period + 101);
  CHECK(threads.of(0)[0].end == period + 9'000'100);
  CHECK(threads.of(0)[0].state == ThreadState::Blocked);
  CHECK(threads.of(0)[1].state == ThreadState::Running);
  CHECK(threads.of(0)[1].cpu == 3);
  const Model model = build_model(trace);
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  const LogicalSamples found = find_logical_waits(subject, times, threads, {});
  CHECK(counts(folded_text(found.tree, false), false) ==
        std::map<std::string, uint64_t>{{"serve;copy", 8'999'999}, {"loop;resume", 3'999'999}});
  CHECK(find_logical_samples(subject, times, {}).in_tasks == 2);
  // It runs as long as the thread waits in it.
  REQUIRE(model.tasks.size() == 1);
  CHECK(model.tasks[0].end - model.tasks[0].start == 11 * period + 1);
  REQUIRE(model.activations.size() == 1);
  // The flame graph is of the first event.
  CHECK(counts(file.folded().folded, true)["loop;resume"] == 7 * period);
}
