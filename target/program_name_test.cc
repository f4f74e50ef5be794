#include "target/program_name.h"

#include <doctest/doctest.h>

using skein::whole_name;

TEST_CASE("a name that was cut off is that of the file") {
  CHECK(whole_name("authentication-", {"/usr/bin/authentication-service"}) ==
        "authentication-service");
  CHECK(whole_name("authentication-", {"/usr/bin/authentication-service (deleted)"}) ==
        "authentication-service");
  CHECK(whole_name("authentication-", {"/bin/busybox", "authentication-service"}) ==
        "authentication-service");
}

TEST_CASE("other names stay") {
  CHECK(whole_name("server", {"/usr/bin/server-of-names"}) == "server");
  CHECK(whole_name("a-thread-of-15-", {"/usr/bin/server"}) == "a-thread-of-15-");
  CHECK(whole_name("exactly-15-byte", {"/usr/bin/exactly-15-byte", "exactly-15-bytes"}) ==
        "exactly-15-byte");
  CHECK(whole_name("", {""}).empty());
}
