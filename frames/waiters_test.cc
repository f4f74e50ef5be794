#include "frames/waiters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "frames/handle_containers.h"
#include "frames/unreferenced.h"

using namespace skein;

namespace {

// A program with a heap of 4 KiB, and frames of 0x100 bytes in it, from its beginning.
class Program : public Target {
 public:
  static constexpr uint64_t begin = 0x600000;
  static constexpr uint64_t size_of_frame = 0x100;

  Program() : bytes_(0x1000) {
    mappings_ = {{.begin = begin,
                  .end = begin + bytes_.size(),
                  .readable = true,
                  .writable = true,
                  .file = "[heap]"}};
  }
  void set(uint64_t address, uint64_t word) {
    std::memcpy(bytes_.data() + (address - begin), &word, sizeof word);
  }
  // A file behind the heap that is not read.
  void map(std::string file) {
    mappings_.push_back(
        {.begin = begin + 0x10000, .end = begin + 0x11000, .file = std::move(file)});
  }
  uint64_t add_frame() {
    const uint64_t frame = begin + size_of_frame * coroutines.size();
    coroutines.push_back(
        {.frame = frame, .size = size_of_frame, .state = SuspendedCoroutine::State::Waits});
    return frame;
  }
  // An awaiter with the object, the next awaiter, and the handle.
  uint64_t add_awaiter(uint64_t frame, uint64_t offset, uint64_t object, uint64_t next) {
    set(frame + offset, object);
    set(frame + offset + 8, next);
    set(frame + offset + 16, frame);
    return frame + offset;
  }
  Waiters waiters(size_t most = Waiters::usually_most) const {
    MemoryCache memory(*this);
    return {*this, memory, coroutines, std::vector<bool>(coroutines.size(), true), {}, most};
  }

  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 0; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return threads_; }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    if (address < begin || address - begin >= bytes_.size()) return 0;
    const size_t count = std::min(to.size(), bytes_.size() - (address - begin));
    std::memcpy(to.data(), bytes_.data() + (address - begin), count);
    return count;
  }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "no file"}; }

  std::vector<SuspendedCoroutine> coroutines = {};
  std::vector<TargetThread> threads_ = {};

 private:
  std::string name_ = "program";
  std::vector<uint8_t> bytes_;
  std::vector<Mapping> mappings_;
};

constexpr uint64_t object = Program::begin + 0x800;

}  // namespace

TEST_CASE("waiters: an object with a list of awaiters, which have its address") {
  Program heap;
  const uint64_t first = heap.add_frame();
  const uint64_t second = heap.add_frame();
  const uint64_t other = heap.add_frame();
  const uint64_t last = heap.add_awaiter(second, 0x60, object, 0);
  heap.set(object + 8, heap.add_awaiter(first, 0x40, object, last));
  heap.add_awaiter(other, 0x40, object, 0);  // it has waited before
  const Waiters waiters = heap.waiters();
  REQUIRE_FALSE(waiters.candidates(0).empty());
  CHECK(waiters.candidates(0)[0].object == object);
  CHECK(waiters.candidates(0)[0].slot == 0x40);
  CHECK(waiters.candidates(0)[0].handle == 0x50);
  CHECK(waiters.candidates(0)[0].back == 8);
  CHECK(waiters.candidates(0)[0].is_list);
  REQUIRE_FALSE(waiters.candidates(1).empty());
  CHECK(waiters.candidates(1)[0].slot == 0x60);
  CHECK(waiters.candidates(2).empty());
}

TEST_CASE("waiters: the object before another one with waiters is further from them") {
  Program heap;
  const uint64_t frame = heap.add_frame();
  heap.set(frame + 0x38, object);
  heap.set(object + 16, heap.add_awaiter(frame, 0x40, object + 16, 0));
  const Waiters waiters = heap.waiters();
  REQUIRE(waiters.candidates(0).size() >= 2);
  CHECK(waiters.candidates(0)[0].object == object + 16);
}

TEST_CASE("waiters: an object with the address of the frame is no list") {
  Program heap;
  const uint64_t frame = heap.add_frame();
  heap.set(frame + 0x40, object);
  heap.set(object + 24, frame);
  const Waiters waiters = heap.waiters();
  REQUIRE(waiters.candidates(0).size() == 1);
  CHECK_FALSE(waiters.candidates(0)[0].is_list);
  CHECK(waiters.candidates(0)[0].back == 24);
}

TEST_CASE("waiters: of too many coroutines, some of each kind are read") {
  Program heap;
  for (int i = 0; i < 7; i++) heap.add_frame();
  heap.coroutines[3].function = 1;
  const auto chosen = [&](size_t most) {
    const Waiters waiters = heap.waiters(most);
    std::string all;
    for (uint32_t i = 0; i < heap.coroutines.size(); i++) all += waiters.has_words(i) ? 'x' : '-';
    CHECK(waiters.searched() == static_cast<size_t>(std::count(all.begin(), all.end(), 'x')));
    return all;
  };
  CHECK(chosen(7) == "xxxxxxx");
  CHECK(chosen(5) == "xx-x-xx");
  CHECK(chosen(4) == "xx-x--x");
  CHECK(chosen(2) == "x--x---");
  CHECK(chosen(0) == "-------");
}

TEST_CASE("waiters: a list in a circle ends") {
  Program heap;
  const uint64_t frame = heap.add_frame();
  const uint64_t other = heap.add_frame();
  heap.set(object, heap.add_awaiter(frame, 0x40, object, other + 0x40));
  heap.add_awaiter(other, 0x40, object, frame + 0x40);
  CHECK_FALSE(heap.waiters().candidates(1).empty());
}

TEST_CASE("waiters: several coroutines count down for another") {
  Program heap;
  const uint64_t parent = heap.add_frame();
  const uint64_t counter = parent + 0x40;
  heap.set(counter, 2);
  heap.set(counter + 8, parent);
  for (int i = 0; i < 2; i++) heap.set(heap.add_frame() + 0x20, counter);
  const Waiters waiters = heap.waiters();
  REQUIRE(waiters.joins().size() == 2);
  CHECK(waiters.joins()[0].child == 1);
  CHECK(waiters.joins()[0].parent == 0);
  CHECK(waiters.joins()[0].count == 2);
}

TEST_CASE("a coroutine is unreferenced if only itself and others like it have its address") {
  Program heap;
  const uint64_t lost = heap.add_frame();
  const uint64_t inner = heap.add_frame();
  const uint64_t kept = heap.add_frame();
  heap.set(lost + 0x40, inner);
  heap.set(inner + 0x10, lost);
  heap.set(lost + 0x18, lost);
  heap.set(object + 3, kept + 0x40);  // somewhere in a packed structure
  CHECK(find_unreferenced(heap, heap.coroutines, {}) == std::vector<bool>{true, true, false});
  heap.threads_.push_back({.id = 1});
  CHECK(find_unreferenced(heap, heap.coroutines, {}).empty());  // registers are unknown
  for (size_t i = 0; i < 17; i++) heap.threads_[0].registers.set(i, i == 12 ? inner : 1);
  CHECK(find_unreferenced(heap, heap.coroutines, {}) == std::vector<bool>{false, false, false});
}

TEST_CASE("the kernel may have the address of a coroutine") {
  Program heap;
  heap.add_frame();
  CHECK(find_unreferenced(heap, heap.coroutines, {}) == std::vector<bool>{true});
  heap.map("anon_inode:[io_uring]");  // also if its descriptor is closed
  CHECK(find_unreferenced(heap, heap.coroutines, {}).empty());
}

TEST_CASE("below the stack pointer of a fiber may be anything") {
  Program heap;
  const uint64_t frame = heap.add_frame();
  heap.set(Program::begin + 0x800, frame);
  heap.threads_.push_back({.id = 1});
  for (size_t i = 0; i < 17; i++)
    heap.threads_[0].registers.set(i, i == 7 ? Program::begin + 0xC00 : 1);
  CHECK(find_unreferenced(heap, heap.coroutines, {}) == std::vector<bool>{false});
}

TEST_CASE("a container belongs to an object if it begins nearby") {
  Program program;
  const uint64_t frame = program.add_frame();
  const uint64_t outside = Program::begin + 0x800;
  const uint64_t handles = Program::begin + 0xA00;
  program.set(frame + 0x40, outside);
  program.set(handles, frame);
  const auto set_vector = [&](uint64_t offset) {
    for (const uint64_t i : {0U, 1U, 2U})
      program.set(outside + offset + 8 * i, handles + 8 * std::min<uint64_t>(i, 1));
  };
  set_vector(0x60);
  CHECK(program.waiters().candidates(0).empty());
  set_vector(0x10);
  REQUIRE(program.waiters().candidates(0).size() == 1);
  CHECK(program.waiters().candidates(0)[0].is_in_container);
  CHECK(program.waiters().candidates(0)[0].back == 0x10);
}

TEST_CASE("containers are read as far as the budget allows") {
  Program program;
  const uint64_t list = Program::begin + 0x800;
  constexpr uint64_t count = 4;
  // Nodes with the addresses of the next and the previous one, and a handle.
  for (uint64_t i = 0; i <= count; i++) {
    program.set(list + 0x40 * i, list + 0x40 * ((i + 1) % (count + 1)));
    program.set(list + 0x40 * i + 8, list + 0x40 * ((i + count) % (count + 1)));
    if (i != 0) program.set(list + 0x40 * i + 16, i);
  }
  MemoryCache memory(program);
  const std::vector<uint64_t> content = {list + 0x40, list + 0x40 * count};
  uint64_t budget = 4096;
  CHECK(container_words(memory, list, content, budget).size() == count);
  CHECK(budget == 4096 - 32 * count);
  budget = 70;
  CHECK(container_words(memory, list, content, budget).size() == 2);
  CHECK(budget == 0);
  CHECK(container_words(memory, list, content, budget).empty());
}

TEST_CASE("an object that coroutines share with the one that waits for them") {
  Program program;
  const uint64_t parent = program.add_frame();
  const uint64_t child = program.add_frame();
  program.add_frame();
  const uint64_t outside = Program::begin + 0x800;
  program.set(outside, 1);
  program.set(outside + 8, parent);
  program.set(parent + 0x40, outside);
  program.set(child + 0x40, outside);
  const std::vector<SharedObject> expected = {{1, 0, outside}};
  CHECK(program.waiters().shared_objects() == expected);
  // In the frame of the parent.
  program.set(parent + 0x40, 2);
  program.set(parent + 0x48, parent);
  program.set(child + 0x40, parent + 0x40);
  const std::vector<SharedObject> inside = {{1, 0, parent + 0x40}};
  CHECK(program.waiters().shared_objects() == inside);
  // A node in the list of an object, of which the next waiter has the address.
  program.add_awaiter(parent, 0x40, outside, 0);
  program.set(outside + 8, parent + 0x40);
  CHECK(program.waiters().shared_objects().empty());
}
