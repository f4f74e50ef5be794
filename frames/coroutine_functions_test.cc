#include "frames/coroutine_functions.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("the name of a function without return type and parameters") {
  CHECK(shortened_function("leaf(int)") == "leaf");
  CHECK(shortened_function("Server::run(int) const") == "Server::run");
  CHECK(shortened_function("task<int> run<int>(std::vector<int>, void (*)(int))") == "run<int>");
  CHECK(shortened_function("obj<int>::run(int)::{lambda(int)#1}::operator()(int) const") ==
        "obj<int>::run(int)::{lambda(int)#1}::operator()");
  CHECK(shortened_function("run<std::map<std::string, std::vector<int>>>(int)") == "run<...>");
  CHECK(shortened_function("void operator<<<int>(int)") == "operator<<<int>");
  CHECK(shortened_function("main") == "main");
  CHECK(shortened_function("(") == "(");
  CHECK(shortened_function(")") == ")");
}

TEST_CASE("an ELF file without symbols, and no ELF file") {
  const std::vector<uint8_t> bytes(100);
  CHECK_FALSE(Functions::read(bytes, "x"));
  CHECK(find_coroutine_functions(Functions()).empty());
}
