#include "target/kept_cores.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {
const std::string boot = "0123456789abcdef0123456789abcdef";
}

TEST_CASE("names of systemd's cores") {
  const auto core =
      parse_core_name("core.my\\x2eserver.1000." + boot + ".4711.1700000000000000.zst");
  REQUIRE(core);
  CHECK(core->name == "my.server");
  CHECK(core->pid == 4711);
  CHECK(core->time == 1700000000000000);
  CHECK(parse_core_name("core.a.b.0." + boot + ".1.2")->name == "a.b");
  CHECK_FALSE(parse_core_name("core.4711"));
  CHECK_FALSE(parse_core_name(""));
  CHECK_FALSE(parse_core_name("core.server.1000." + boot + ".x.2"));
  CHECK_FALSE(parse_core_name("core.server.1000.0123.4711.2"));
  CHECK_FALSE(parse_core_name("ore.server.1000." + boot + ".4711.2"));
}

TEST_CASE("the newest core of a process is first") {
  MemoryFiles files;
  files.add("/cores/core.old.0." + boot + ".7.100.zst", "");
  files.add("/cores/core.new.0." + boot + ".7.300.xz", "");
  files.add("/cores/core.other.0." + boot + ".8.400", "");
  files.add("/cores/README", "");
  const auto cores = kept_cores(files, "/cores", 7);
  REQUIRE(cores.size() == 2);
  CHECK(cores[0].name == "new");
  CHECK(cores[0].path == "/cores/core.new.0." + boot + ".7.300.xz");
  CHECK(kept_cores(files, "/none", 7).empty());
}
