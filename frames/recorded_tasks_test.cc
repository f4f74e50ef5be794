#include "frames/recorded_tasks.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace skein;

namespace {

// A program with code at 0x400000, data at 0x500000, and a heap at 0x600000.
class Program : public Target {
 public:
  static constexpr uint64_t code = 0x400000;
  static constexpr uint64_t data = 0x500000;
  static constexpr uint64_t heap = 0x600000;

  Program() : data_(0x1000), heap_(0x1000) {
    mappings_ = {{.begin = code,
                  .end = code + 0x1000,
                  .readable = true,
                  .executable = true,
                  .file = "/program"},
                 {.begin = data,
                  .end = data + 0x80,
                  .readable = true,
                  .writable = true,
                  .file = "/program"},
                 {.begin = data + 0x80, .end = data + 0xC0, .readable = true, .writable = true},
                 {.begin = data + 0xC0, .end = data + 0x1000, .readable = true, .writable = true},
                 {.begin = heap,
                  .end = heap + 0x1000,
                  .readable = true,
                  .writable = true,
                  .file = "[heap]"}};
  }
  void set(uint64_t address, uint64_t word) {
    std::vector<uint8_t>& bytes = address < heap ? data_ : heap_;
    std::memcpy(bytes.data() + (address & 0xFFF), &word, sizeof word);
  }
  // An entry of the recorder's table: the task is so many words behind the beginning of a frame.
  void trace(uint64_t destroy, uint64_t offset) { set(data + 0x100, destroy << 16 | offset); }
  void add_frame(uint64_t at, uint64_t destroy) {
    set(at, code);
    set(at + 8, destroy);
  }

  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 0; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return {}; }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    const bool in_heap = address >= heap;
    const uint64_t begin = in_heap ? heap : data;
    if (address < begin || address - begin >= 0x1000) return 0;
    const size_t count = std::min<size_t>(to.size(), 0x1000 - (address - begin));
    std::memcpy(to.data(), (in_heap ? heap_ : data_).data() + (address - begin), count);
    return count;
  }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "none"}; }

 private:
  std::string name_ = "program";
  std::vector<uint8_t> data_;
  std::vector<uint8_t> heap_;
  std::vector<Mapping> mappings_;
};

constexpr uint64_t destroy = Program::code + 0x80;
constexpr uint64_t frame = Program::heap + 0x40;

}  // namespace

TEST_CASE("the id of a traced coroutine's task") {
  Program program;
  program.trace(destroy, 5);
  program.add_frame(frame, destroy);
  program.set(frame + 40, 4711);
  program.set(frame + 48, uint64_t{3} << 32 | 17);  // generation, row
  const std::vector<SuspendedCoroutine> found = {{.frame = frame}};
  const std::vector<RecordedTask> tasks = find_recorded_tasks(program, found);
  REQUIRE(tasks.size() == 1);
  CHECK(tasks[0].id == 4711);
  CHECK(tasks[0].generation == 3);
  CHECK(!tasks[0].is_gone);
}

TEST_CASE("coroutines that are not traced, or gone") {
  Program program;
  program.trace(destroy + 1, 5);
  program.add_frame(frame, destroy);
  program.set(frame + 40, 4711);
  program.add_frame(frame + 0x100, 0x123456789);  // as malloc overwrites a freed block
  program.add_frame(Program::heap + 0xFF0, destroy + 1);
  const std::vector<SuspendedCoroutine> found = {{.frame = frame},
                                                 {.frame = frame + 0x100},
                                                 {.frame = Program::heap + 0xFF0},
                                                 {.frame = 0x10}};
  const std::vector<RecordedTask> tasks = find_recorded_tasks(program, found);
  REQUIRE(tasks.size() == 4);
  CHECK(tasks[0].id == 0);
  CHECK(!tasks[0].is_gone);
  CHECK(tasks[1].is_gone);
  CHECK(tasks[2].id == 0);  // its task would be behind the end of the memory
  CHECK(!tasks[2].is_gone);
  CHECK(tasks[3].is_gone);
  CHECK(find_recorded_tasks(program, {}).empty());
}
