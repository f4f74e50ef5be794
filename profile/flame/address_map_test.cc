#include "profile/flame/address_map.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

AddressMap map_of(std::string_view text, size_t functions) {
  AddressMap map;
  CHECK(map.add(text) == functions);
  map.finish();
  return map;
}

}  // namespace

TEST_CASE("nm") {
  const AddressMap map = map_of(
      "0000000000001139 T main\n"
      "                 U puts@GLIBC_2.2.5\n"
      "0000000000001150 t app::serve(int, char)\n"
      "0000000000001200 b counter\n"
      "0000000000004010 B data\n"
      "\n/usr/bin/a:\n",
      2);
  CHECK(map.find(0x1138) == "");
  CHECK(map.find(0x1139) == "main");
  CHECK(map.find(0x114f) == "main");
  CHECK(map.find(0x1150) == "app::serve(int, char)");
  CHECK(map.find(0x1200) == "");  // data
  CHECK(map.find(0x500000) == "");
  CHECK(map.address_of("main") == 0x1139);
  CHECK(map.address_of("absent") == 0);
}

TEST_CASE("nm -S, System.map, kallsyms") {
  const AddressMap map = map_of(
      "0000000000001139 000000000000000b T main\n0000000000001150 10 W weak\n"
      "ffffffff81000000 T _stext\r\nffffffffc0000000 t probe\t[e1000]\n",
      4);
  CHECK(map.find(0x1143) == "main");
  CHECK(map.find(0x1144) == "");  // beyond its size
  CHECK(map.find(0x115f) == "weak");
  CHECK(map.find(0xffffffff81000010) == "_stext");
  CHECK(map.find(0xffffffffc0000010) == "probe");
}

TEST_CASE("objdump") {
  const AddressMap map = map_of(
      "a:     file format elf64-x86-64\n\nSYMBOL TABLE:\n"
      "0000000000001139 g     F .text\t000000000000000b              main\n"
      "0000000000001150 l     F .text\t0000000000000010              .hidden helper\n"
      "0000000000001160 l    d  .text\t0000000000000000              .text\n"
      "0000000000004010 g     O .data\t0000000000000008              counter\n"
      "0000000000000000       F *UND*\t0000000000000000              puts\n"
      "0000000000001170 g       .text\t0000000000000000              _start\n"
      "0000000000001190 <assembly>:\n    1190:\t55  \tpush %rbp\n",
      4);
  CHECK(map.find(0x1139) == "main");
  CHECK(map.find(0x1150) == "helper");
  CHECK(map.find(0x1171) == "_start");
  CHECK(map.find(0x1190) == "assembly");
  CHECK(map.find(0x4010) == "");
}

TEST_CASE("maps of compilers at run time, and plain lists") {
  const AddressMap map = map_of(
      "7f00 40 LazyCompile:~a b.js:1\n0x8000 main\n8100 add\n0x8200 operator new(long)\n", 4);
  CHECK(map.find(0x7f3f) == "LazyCompile:~a b.js:1");
  CHECK(map.find(0x7f40) == "");
  CHECK(map.find(0x8000) == "main");
  CHECK(map.find(0x8100) == "add");
  CHECK(map.find(0x8200) == "operator new(long)");
}

TEST_CASE("lines that are none") {
  map_of("", 0);
  map_of("\n \n0x \nxyz T main\n1\n1 \n-1 T a\n10000000000000000 T too_large\n", 0);
}

TEST_CASE("addresses in folded text get names") {
  const AddressMap map = map_of("401000 T main\n401100 T a;b\n401200 T f(int, char)\n", 3);
  const NamedAddresses named = with_names(
      "0x401001;00401101;add;facade;401200 3\nx;0x40120a;0x999999 1 2\nx y 0x401000 5", map);
  CHECK(named.folded ==
        "main;a:b;add;facade;f(int, char) 3\nx;f(int, char);0x999999 1 2\nx y 0x401000 5\n");
  CHECK(named.named == 4);
  CHECK(named.unknown == 1);
  CHECK(named.first_unknown == "0x999999");
}
