#include "base/cursor.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace skein;

TEST_CASE("numbers are little-endian and packed") {
  const std::array<uint8_t, 15> bytes{1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0x80};
  Cursor cursor(bytes);
  CHECK(cursor.u8() == 1);
  CHECK(cursor.u16() == 2);
  CHECK(cursor.u32() == 3);
  CHECK(cursor.u64() == 0x8000000000000004);
  CHECK(cursor.at_end());
  CHECK_FALSE(cursor.failed());
}

TEST_CASE("a read that does not fit returns zero, and so do later reads") {
  const std::array<uint8_t, 5> bytes{1, 2, 3, 4, 5};
  Cursor cursor(bytes, 100);
  CHECK(cursor.u16() == 0x0201);
  CHECK(cursor.u32() == 0);
  CHECK(cursor.failed());
  CHECK(cursor.offset() == 102);
  CHECK(cursor.u8() == 0);  // would fit, but an earlier read failed
  CHECK(cursor.bytes(1).empty());
  CHECK(cursor.text().empty());
  CHECK(cursor.offset() == 102);
}

TEST_CASE("strings end with NUL") {
  const std::string bytes("one\0\0tail", 9);
  Cursor cursor({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  CHECK(cursor.text() == "one");
  CHECK(cursor.text() == "");
  CHECK_FALSE(cursor.failed());
  CHECK(cursor.text() == "");
  CHECK(cursor.failed());
  CHECK(cursor.offset() == 5);
}

TEST_CASE("sizes near SIZE_MAX do not wrap") {
  const std::array<uint8_t, 4> bytes{};
  Cursor cursor(bytes);
  cursor.skip(2);
  cursor.skip(SIZE_MAX - 1);
  CHECK(cursor.failed());
  CHECK(cursor.offset() == 2);
}

TEST_CASE("an empty span can be read safely") {
  Cursor cursor({});
  CHECK(cursor.at_end());
  CHECK(cursor.text().empty());
  CHECK(cursor.failed());
}
