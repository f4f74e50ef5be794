#include "profile/perf/perf_stacks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "profile/perf/perf_file.h"
#include "target/unpacker.h"

using namespace skein;

namespace {

// A file with one event of the software clock.
class PerfData {
 public:
  static constexpr uint64_t type =
      1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8;  // ip, tid, time, chain, period

  void u16(uint64_t value) { add(value, 2); }
  void u32(uint64_t value) { add(value, 4); }
  void u64(uint64_t value) { add(value, 8); }
  void text(std::string_view value) {
    bytes += value;
    bytes.append(8 - value.size() % 8, '\0');
  }
  template <class Body>
  void record(uint32_t kind, uint16_t misc, Body body, uint64_t time) {
    const size_t at = bytes.size();
    u32(kind), u16(misc), u16(0);
    body();
    if (kind != 9) u64(uint64_t{0}), u64(time);  // pid and tid, time
    const size_t size = bytes.size() - at;
    bytes[at + 6] = static_cast<char>(size);
    bytes[at + 7] = static_cast<char>(size >> 8);
  }
  void name(uint32_t pid, uint32_t tid, std::string_view value, uint64_t time) {
    record(
        3, 0, [&] { u32(pid), u32(tid), text(value); }, time);
  }
  void fork(uint32_t pid, uint32_t parent, uint64_t time) {
    record(
        7, 0, [&] { u32(pid), u32(parent), u32(pid), u32(parent), u64(time); }, time);
  }
  void mapping(uint32_t pid, uint64_t begin, uint64_t size, uint64_t offset, std::string_view file,
               uint64_t time) {
    record(
        1, 0, [&] { u32(pid), u32(pid), u64(begin), u64(size), u64(offset), text(file); }, time);
  }
  void sample(uint32_t pid, uint64_t time, uint64_t period, std::vector<uint64_t> chain) {
    record(
        9, 2,
        [&] {
          u64(chain.empty() ? 0x1234 : chain[1]), u32(pid), u32(pid), u64(time), u64(period);
          u64(chain.size());
          for (const uint64_t address : chain) u64(address);
        },
        0);
  }
  std::string file() const {
    PerfData head;
    head.bytes = "PERFILE2";
    head.u64(104), head.u64(64 + 16), head.u64(104), head.u64(80), head.u64(184);
    head.u64(bytes.size());
    head.bytes.append(104 - head.bytes.size(), '\0');
    head.u32(1), head.u32(64), head.u64(0), head.u64(999), head.u64(type), head.u64(0);
    head.u64(1 << 10 | 1 << 18), head.bytes.append(16 + 16, '\0');
    return head.bytes + bytes;
  }

  std::string bytes;

 private:
  void add(uint64_t value, int size) {
    for (int i = 0; i < size; i++, value >>= 8) bytes += static_cast<char>(value);
  }
};

constexpr uint64_t user = static_cast<uint64_t>(-512), kernel = static_cast<uint64_t>(-128);

Result<PerfStacks> fold(const std::string& bytes, const AddressMap* map = nullptr) {
  MemoryFiles files;
  files.add("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81000100 T vfs_read\n");
  return fold_perf_data({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "perf.data",
                        files, {.map = map});
}

}  // namespace

TEST_CASE("samples become folded stacks") {
  PerfData data;
  data.mapping(UINT32_MAX, 0xffffffff81000000, 0x1000, 0xffffffff81000000, "[kernel.kallsyms]_text",
               0);
  data.name(7, 7, "server", 0);
  data.mapping(7, 0x400000, 0x1000, 0, "/bin/server", 1);
  data.sample(7, 2, 10, {user, 0x400010, 0x400020});
  data.sample(7, 3, 5, {kernel, 0xffffffff81000108, user, 0x400020});
  data.sample(7, 4, 1, {user, 0x999999, 0x5, 0x6});
  const auto stacks = fold(data.file());
  REQUIRE(stacks);
  CHECK(stacks->folded ==
        "server;[server];[server] 10\nserver;[server];vfs_read_[k] 5\nserver;[unknown] 1\n");
  CHECK(stacks->unit == "ns");
  CHECK(stacks->samples == 3);
  CHECK(stacks->remarks.empty());
}

TEST_CASE("records are in the order of their times, and a child has its parent's mappings") {
  PerfData data;
  data.sample(8, 9, 1, {user, 0x400010});
  data.fork(8, 7, 5);
  data.name(7, 7, "a b;c 5", 2);
  data.mapping(7, 0x400000, 0x1000, 0, "/bin/a", 1);
  data.mapping(7, 0x400000, 0x1000, 0, "/bin/later", 7);
  data.sample(7, 8, 1, {user, 0x400010});
  const auto stacks = fold(data.file());
  REQUIRE(stacks);
  CHECK(stacks->folded == "a b:c_5;[a] 1\na b:c_5;[later] 1\n");
}

TEST_CASE("a new mapping replaces parts of others") {
  PerfData data;
  data.mapping(7, 0x1000, 0x3000, 0, "/a", 1);
  data.mapping(7, 0x2000, 0x1000, 0, "/b", 2);
  for (const uint64_t address : {0xfffU, 0x1000U, 0x2000U, 0x3000U, 0x3fffU, 0x4000U})
    data.sample(7, 3, address, {user, address});
  const auto stacks = fold(data.file());
  REQUIRE(stacks);
  CHECK(stacks->folded == "[unknown];[a] 32767\n[unknown];[b] 8192\n[unknown];[unknown] 20479\n");
}

TEST_CASE("names from a map; a kernel that was moved") {
  AddressMap map;
  map.add("400000 T main\n81000000 T _text\n81000100 T schedule\n");
  map.finish();
  PerfData data;
  data.mapping(UINT32_MAX, 0x91000000, 0x1000, 0x91000000, "[kernel.kallsyms]_text", 0);
  data.sample(7, 2, 10, {kernel, 0x91000110, user, 0x400020});
  const auto stacks = fold(data.file(), &map);
  REQUIRE(stacks);
  CHECK(stacks->folded == "[unknown];main;schedule_[k] 10\n");
}

TEST_CASE("compressed records: the same stacks, wherever the stream is divided") {
  PerfData inner;
  inner.mapping(7, 0x1000, 0x3000, 0, "/a", 1);
  for (uint64_t i = 0; i < 300; i++) inner.sample(7, 2 + i, 10, {user, 0x1000 + 16 * i});
  const std::vector<uint8_t> stream = packed({inner.bytes.begin(), inner.bytes.end()});
  if (packing_of(stream) != Packing::Zstd) return;  // built without it
  PerfData plain;
  plain.name(7, 7, "server", 1);
  const std::string before = plain.bytes;
  plain.bytes += inner.bytes;
  const auto expected = fold(plain.file());
  REQUIRE(expected);
  for (const bool is_new : {false, true})
    for (const size_t piece : {size_t{7}, size_t{100}, stream.size()}) {
      PerfData data;
      data.bytes = before;
      for (size_t at = 0; at < stream.size(); at += piece) {
        const auto part = std::span(stream).subspan(at, std::min(piece, stream.size() - at));
        data.u32(is_new ? 83 : 81), data.u16(0), data.u16(8 + (is_new ? 8 : 0) + part.size());
        if (is_new) data.u64(part.size());
        data.bytes.append(part.begin(), part.end());
      }
      const auto stacks = fold(data.file());
      REQUIRE(stacks);
      CHECK(stacks->folded == expected->folded);
    }
}

TEST_CASE("what cannot be read") {
  CHECK(fold("").error().what == "not a perf.data that skein reads");
  CHECK(fold("2ELIFREP").error().what == "perf.data of a big-endian machine");
  CHECK(fold(PerfData().file()).error().what == "no samples");
  PerfData data;
  data.sample(7, 2, 10, {user, 0x400020});
  const std::string whole = data.file();
  for (size_t size = 0; size < whole.size(); size++) CHECK(!fold(whole.substr(0, size)));
  data.record(
      81, 0, [&] { data.u64(0); }, 0);
  CHECK(fold(data.file()).error().what == "compressed records of perf.data cannot be unpacked");
  const auto cut = fold(whole + "garbage");
  CHECK(cut->remarks.empty());  // it is behind the data
}

TEST_CASE("names of functions as perf has them") {
  CHECK(without_parameters("main") == "main");
  CHECK(without_parameters("app::serve(int, std::vector<int>)") == "app::serve");
  CHECK(without_parameters("void std::sort<int*, less<void (*)(int)> >(int*, int*)") ==
        "std::sort<int*, less<void (*)(int)> >");
  CHECK(without_parameters("operator new(unsigned long)") == "operator new");
  CHECK(without_parameters("bool operator<<int>(a const&, b)") == "operator<<int>");
  CHECK(without_parameters("f::operator()(int) const") == "f::operator()");
  CHECK(without_parameters("(anonymous namespace)::f(int)") == "(anonymous namespace)::f");
  CHECK(without_parameters("main::{lambda(int)#1}::operator()(int) const") ==
        "main::{lambda(int)#1}::operator()");
  CHECK(without_parameters("f(int)::g(char)") == "f(int)::g");
  CHECK(without_parameters("f(int) [clone .cold]") == "f");
  CHECK(without_parameters("") == "");
}
