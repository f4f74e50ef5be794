#include "record/host/posix/call_frames.h"

#include <doctest/doctest.h>
#include <string.h>

#include <random>
#include <vector>

namespace skein::record {
namespace {

using Base = CallFrame::Base;

// .eh_frame_hdr and .eh_frame of some functions, as a linker writes them.
class Information {
 public:
  static constexpr uint64_t module = 0x400000, header_at = 0x500000, frames_at = 0x500400;

  // Returns where the common part is.
  size_t common(std::vector<uint8_t> instructions,
                std::vector<uint8_t> augmentation = {'z', 'R', 0},
                std::vector<uint8_t> data = {0x1B}) {
    std::vector<uint8_t> content = {0, 0, 0, 0, 1};
    add(content, augmentation);
    add(content, {1, 0x78, 16, static_cast<uint8_t>(data.size())});
    add(content, data);
    add(content, instructions);
    return record(content);
  }
  void function(size_t common, uint64_t begin, uint32_t size, std::vector<uint8_t> instructions) {
    std::vector<uint8_t> content;
    add(content, number(static_cast<uint32_t>(frames_.size() + 4 - common)));
    add(content, number(static_cast<uint32_t>(begin - (frames_at + frames_.size() + 8))));
    add(content, number(size));
    content.push_back(0);
    add(content, instructions);
    functions_.push_back({begin, record(content)});
  }
  std::vector<CallFrame> rows(uint32_t capacity = 100) {
    std::vector<uint8_t> header = {1, 0x1B, 0x03, 0x3B};
    add(header, number(static_cast<uint32_t>(frames_at - (header_at + 4))));
    add(header, number(static_cast<uint32_t>(functions_.size())));
    for (const auto& [begin, offset] : functions_) {
      add(header, number(static_cast<uint32_t>(begin - header_at)));
      add(header, number(static_cast<uint32_t>(frames_at + offset - header_at)));
    }
    return convert_all(header, frames_, capacity);
  }
  static std::vector<CallFrame> convert_all(const std::vector<uint8_t>& header,
                                            const std::vector<uint8_t>& frames, uint32_t capacity) {
    std::vector<CallFrame> rows(capacity);
    rows.resize(convert({.header = header.data(),
                         .header_size = header.size(),
                         .header_address = header_at,
                         .frames = frames.data(),
                         .frames_size = frames.size(),
                         .frames_address = frames_at},
                        module, rows.data(), capacity));
    return rows;
  }
  std::vector<uint8_t>& frames() { return frames_; }

 private:
  static void add(std::vector<uint8_t>& to, const std::vector<uint8_t>& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  static std::vector<uint8_t> number(uint32_t value) {
    std::vector<uint8_t> bytes(sizeof value);
    memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  size_t record(const std::vector<uint8_t>& content) {
    const size_t at = frames_.size();
    add(frames_, number(static_cast<uint32_t>(content.size())));
    add(frames_, content);
    return at;
  }
  std::vector<uint8_t> frames_ = {};
  std::vector<std::pair<uint64_t, size_t>> functions_ = {};
};

CallFrame at(const std::vector<CallFrame>& rows, uint32_t offset) {
  return find_frame(rows.data(), static_cast<uint32_t>(rows.size()), offset);
}

// CFA = stack pointer + 8, return address at CFA - 8.
const std::vector<uint8_t> usual = {0x0C, 7, 8, 0x90, 1};

}  // namespace

TEST_CASE("a function that saves the frame pointer and moves the stack pointer") {
  Information information;
  const size_t common = information.common(usual);
  // push %rbp; sub; ...; add; pop %rbp
  information.function(common, 0x400100, 0x20,
                       {0x41, 0x0E, 16, 0x86, 2, 0x44, 0x0E, 64, 0x48, 0x0A, 0x0E, 16, 0x41, 0xC6,
                        0x0E, 8, 0x41, 0x0B});
  information.function(common, 0x400120, 0x10, {});
  information.function(common, 0x400200, 0x10, {0x42, 0x0D, 6});
  const auto rows = information.rows();
  CHECK(at(rows, 0xFF).base == Base::Unknown);
  CHECK(at(rows, 0x100).cfa == 8);
  CHECK(at(rows, 0x100).fp == CallFrame::kUnchanged);
  CHECK(at(rows, 0x101).cfa == 16);
  CHECK(at(rows, 0x104).fp == -16);
  CHECK(at(rows, 0x105).cfa == 64);
  CHECK(at(rows, 0x10D).cfa == 16);
  CHECK(at(rows, 0x10E).cfa == 8);
  CHECK(at(rows, 0x10E).fp == CallFrame::kUnchanged);
  CHECK(at(rows, 0x10F).cfa == 64);  // remembered
  CHECK(at(rows, 0x11F).fp == -16);
  CHECK(at(rows, 0x120).cfa == 8);
  CHECK(at(rows, 0x12F).base == Base::Stack);
  CHECK(at(rows, 0x130).base == Base::Unknown);  // between functions
  CHECK(at(rows, 0x201).base == Base::Stack);
  CHECK(at(rows, 0x202).base == Base::Frame);
  CHECK(at(rows, 0x210).base == Base::Unknown);
}

TEST_CASE("special functions: outermost, of handlers, with an aligned stack, of .plt") {
  Information information;
  const size_t common = information.common(usual);
  information.function(common, 0x400100, 8, {0x07, 16});
  information.function(information.common(usual, {'z', 'R', 'S', 0}), 0x400108, 8, {});
  information.function(common, 0x400110, 8, {0x0F, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0});
  information.function(
      common, 0x400118, 8,
      {0x0F, 11, 0x77, 0x08, 0x80, 0x00, 0x3F, 0x1A, 0x3A, 0x2A, 0x33, 0x24, 0x22});
  information.function(common, 0x400120, 8, {0x0F, 2, 0x77, 8});
  information.function(common, 0x400128, 8, {0x09, 16, 3});
  information.function(common, 0x400130, 8, {0x09, 6, 3});
  const auto rows = information.rows();
  CHECK(at(rows, 0x100).base == Base::Outermost);
  CHECK(at(rows, 0x108).base == Base::Signal);
  CHECK(at(rows, 0x110).base == Base::FrameContent);
  CHECK(at(rows, 0x110).cfa == -8);
  CHECK(at(rows, 0x110).fp == CallFrame::kAtFrame);
  CHECK(at(rows, 0x118).base == Base::Stack);
  CHECK(at(rows, 0x120).base == Base::Unknown);
  CHECK(at(rows, 0x128).base == Base::Unknown);  // the return address is in a register
  CHECK(at(rows, 0x130).base == Base::Stack);
  CHECK(at(rows, 0x130).fp == CallFrame::kLost);
}

TEST_CASE("a function with an unknown instruction, and the next one") {
  Information information;
  const size_t common = information.common(usual);
  information.function(common, 0x400100, 0x10, {0x44, 0x0E, 16, 0x44, 0x3F});
  information.function(common, 0x400110, 0x10, {});
  const auto rows = information.rows();
  CHECK(at(rows, 0x105).cfa == 16);
  CHECK(at(rows, 0x108).base == Base::Unknown);
  CHECK(at(rows, 0x110).base == Base::Stack);
}

TEST_CASE("a table without room ends early, and knows nothing behind its end") {
  Information information;
  const size_t common = information.common(usual);
  for (uint32_t i = 0; i < 20; i++)
    information.function(common, 0x400100 + 0x20 * i, 0x10,
                         {0x44, 0x0E, static_cast<uint8_t>(16 + i)});
  const auto all = information.rows();
  for (uint32_t room = 1; room < all.size(); room++) {
    const auto rows = information.rows(room);
    CHECK(rows.size() <= room);
    for (uint32_t offset = 0x100; offset < 0x400; offset += 4) {
      const CallFrame one = at(rows, offset);
      CHECK((one.base == Base::Unknown || one.cfa == at(all, offset).cfa));
    }
  }
}

TEST_CASE("rows of damaged information are sorted, and nothing else is read") {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; i++) {
    Information information;
    const size_t common = information.common(usual);
    information.function(common, 0x400100, 0x20, {0x41, 0x0E, 16, 0x86, 2, 0x44, 0x0C, 6, 16});
    information.function(common, 0x400120, 0x20, {0x0F, 3, 0x76, 0x78, 0x06, 0x0A, 0x41, 0x0B});
    std::vector<uint8_t>& bytes = information.frames();
    for (auto changes = random() % 6; changes > 0; changes--)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    bytes.shrink_to_fit();
    const auto rows = information.rows(8);
    for (size_t k = 1; k < rows.size(); k++) REQUIRE(rows[k - 1].begin < rows[k].begin);
  }
}

}  // namespace skein::record
