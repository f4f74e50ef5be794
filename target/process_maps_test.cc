#include "target/process_maps.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("the lines of /proc/PID/maps") {
  const auto mappings = read_maps(
      "55d0a0000000-55d0a0004000 r-xp 00002000 fe:00 1234                       /usr/bin/a server\n"
      "55d0a1000000-55d0a1021000 rw-p 00000000 00:00 0                          [heap]\n"
      "7f0000000000-7f0000001000 rw-s 00001000 00:05 99                 /tmp/x\\012y (deleted)\n"
      "7f0000001000-7f0000002000 ---p 00000000 00:00 0 \n");
  REQUIRE(mappings.size() == 4);
  const Mapping& code = mappings[0];
  CHECK(code.begin == 0x55d0a0000000);
  CHECK(code.end == 0x55d0a0004000);
  CHECK(code.offset == 0x2000);
  CHECK((code.readable && !code.writable && code.executable && !code.shared && !code.deleted));
  CHECK(code.file == "/usr/bin/a server");
  CHECK(code.has_file());
  CHECK(mappings[1].file == "[heap]");
  CHECK(!mappings[1].has_file());
  CHECK(mappings[2].file == "/tmp/x\ny");
  CHECK((mappings[2].deleted && mappings[2].shared && mappings[2].writable));
  CHECK(mappings[3].file.empty());
  CHECK(!mappings[3].readable);
}

TEST_CASE("lines that are not mappings are left out") {
  CHECK(read_maps("").empty());
  CHECK(read_maps("\n\nno mapping\n1-2\n1-2 r\n5-4 rw-p 0 0 0\n1-2 rw-p zz 0 0\n").empty());
  CHECK(read_maps("1000-2000 rw-p 00000000 00:00 0").size() == 1);
}

TEST_CASE("an address and its mapping") {
  const std::vector<Mapping> mappings = read_maps("1000-2000 rw-p 0 0 0 \n3000-4000 rw-p 0 0 0 \n");
  REQUIRE(mappings.size() == 2);
  CHECK(find_mapping(mappings, 0xFFF) == nullptr);
  CHECK(find_mapping(mappings, 0x1000) == &mappings[0]);
  CHECK(find_mapping(mappings, 0x1FFF) == &mappings[0]);
  CHECK(find_mapping(mappings, 0x2000) == nullptr);
  CHECK(find_mapping(mappings, 0x3FFF) == &mappings[1]);
  CHECK(find_mapping(mappings, UINT64_MAX) == nullptr);
  CHECK(find_mapping({}, 0) == nullptr);
}
