#include "profile/perf/perf_writer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "profile/perf/perf_file.h"
#include "profile/perf/perf_stacks.h"

using namespace skein;

namespace {

class TemporaryFile {
 public:
  TemporaryFile() { close(mkstemp(path_.data())); }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/skein-perf-writer-XXXXXX";
};

perf_event_attr clock_event() {
  perf_event_attr attribute = {};
  attribute.size = sizeof attribute;
  attribute.type = PERF_TYPE_SOFTWARE;
  attribute.config = PERF_COUNT_SW_CPU_CLOCK;
  attribute.sample_period = 1'000'000;
  attribute.sample_id_all = 1;
  return attribute;
}

PerfRecord sample(uint64_t time) {
  PerfRecord record;
  record.mode = 2;
  record.address = 0x401000;
  record.pid = 5;
  record.tid = 6;
  record.cpu = 1;
  record.time = time;
  record.period = 999;
  return record;
}

std::vector<std::string> read_back(const std::string& path, bool& is_cut) {
  DiskFiles files;
  const Result<Contents> contents = files.open(path);
  REQUIRE(contents);
  const Result<PerfFile> file = PerfFile::read(contents->bytes(), path);
  REQUIRE(file);
  is_cut = file->is_cut();
  REQUIRE(file->events().size() == 1);
  CHECK(file->events()[0].name == "cpu-clock");
  CHECK(file->events()[0].counts_ns());
  std::vector<std::string> lines;
  file->for_each([&](const PerfRecord& record) {
    std::string line = std::to_string(static_cast<int>(record.type)) + " " +
                       std::to_string(record.pid) + "/" + std::to_string(record.tid) + " @" +
                       std::to_string(record.time) + " " + std::string(record.text);
    if (record.type == PerfRecord::Type::Sample)
      line += std::to_string(record.cpu) + " " + std::to_string(record.mode) + " " +
              std::to_string(record.period) + " " + std::to_string(record.chain.size() / 8);
    if (record.type == PerfRecord::Type::Mapping)
      line += " " + std::to_string(record.begin) + "+" + std::to_string(record.size) + " " +
              std::to_string(record.offset) + " id " + std::to_string(record.build_id.size());
    lines.push_back(line);
  });
  return lines;
}

}  // namespace

TEST_CASE("records are read again, in the order of their times") {
  const TemporaryFile file;
  Result<PerfWriter> writer = PerfWriter::create(file.path(), clock_event());
  REQUIRE(writer);
  const std::array<uint64_t, 3> chain{perf_context_user, 0x401000, 0x402000};
  const std::array<uint8_t, 20> id{1, 2, 3};
  writer->add_sample(sample(20), chain);
  writer->add_sample(sample(10), {});
  writer->add_mapping(5, 0x400000, 0x403000, 0x1000, "/bin/true", id);
  writer->add_mapping(5, 0x500000, 0x501000, 0, "//anon", {});
  writer->add_name(5, 6, "worker", 0);
  writer->add_kernel(0xffffffff81000000, "_text");
  REQUIRE(writer->finish());
  bool is_cut = true;
  const std::vector<std::string> lines = read_back(file.path(), is_cut);
  CHECK_FALSE(is_cut);
  const auto type = [](PerfRecord::Type one) { return std::to_string(static_cast<int>(one)); };
  const std::string mapping = type(PerfRecord::Type::Mapping);
  const std::string of_sample = type(PerfRecord::Type::Sample);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] == mapping + " 5/5 @0 /bin/true 4194304+12288 4096 id 20");
  CHECK(lines[1] == mapping + " 5/5 @0 //anon 5242880+4096 0 id 0");
  CHECK(lines[2] == type(PerfRecord::Type::Name) + " 5/6 @0 worker");
  CHECK(lines[3].starts_with(mapping + " 4294967295/0 @0 [kernel.kallsyms]_text"));
  CHECK(lines[4] == of_sample + " 5/6 @10 1 2 999 0");
  CHECK(lines[5] == of_sample + " 5/6 @20 1 2 999 3");
}

TEST_CASE("a file that was not finished has all that was flushed") {
  const TemporaryFile file;
  {
    Result<PerfWriter> writer = PerfWriter::create(file.path(), clock_event());
    REQUIRE(writer);
    writer->add_sample(sample(10), {});
  }
  bool is_cut = false;
  CHECK(read_back(file.path(), is_cut).size() == 1);
  CHECK(is_cut);
}

TEST_CASE("a chain that is too long for a record is cut at its outer end") {
  const TemporaryFile file;
  Result<PerfWriter> writer = PerfWriter::create(file.path(), clock_event());
  REQUIRE(writer);
  writer->add_sample(sample(10), std::vector<uint64_t>(10'000, 0x401000));
  REQUIRE(writer->finish());
  bool is_cut = true;
  const auto lines = read_back(file.path(), is_cut);
  CHECK_FALSE(is_cut);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with(" 8000"));
}

TEST_CASE("logical stacks of samples: written, read and folded") {
  const TemporaryFile file;
  Result<PerfWriter> writer = PerfWriter::create(file.path(), clock_event());
  REQUIRE(writer);
  LogicalStacks stacks;
  const uint32_t session = stacks.add(stacks.add(0, 0), 1);
  stacks.set_coroutine(0, {.function = "run", .file = "/src/server.cc", .line = 12});
  stacks.set_coroutine(1, {.function = "session"});
  writer->add_mapping(5, 0x401000, 0x402000, 0, "/bin/a", {});
  writer->add_mapping(5, 0x402000, 0x403000, 0, "/bin/b", {});
  const std::array<uint64_t, 6> chain{
      perf_context_kernel, 0xffffffff81000100, perf_context_user, 0x401000, 0x401800, 0x402800};
  writer->add_sample(sample(10), chain, {.functions = 2, .chain = session});
  writer->add_sample(sample(20), chain, {.functions = 1, .chain = 0});
  writer->add_sample(sample(30), chain, {.chain = LogicalSample::unknown});
  writer->add_sample(sample(40), chain, {.functions = 1, .chain = 77});  // there is none
  writer->add_sample(sample(50), chain);
  REQUIRE(writer->finish(&stacks));

  DiskFiles files;
  const Result<Contents> contents = files.open(file.path());
  REQUIRE(contents);
  MemoryFiles none;
  const auto folded = [&](bool physical) {
    const auto result =
        fold_perf_data(contents->bytes(), file.path(), none, {.physical = physical});
    REQUIRE(result);
    std::string text = result->folded;
    for (const std::string& remark : result->remarks) text += remark + '\n';
    return text;
  };
  const std::string all = "[unknown];[b];[a];[a];[kernel]_[k] ";
  CHECK(folded(true) == all + "4995\n");
  CHECK(folded(false) ==
        "[unknown];[a];[kernel]_[k] 999\n" + all + "2997\n" +
            "[unknown];run (server.cc:12);session;[a];[a];[kernel]_[k] 999\n"
            "50.0 % of the samples in coroutines have physical stacks, as it is not known which "
            "coroutines wait\n");

  // One that was not finished has physical stacks.
  std::vector<uint8_t> cut(contents->bytes().begin(), contents->bytes().end());
  cut[48] = cut[49] = 0;                     // the size of the records
  cut[72 + LogicalStacks::feature / 8] = 0;  // the section
  const auto unfinished = fold_perf_data(cut, file.path(), none, {});
  REQUIRE(unfinished);
  CHECK(unfinished->folded == all + "4995\n");
  // So has one whose section is damaged.
  std::vector<uint8_t> damaged(contents->bytes().begin(), contents->bytes().end());
  damaged.resize(damaged.size() - 1);
  const auto without = fold_perf_data(damaged, file.path(), none, {});
  REQUIRE(without);
  CHECK(without->folded == all + "4995\n");
  CHECK(without->remarks.front().find("damaged") != std::string::npos);
}

TEST_CASE("a file that cannot be written is an error") {
  const Result<PerfWriter> missing = PerfWriter::create("/nonexistent/a.data", clock_event());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().what.find("No such file") != std::string::npos);
  Result<PerfWriter> full = PerfWriter::create("/dev/full", clock_event());
  CHECK_FALSE(full);
}

TEST_CASE("records of two events") {
  const TemporaryFile file;
  perf_event_attr waits = clock_event();
  waits.config = PERF_COUNT_SW_BPF_OUTPUT;
  const std::array events{waits, clock_event()};
  Result<PerfWriter> writer = PerfWriter::create(file.path(), events);
  REQUIRE(writer);
  PerfRecord one = sample(10);
  writer->add_sample(one, {});
  one.event = 1;
  one.time = 20;
  writer->add_sample(one, std::vector<uint64_t>{perf_context_user, 0x401000});
  writer->add_name(5, 6, "worker", 5);
  writer->add_switch_out(5, 6, 11);
  LogicalStacks logical;
  REQUIRE(writer->finish(&logical));
  DiskFiles files;
  const Result<Contents> contents = files.open(file.path());
  REQUIRE(contents);
  const Result<PerfFile> read = PerfFile::read(contents->bytes(), file.path());
  REQUIRE(read);
  CHECK_FALSE(read->is_cut());
  CHECK(read->logical());
  REQUIRE(read->events().size() == 2);
  CHECK(read->events()[0].is_off_cpu());
  CHECK(read->events()[1].name == "cpu-clock");
  std::string text;
  read->for_each([&](const PerfRecord& record) {
    text += std::to_string(record.time) + ":" + std::to_string(record.event);
    if (record.type == PerfRecord::Type::Switch) text += record.is_out ? "out" : "in";
    text += " ";
  });
  CHECK(text == "5:0 10:0 11:0out 20:1 ");
  CHECK(read->choose_event("cpu-clock", "")->samples == std::vector<uint64_t>{1, 1});
}
