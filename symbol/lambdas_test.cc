#include "symbol/lambdas.h"

#include <doctest/doctest.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

namespace skein {

namespace {

std::string own_path() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

std::string own_build_id() {
  std::string digits;
  elf_version(EV_CURRENT);
  const int descriptor = open(own_path().c_str(), O_RDONLY | O_CLOEXEC);
  Elf* elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  const void* id = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
  for (ssize_t i = 0; i < size; i++) {
    char two[3];
    snprintf(two, sizeof two, "%02x", static_cast<const uint8_t*>(id)[i]);
    digits += two;
  }
  elf_end(elf);
  close(descriptor);
  return digits;
}

struct Timer {
  template <typename F>
  int wait(F f) {
    return f(1);
  }
};
struct Server {
  int tick() {
    return timer.wait([this](int x) { return x + base; });  // tick_line
  }
  int two() {
    return timer.wait([](int x) { return x; }) + timer.wait([](int x) { return -x; });
  }
  Timer timer;
  int base = 1;
};
constexpr uint32_t tick_line = __LINE__ - 8;

}  // namespace

TEST_CASE("a lambda is known by the functions around it, and by its number of parameters") {
  CHECK(Lambdas::key_of("Server::tick()::<lambda(Error)>") == "Server|tick|1");
  CHECK(Lambdas::key_of("S::S(io&, std::map<int, long>, int)::<lambda(E)>::<lambda(E, size_t)>") ==
        "S|S|1|2");
  CHECK(Lambdas::key_of("main()::<lambda()>") == "main|0");
  CHECK(Lambdas::key_of("void f(T) [with T = int]::<lambda(std::map<int, int>)>") == "f|1");
  CHECK(Lambdas::key_of("Box<T>::f() const [with T = int]::<lambda()>") == "Box|f|0");
  CHECK(Lambdas::key_of("{anonymous}::f(int) const::<lambda(auto:1&&)>") == "{}|f|1");
  CHECK(Lambdas::key_of("Server::tick()") == "");
  CHECK(Lambdas::key_of("") == "");
  for (const char* odd : {"<lambda(", "::<lambda(((", ")>::<lambda()>", "<lambda()>::"})
    Lambdas::key_of(odd);
}

TEST_CASE("the lambdas of this program") {
  Server server;
  CHECK(server.tick() + server.two() == 2);
  const auto lambdas = Lambdas::read(own_path(), own_build_id());
  if (!lambdas) {  // compiled without -g
    MESSAGE(lambdas.error().message());
    return;
  }
  const Lambdas::Place* tick = lambdas->find("skein::{anonymous}::Server::tick()::<lambda(int)>");
#if defined(__clang__)
  CHECK((tick == nullptr || tick->line == tick_line));
#else
  REQUIRE(tick != nullptr);
  CHECK(tick->line == tick_line);
  CHECK(tick->file.ends_with("symbol/lambdas_test.cc"));
#endif
  CHECK(lambdas->find("skein::{anonymous}::Server::two()::<lambda(int)>") == nullptr);  // two
  CHECK(lambdas->find("skein::{anonymous}::Server::three()::<lambda(int)>") == nullptr);
}

TEST_CASE("damaged debug information ends") {
  std::ifstream in(own_path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  REQUIRE(!whole.empty());
  char path[] = "/tmp/skein-lambdas-XXXXXX";
  const int descriptor = mkstemp(path);
  REQUIRE(descriptor >= 0);
  std::mt19937 random(1);
  for (int i = 0; i < 20; i++) {
    std::string damaged = whole;
    for (int byte = 0; byte < 100; byte++)
      damaged[damaged.size() / 4 + random() % (damaged.size() / 4 * 3)] =
          static_cast<char>(random() % 256);
    std::ofstream(path, std::ios::binary) << damaged;
    const auto lambdas = Lambdas::read(path, own_build_id());
    CHECK((!lambdas || lambdas->size() < 1'000'000));
  }
  close(descriptor);
  unlink(path);
}

TEST_CASE("other files than that program") {
  CHECK(!Lambdas::read("/does/not/exist", own_build_id()));
  CHECK(!Lambdas::read("/dev/null", own_build_id()));
  CHECK(!Lambdas::read("/proc/self/status", own_build_id()));
  CHECK(!Lambdas::read(own_path(), "00112233445566778899aabbccddeeff00112233"));
  CHECK(!Lambdas::read(own_path(), ""));
}

}  // namespace skein
