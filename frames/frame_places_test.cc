#include "frames/frame_places.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("the register of most stores has the frame") {
  const std::vector<Store> stores = {{.begin = 0x10, .end = 0x14, .point = 1, .frame = 3},
                                     {.begin = 0x20, .end = 0x24, .point = 2, .frame = 3},
                                     {.begin = 0x30, .end = 0x34, .point = 1, .frame = 0},
                                     {.begin = 0x40, .end = 0x44, .point = 1, .frame = {}}};
  CHECK(places_of_point(stores, 1) == std::vector<FramePlace>{{0x10, 3}});
  CHECK(places_of_point(stores, 2) == std::vector<FramePlace>{{0x20, 3}});
  CHECK(places_of_point(stores, 3).empty());
  CHECK(places_of_point({}, 0).empty());
  // rdi is 7 in instructions, and 5 in DWARF.
  CHECK(places_of_point({{.begin = 1, .end = 5, .point = 0, .frame = 7}}, 0) ==
        std::vector<FramePlace>{{1, 5}});
}

TEST_CASE("the parameter where a function begins") {
  // push %r14; push %rbx; sub $8,%rsp; mov %rdi,%rbx; mov %rdi,%r14; lea 0x70(%rdi),%r8
  const std::vector<uint8_t> code = {0x41, 0x56, 0x53, 0x48, 0x83, 0xEC, 0x08, 0x48, 0x89,
                                     0xFB, 0x49, 0x89, 0xFE, 0x4C, 0x8D, 0x47, 0x70};
  CHECK(places_at_begin({.address = 0x1000, .bytes = code}) ==
        std::vector<FramePlace>{{0x100D, 5}, {0x100D, 3}, {0x100D, 14}});
  // Cut short anywhere.
  for (size_t size = 0; size <= 13; size++)
    CHECK(places_at_begin({.address = 0, .bytes = std::span(code).first(size)}).size() <= 3);
  CHECK(places_at_begin({}).empty());
}
