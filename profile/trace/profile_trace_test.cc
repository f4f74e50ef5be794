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

// A perf.data of a process without files: its functions have the names of `map`.
class ProfileFile {
 public:
  explicit ProfileFile(uint64_t config = PERF_COUNT_SW_CPU_CLOCK) {
    close(mkstemp(path_.data()));
    perf_event_attr attribute = {};
    attribute.size = sizeof attribute;
    attribute.type = PERF_TYPE_SOFTWARE;
    attribute.config = config;
    attribute.sample_period = period;
    attribute.sample_id_all = 1;
    Result<PerfWriter> made = PerfWriter::create(path_, attribute);
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
              const LogicalSample& logical) {
    PerfRecord record;
    record.mode = 2;
    record.address = 0x6001;
    record.pid = 5;
    record.tid = tid;
    record.time = time;
    record.period = 1;  // so that weights are numbers of samples
    writer->add_sample(record, chain, logical);
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

TEST_CASE("what has no samples of CPU time is rejected") {
  ProfileFile file;
  const Result<ProfileTrace> profile = file.read();
  REQUIRE_FALSE(profile);
  CHECK(profile.error().message().find("no samples") != std::string::npos);
  DiskFiles files;
  CHECK_FALSE(trace_of_profile({}, "x", files, {}));
}

TEST_CASE("the waits of skein profile --off-cpu are rejected") {
  constexpr uint64_t bpf_output = 10;  // PERF_COUNT_SW_BPF_OUTPUT
  ProfileFile file(bpf_output);
  const std::vector<uint64_t> chain = {perf_context_user, 0x5001, 0x1001};
  file.sample(period, 5, chain, {});
  const Result<ProfileTrace> profile = file.read();
  REQUIRE_FALSE(profile);
  CHECK(profile.error().message().find("waits of threads") != std::string::npos);
}
