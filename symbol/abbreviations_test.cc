#include "symbol/abbreviations.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace skein {

namespace {

using Bytes = std::vector<uint8_t>;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes repeated(const Bytes& bytes, int count) {
  Bytes all;
  for (int i = 0; i < count; i++) all = all + bytes;
  return all;
}

// A shape of this number: a variable without children, with these attributes.
Bytes shape(uint8_t number, const Bytes& attributes) {
  return Bytes{number, 0x34, 0} + attributes + Bytes{0, 0};
}

const Bytes external = {0x3f, 0x19};          // flag_present
const Bytes line = {0x3b, 0x21, 0xff, 0x7f};  // implicit_const, two bytes
const Bytes name = {0x03, 0x08};              // string
const Bytes end = {0};
const Bytes unit_4 = {7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8};
const Bytes unit_5 = {8, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0};

}  // namespace

TEST_CASE("abbreviations with as many attributes without bytes as compilers write") {
  const Bytes usual = shape(1, repeated(name, 100) + repeated(external, 16) + repeated(line, 16));
  CHECK(!has_hostile_abbreviations(unit_4, usual + usual + end));
  CHECK(!has_hostile_abbreviations(unit_5, usual + end));
}

TEST_CASE("abbreviations with more of them") {
  for (const Bytes& one : {external, line}) {
    const Bytes wide = shape(2, repeated(one, 33));
    CHECK(has_hostile_abbreviations(unit_4, shape(1, name) + wide + end));
    CHECK(has_hostile_abbreviations(unit_5, shape(1, name) + wide + end));
    // Only of tables that a unit has.
    CHECK(!has_hostile_abbreviations(unit_4, shape(1, name) + end + wide + end));
  }
  const Bytes second_table = {7, 0, 0, 0, 4, 0, 8, 0, 0, 0, 8};
  const Bytes tables = shape(1, name) + end + shape(1, repeated(external, 33)) + end;
  CHECK(has_hostile_abbreviations(unit_4 + second_table, tables));
  const Bytes wide_unit = Bytes{0xff, 0xff, 0xff, 0xff} + Bytes{11, 0, 0, 0, 0, 0, 0, 0} +
                          Bytes{4, 0} + Bytes{8, 0, 0, 0, 0, 0, 0, 0} + Bytes{8};
  CHECK(has_hostile_abbreviations(wide_unit, tables));
}

TEST_CASE("tables that overlap are read once") {
  // Each unit begins its table one attribute later.
  const Bytes table = shape(1, repeated(name, 2000)) + end;
  Bytes units;
  for (int i = 0; i < 1000; i++) {
    Bytes unit = unit_4;
    unit[6] = static_cast<uint8_t>(3 + 2 * i);
    unit[7] = static_cast<uint8_t>((3 + 2 * i) >> 8);
    units = units + unit;
  }
  CHECK(has_hostile_abbreviations(units, table));
}

TEST_CASE("damaged units and tables end the search") {
  CHECK(!has_hostile_abbreviations({}, {}));
  CHECK(!has_hostile_abbreviations(unit_4, {}));
  CHECK(!has_hostile_abbreviations(Bytes{7, 0, 0, 0, 4}, shape(1, name)));
  const Bytes cut = {1, 0x34, 0, 0x3f};
  CHECK(!has_hostile_abbreviations(unit_4, cut));
  CHECK(!has_hostile_abbreviations(unit_4, Bytes(100, 0xff)));
}

}  // namespace skein
