#include "base/type_name.h"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <typeinfo>
#include <vector>

using skein::demangled_type;

namespace {

template <typename T, int n>
struct Sized {
  struct Inner {};
};

template <typename T>
const std::type_info& local_type(T) {
  struct Local {};
  return typeid(Local);
}

std::string repeated(std::string_view text, size_t count) {
  std::string all;
  while (count-- > 0) all += text;
  return all;
}

// Has `count` function types, each with three times the text of the previous one.
std::string growing(int count) {
  std::string all = "1aIFviE";  // S_ is a, S0_ is void (int)
  for (int i = 0; i < count; i++) {
    const std::string previous = {'S', "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i], '_'};
    all += "Fv" + repeated(previous, 3) + "E";
  }
  return all + "E";
}

}  // namespace

TEST_CASE("names of types") {
  CHECK(demangled_type("i") == "int");
  CHECK(demangled_type("N3net5ErrorE") == "net::Error");
  CHECK(demangled_type("PKc") == "char const*");
  CHECK(demangled_type("FivE") == "int ()");
  CHECK(demangled_type("A4_i") == "int [4]");
  CHECK(demangled_type(typeid(Sized<int, -5>::Inner).name()) ==
        "(anonymous namespace)::Sized<int, -5>::Inner");
  CHECK(demangled_type(local_type(1).name()).ends_with("local_type<int>(int)::Local"));
  const std::string lambda = demangled_type(typeid([] {}).name());
  CHECK((lambda.ends_with("{lambda()#1}") || lambda.ends_with("$_0")));  // g++, clang
  CHECK(demangled_type(typeid(std::map<std::string, std::vector<std::string>>).name())
            .starts_with("std::map<std::"));
}

TEST_CASE("other text is not a name of a type") {
  for (const char* text : {"", "int", "net::Error", "N3net5Error", "N3net5ErrorE ", "i\n",
                           "99Error", "99999999999999999999999Error", "_Z4mainv", "\xff", "S", "T",
                           "L", "LX", "A", "D", "U", "5"})
    CHECK(demangled_type(text) == "");
  CHECK(demangled_type(std::string_view("i\0i", 3)) == "");
}

TEST_CASE("names that take a demangler too long") {
  CHECK(demangled_type(repeated("P", 511) + "i") == "int" + repeated("*", 511));
  CHECK(demangled_type(repeated("P", 512) + "i") == "");
  CHECK(demangled_type(growing(5)).size() > 1000);
  CHECK(demangled_type(growing(6)) == "");
  CHECK(demangled_type(growing(30)) == "");
  CHECK(demangled_type("1aI" + repeated("S_", 17) + "E") == "");
  CHECK(demangled_type("1aI1b" + repeated("S0_", 16) + "E") != "");
  CHECK(demangled_type("ZN1acviEvE1b") == "");  // a::operator int()::b
  CHECK(demangled_type("1aIXplLi1ELi2EEE") == "");
}
