#include "frames/coroutine_functions.h"

#include <doctest/doctest.h>

#include "base/function_name.h"
#include "symbol/tiny_elf.h"

using namespace skein;

TEST_CASE("lambdas as in signatures") {
  const auto name = [](const char* demangled) {
    return short_function_name(with_lambdas_of_signatures(demangled));
  };
  CHECK(name("Task (anonymous namespace)::of_type<int>(int)::{lambda(int)#1}::operator()(int) "
             "const") == "(anonymous)::of_type::<lambda>::operator()");
  CHECK(name("leaf(int)") == "leaf");
  CHECK(with_lambdas_of_signatures("{lambda(") == "{lambda(");
  CHECK(with_lambdas_of_signatures("{lambda()#1") == "{lambda()#1");
}

TEST_CASE("an ELF file without symbols, and no ELF file") {
  const std::vector<uint8_t> bytes(100);
  CHECK_FALSE(Functions::read(bytes, "x"));
  CHECK(find_coroutine_functions(Functions()).empty());
}

TEST_CASE("what g++ has moved out of a function has its name") {
  TinyElf elf;
  elf.add_symbols({"_Z1fv.actor", "_Z1fv.actor.cold", "_Z1fv.destroy", "_Z1gv.actor",
                   "_Z1gv.actor.cold", "_Z1gv.actor.cold", "_Z1gv.destroy"});
  const std::vector<uint8_t> bytes = elf.bytes();
  const auto functions = Functions::read(bytes, "x");
  REQUIRE(functions);
  const auto found = find_coroutine_functions(*functions);
  REQUIRE(found.size() == 2);
  CHECK(found[0].rest == 0x1001);
  CHECK(found[0].rest_end == 0x1002);
  CHECK(found[1].rest == 0);  // of functions with one name in two files
}

TEST_CASE("clang leaves out what no frame needs") {
  TinyElf elf;
  elf.add_symbols({"_Z1fv.cleanup", "_Z1fv.resume", "_Z1gv.destroy", "_Z1gv.resume", "_Z1hv.resume"});
  const std::vector<uint8_t> bytes = elf.bytes();
  const auto functions = Functions::read(bytes, "x");
  REQUIRE(functions);
  const auto found = find_coroutine_functions(*functions);
  REQUIRE(found.size() == 2);
  CHECK(found[0].cleanup == 0x1000);
  CHECK(found[0].destroy == 0);
  CHECK(found[1].destroy == 0x1002);
  CHECK(found[1].cleanup == 0);
}
