#include "target/core_pattern.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a pattern names a folder and files") {
  const auto plain = parse_core_pattern("core\n");
  REQUIRE(plain);
  CHECK(plain->folder.empty());
  CHECK(plain->has("core"));
  CHECK(plain->has("core.4711"));
  CHECK_FALSE(plain->has("score"));
  CHECK_FALSE(plain->has("cores"));
  const auto full = parse_core_pattern("/var/cores/%e-100%%[x].%p");
  REQUIRE(full);
  CHECK(full->folder == "/var/cores/");
  CHECK(full->has("server-100%[x].4711"));
  CHECK_FALSE(full->has("server-100%x.4711"));
  CHECK(parse_core_pattern("dumps/core.%p%")->folder == "dumps/");
}

TEST_CASE("programs that receive cores, and folders that change, have no pattern") {
  for (const char* text : {"|/usr/lib/systemd/systemd-coredump %P", "@/run/socket", "", "\n",
                           "/cores/%u/core"})
    CHECK_FALSE(parse_core_pattern(text));
}
