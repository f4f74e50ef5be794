#include "base/byte_size.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a size has a unit or none") {
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("4096") == 4096);
  CHECK(parse_size("512k") == 512 << 10);
  CHECK(parse_size("4M") == 4 << 20);
  CHECK(parse_size("4m") == 4 << 20);
  CHECK(parse_size("2G") == uint64_t{2} << 30);
  CHECK(parse_size("1T") == uint64_t{1} << 40);
  CHECK(parse_size("18446744073709551615") == UINT64_MAX);
  for (const char* text : {"", "M", "-1", "+1", " 1", "1 M", "1.5G", "1MB", "1x",
                           "18446744073709551616", "99999999999T", "0x10", "1e3"})
    CHECK_MESSAGE(!parse_size(text), text);
}

TEST_CASE("a size is printed in its largest unit") {
  CHECK(size_text(0) == "0 bytes");
  CHECK(size_text(1) == "1 byte");
  CHECK(size_text(1023) == "1,023 bytes");
  CHECK(size_text(1024) == "1 KiB");
  CHECK(size_text(3 << 19) == "1.5 MiB");
  CHECK(size_text((1 << 20) + 1024) == "1.1 MiB");
  CHECK(size_text((uint64_t{2} << 30) - 1) == "2 GiB");
  CHECK(size_text(uint64_t{1} << 40) == "1 TiB");
  CHECK(size_text(UINT64_MAX) == "16 EiB");
}
